"""export: recorded runs as JSON lines, for other programs."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from assay.cli.figures import Since, seconds_of
from assay.cli.flags import THE_COLLECTION, Given, takes
from assay.cli.terminal import Terminal, reason_of
from assay.errors import UsageError

RowFormat = Annotated[Literal["assay", "ragas", "deepeval"], typer.Option("--format", help="Format of the rows.")]
Labelled = Annotated[bool, typer.Option("--labelled", help="Export only runs whose answer has a label.")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="The file to write. [default: standard output]")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


@takes(*THE_COLLECTION)
def export(
    terminal: Terminal,
    *,
    given: Given,
    format_: RowFormat = "assay",
    since: Since = None,
    labelled: Labelled = False,
    out: Out = None,
    force: Force = False,
) -> None:
    """Export recorded runs as JSON lines, newest first.

    The format assay contains the runs with their events, decisions and labels; ragas and deepeval contain the
    answered questions under the column names of those programs. Without --collection, runs of all collections are
    exported.

    \b
    assay export > runs.jsonl
    assay export --format ragas --labelled --out labelled.jsonl
    """
    from assay.records.export import export_rows
    from assay.records.values import MOST_LISTED, RunQuery
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    if out is not None:
        refuse_place(out, force)
    query = RunQuery(
        collection=given.get("collection"),
        since=None if since is None else seconds_of(since),
        labelled=labelled,
        limit=MOST_LISTED,
    )
    with opened_record(load_settings(given).settings) as records:
        rows = export_rows(records, query, format_)
        if out is None:
            for row in rows:
                terminal.object(row)
            return
        count = write_lines(out, rows)
    terminal.note(f"{count} rows are in {out}")


def refuse_place(out: Path, force: bool) -> None:
    """Raise UsageError where no file can be written, or one is there that may not be overwritten."""
    if out.is_dir():
        raise UsageError(f"{out} is a folder", hint="name the file to write with --out")
    if os.path.lexists(out) and not force:
        raise UsageError(f"{out} already exists", hint="choose another name with --out, or add --force")
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent}", hint="choose another place with --out")
    if not os.access(out.parent, os.W_OK):
        raise UsageError(f"{out.parent} cannot be written to", hint="choose another place with --out")


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write one object a line, for the owner only, and return their number; the file is there whole or not at all.

    Raises UsageError if it cannot be written.
    """
    count, part = 0, ""
    try:
        file, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # for its owner only
        with open(file, "w", encoding="utf-8") as lines:
            for row in rows:
                lines.write(f"{json.dumps(row, allow_nan=False)}\n")
                count += 1
            lines.flush()
            os.fsync(lines.fileno())
        os.replace(part, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason_of(error)}", hint="choose another place") from error
    finally:
        with suppress(OSError):  # it has its name already, or was never made
            os.unlink(part)
    return count


VERBS = (export,)
