"""Taking files in: standard input as a file, a report a file, a progress bar on a terminal."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.exits import Exit
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.types import FileReport

Reports = Callable[["Engine"], AsyncIterator["FileReport"]]


class Spooled:
    """The paths as files; standard input is kept in a private file while it is read.

    The file is named by its content, so the same input twice is the same document.
    """

    def __init__(self, paths: list[str], given: dict[str, Any], terminal: Terminal) -> None:
        self._names = paths
        self._terminal = terminal
        self._given = given
        self._spool: Path | None = None

    def __enter__(self) -> Spooled:
        if "-" in self._names:
            self._spool = self._filled()
        self.paths = [self._spool if name == "-" and self._spool else Path(name) for name in self._names]
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


def take_in(
    reports: Reports, files: Spooled, given: dict[str, Any], terminal: Terminal, *, as_json: bool, each_file: bool
) -> Exit:
    """Consume the reports, print them in the format wanted, and say how it went."""
    shown: list[dict[str, Any]] = []

    def show(report: FileReport) -> None:
        row = _reported(report, files.named(report))
        shown.append(row)
        if each_file:
            terminal.object(row)
        elif not as_json:
            _tell(row, terminal)

    version = asyncio.run(_consume(given, reports, show, terminal))
    if as_json:
        terminal.object({"files": shown, "version": version})
    elif not each_file:
        terminal.line(_summary(shown))
    if not any(row["status"] == "failed" for row in shown):
        return Exit.OK
    terminal.note("hint: the rest is stored; mend what failed, or its rights, and run the same command again")
    return Exit.INPUTS_FAILED


async def _consume(
    given: dict[str, Any], reports: Reports, show: Callable[[FileReport], None], terminal: Terminal
) -> int:
    from assay.build import open_engine

    async with open_engine(models=False, **given) as engine:
        with _bar(terminal) as bar:
            async for report in reports(engine):
                show(report)
                if bar is not None:
                    bar.advance(report)
        return await engine.aversion()


class _Bar:
    """How many files and passages are in, drawn on standard error."""

    def __init__(self, console: Any) -> None:
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("reading", total=None)
        self._files = self._passages = 0

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, report: FileReport) -> None:
        self._files += 1
        self._passages += report.passages
        name = one_line(Path(report.path).name, 40)
        self._progress.update(
            self._task, description=f"{self._files:,} files, {self._passages:,} passages · {name}"
        )


def _bar(terminal: Terminal) -> _Bar | nullcontext[None]:
    console = terminal.progress_console()
    return nullcontext() if console is None else _Bar(console)


def _reported(report: FileReport, path: str) -> dict[str, Any]:
    return {
        "path": path,
        "status": report.status,
        "reason": report.reason,
        "passages": report.passages,
        "document_id": report.document_id,
    }


def _tell(row: dict[str, Any], terminal: Terminal) -> None:
    """On standard error: what went wrong always, the rest only with -v."""
    text = f"{row['status']} {row['path']}" + (f": {row['reason']}" if row["reason"] else "")
    if row["status"] == "failed":
        terminal.warn(text)
    elif row["status"] == "skipped" or (row["reason"] and row["status"] == "added"):
        terminal.note(text)
    else:
        terminal.detail(text)


def _summary(rows: list[dict[str, Any]]) -> str:
    """One line that counts what happened.

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
