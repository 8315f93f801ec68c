"""Adding files: standard input, a report per file, a progress bar."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from assay.cli.exits import Exit
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal, from_here
from assay.errors import UsageError
from assay.nlp.controls import visible

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.types import FileReport

Reports = Callable[["Engine"], AsyncIterator["FileReport"]]
_ON_ONE_MACHINE: Mapping[str, Any] = MappingProxyType({})


class InputFiles:
    """The paths to read; standard input is written to a private temporary file.

    The file is named by its content, so the same input twice is the same document.
    """

    def __init__(self, paths: list[str], given: dict[str, Any], terminal: Terminal) -> None:
        self._names = paths
        self._terminal = terminal
        self._given = given
        self._spool: Path | None = None

    def __enter__(self) -> InputFiles:
        if "" in self._names:  # such as an unset "$FOLDER", which would mean the working folder
            raise UsageError("a path is empty", hint="name a file or a folder; . is the working folder")
        if "-" in self._names:
            self._spool = self._filled()
        self.paths = [self._spool if name == "-" and self._spool else name for name in self._names]
        return self

    def __exit__(self, *_: object) -> None:
        if self._spool is not None:
            self._spool.unlink(missing_ok=True)

    def named(self, report: FileReport) -> str:
        """The path as the user gave it."""
        return "-" if self._spool is not None and report.path == str(self._spool) else report.path

    def _filled(self) -> Path:
        from assay.settings import load_settings

        data = self._terminal.input.read()
        folder = load_settings(self._given).settings.data_dir / "stdin"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"stdin-{hashlib.sha256(data).hexdigest()[:12]}"
        path.touch(mode=0o600)
        path.write_bytes(data)
        return path


class _FailureList:
    """A file with the failures of one run, a JSON object a line; each is there as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._path.write_bytes(b"")  # those of an earlier run are out of date

    def add(self, row: Mapping[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def add_files(
    reports: Reports,
    files: InputFiles,
    given: dict[str, Any],
    terminal: Terminal,
    *,
    as_json: bool,
    each_file: bool,
    dry_run: bool = False,
    spread: Mapping[str, Any] = _ON_ONE_MACHINE,
    failures: Path | None = None,
) -> Exit:
    """Print the reports in the requested format, write those of failures to a file, and return the exit code."""
    shown: list[dict[str, Any]] = []
    failed = None if failures is None else _FailureList(failures)

    def show(report: FileReport) -> None:
        row = _row_of(report, files.named(report))
        shown.append(row)
        if failed is not None and report.status == "failed":
            failed.add({**row, "hint": report.hint})
        if each_file:
            terminal.object({**row, "dry_run": True} if dry_run else row)
        elif not as_json and not dry_run:
            _tell(row, terminal)

    version = asyncio.run(
        _show_reports(
            given, reports, show, terminal, files.paths, streams=each_file, dry_run=dry_run, spread=spread
        )
    )
    if as_json:
        terminal.object({"files": shown, "version": version, **({"dry_run": True} if dry_run else {})})
    elif dry_run and not each_file:
        for line in plan_lines(shown):
            terminal.line(line)
    elif not each_file:
        terminal.line(_summary(shown))
    if not any(row["status"] == "failed" for row in shown):
        return Exit.OK
    if not dry_run:
        terminal.note(f"hint: {_hint(shown)}")
    return Exit.INPUTS_FAILED


async def _show_reports(
    given: dict[str, Any],
    reports: Reports,
    show: Callable[[FileReport], None],
    terminal: Terminal,
    paths: Sequence[Path | str],
    *,
    streams: bool,
    dry_run: bool,
    spread: Mapping[str, Any],
) -> int:
    """Show each report under a progress bar; return the collection's version."""
    from assay.ingest.walk import walk

    total = None
    if terminal.progress_console() is not None:
        total = await asyncio.to_thread(lambda: sum(1 for _ in walk(paths)))
    passages = 0
    async with _opened(given, dry_run, spread) as engine:
        with ProgressBar(terminal, "files", total, streams=streams) as bar:
            async for report in reports(engine):
                show(report)
                passages += report.passages
                if report.status != "pruned":  # none of the files that were counted
                    bar.advance(f"{passages:,} passages · {Path(report.path).name}")
        return await engine.aversion()


def _opened(given: dict[str, Any], dry_run: bool, spread: Mapping[str, Any]) -> Engine:
    """The collection; a dry run does not create one."""
    from assay.errors import UnknownCollection
    from assay.wiring import open_checker, open_engine

    try:
        return open_engine(create=not dry_run, models=False, **spread, **given)
    except UnknownCollection:
        return open_checker(models=False, **given)


def _row_of(report: FileReport, path: str) -> dict[str, Any]:
    return {
        "path": path,
        "status": report.status,
        "reason": report.reason,
        "passages": report.passages,
        "document_id": report.document_id,
    }


def _tell(row: dict[str, Any], terminal: Terminal) -> None:
    """Write a report to standard error: failures always, the rest only with -v."""
    text = f"{row['status']} {from_here(row['path'])}" + (f": {row['reason']}" if row["reason"] else "")
    if row["status"] == "failed":
        terminal.warn(text)
    elif row["status"] == "skipped" or (row["reason"] and row["status"] == "added"):
        terminal.note(text)
    else:
        terminal.detail(text)


def _hint(rows: list[dict[str, Any]]) -> str:
    """The fate of the other files, and what to do about those that failed.

    >>> _hint([{"status": "failed", "reason": "no such file or folder"}])
    'nothing was stored; check the path and run the command again'
    >>> _hint([{"status": "failed", "reason": "damaged"}, {"status": "added", "reason": None}])
    'the rest is stored; fix the files or their permissions and run the same command again'
    """
    from assay.ingest.walk import ABSENT

    stored = any(row["status"] in ("added", "unchanged") for row in rows)
    absent = all(row["reason"] == ABSENT for row in rows if row["status"] == "failed")
    what = "check the path and run the" if absent else "fix the files or their permissions and run the same"
    return f"{'the rest is stored' if stored else 'nothing was stored'}; {what} command again"


def _summary(rows: list[dict[str, Any]]) -> str:
    """One line with the number of files and passages by status.

    >>> _summary([{"status": "added", "passages": 3}, {"status": "failed", "passages": 0}])
    '1 added (3 passages), 1 failed'
    """
    parts = []
    for status in ("added", "unchanged", "pruned", "skipped", "failed"):
        count = sum(row["status"] == status for row in rows)
        passages = sum(row["passages"] for row in rows if row["status"] == status)
        inside = f" ({passages:,} passage{'' if passages == 1 else 's'})" if status == "added" else ""
        if count:
            parts.append(f"{count:,} {status}{inside}")
    return ", ".join(parts) or "no files found"


# A dry run's words for the status of a file.
_WOULD = {"added": "would add", "pruned": "would prune", "skipped": "would skip"}


def plan_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The plan of a sync: a line per file, then the total.

    >>> added = {"status": "added", "path": "a.md", "reason": None, "passages": 3}
    >>> list(plan_lines([added, {"status": "unchanged", "path": "b.md", "reason": None, "passages": 1}]))
    ['would add a.md', 'unchanged b.md', 'dry run, nothing was changed: would add 1 (3 passages), 1 unchanged']
    """
    for row in rows:
        reason = f": {row['reason']}" if row["reason"] else ""
        yield visible(f"{_WOULD.get(row['status'], row['status'])} {from_here(row['path'])}{reason}")
    parts = []
    for status, what in _WOULD.items():
        chosen = [row for row in rows if row["status"] == status]
        passages = sum(row["passages"] for row in chosen)
        inside = f" ({passages:,} passage{'' if passages == 1 else 's'})" if status == "added" else ""
        parts += [f"{what} {len(chosen):,}{inside}"] if chosen else []
    for status in ("unchanged", "failed"):
        count = sum(row["status"] == status for row in rows)
        parts += [f"{count:,} {status}"] if count else []
    yield f"dry run, nothing was changed: {', '.join(parts) or 'no files found'}"
