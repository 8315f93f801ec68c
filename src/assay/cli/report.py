"""report: a run as one page that opens offline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.flags import Given, takes
from assay.cli.terminal import Terminal, reason_of
from assay.errors import UsageError

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, its first characters, or last.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="The file to write. [default: assay-RUN.html]"),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


@takes("data_dir")
def report(
    terminal: Terminal,
    run: Run = "last",
    *,
    given: Given,
    out: Out = None,
    force: Force = False,
) -> None:
    """Write a run as one HTML page: answer, claims, sources, checks, steps.

    The page loads nothing and runs nothing, so it can be archived and sent.

    \b
    assay report last
    assay report 01K9 --out audit.html
    """
    from assay.records.report import report as page_of
    from assay.records.runs import RunStore
    from assay.settings import load_settings

    record = RunStore(load_settings(given).settings.runs_file).load(run)
    target = Path(f"assay-{record.run.run_id}.html") if out is None else out
    if target.is_dir():
        raise UsageError(f"{target} is a folder", hint="name the file to write with --out")
    if os.path.lexists(target) and not force:
        raise UsageError(f"{target} exists already", hint="choose another name with --out, or add --force")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="choose another place with --out")
    try:
        target.write_text(page_of(record.to_dict()), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {reason_of(error)}", hint="choose another place") from error
    terminal.line(str(target))


VERBS = (report,)
