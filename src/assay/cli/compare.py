"""compare: two versions on the same cases, metric by metric, and a gate for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.exits import Exit
from assay.cli.flags import AsJson, Given, takes
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal, reason_of
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evals.compare import Comparison
    from assay.evals.gate import Requirement

Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[A B]", help="Two folders that `assay eval` wrote: how it was, and how it is now."),
]
Requirements = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        metavar="TEXT",
        help="What may not happen, such as 'groundedness may not fall by more than 0.01; cost may not rise by more "
        "than 10 %'; repeatable.",
    ),
]
Recorded = Annotated[
    bool, typer.Option("--recorded", help="Compare recorded runs with themselves under --set, without any call.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="With --recorded, decide the runs again with this setting; repeatable."
    ),
]
Latest = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=1000, help="With --recorded, the number of latest runs.")
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.md", help="Also write the comparison as Markdown.")
]


@takes("collection", "data_dir")
def compare(
    terminal: Terminal,
    folders: Folders = None,
    *,
    given: Given,
    gate: Requirements = None,
    recorded: Recorded = False,
    changes: Changes = None,
    limit: Latest = 100,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Compare two versions on the same cases.

    Prints each metric in both, the change with its 95 % interval, and whether it is more than chance; by slice
    where the cases have any. With --gate, the exit code is 7 if a requirement is not kept.

    \b
    assay compare runs/main runs/branch
    assay compare runs/main runs/branch --gate "right may not fall by more than 1 point"
    assay compare --recorded --set checker=none
    """
    from assay.evals.gate import parse_requirements

    requirements = parse_requirements(gate) if gate else ()
    if report is not None:
        _refuse_place(report)
    if recorded:
        found = _recorded_runs(folders, changes, limit, requirements, given, terminal)
    else:
        found = _two_folders(folders, changes, requirements)
    if report is not None:
        _write(report, found)
    _show(found, as_json, terminal)
    if found.gate is not None and not found.gate.passed:
        raise typer.Exit(Exit.GATE)


def _two_folders(
    folders: list[Path] | None, changes: list[str] | None, requirements: tuple[Requirement, ...]
) -> Comparison:
    from assay.evals.compare_folders import compare_folders

    if changes:
        raise UsageError(
            "--set needs --recorded", hint="an evaluation in a folder is as it is; see `assay eval --set`"
        )
    if folders is None or len(folders) != 2:
        raise UsageError(
            "two evaluations are needed",
            hint="name two folders that `assay eval` wrote, or use --recorded with --set",
        )
    return compare_folders(*folders, requirements)


def _recorded_runs(
    folders: list[Path] | None,
    changes: list[str] | None,
    limit: int,
    requirements: tuple[Requirement, ...],
    given: Given,
    terminal: Terminal,
) -> Comparison:
    from assay.evals.compare_recorded import compare_recorded
    from assay.wiring.what_if import read_changes

    if folders:
        raise UsageError("--recorded takes no folders", hint="leave them out, or leave out --recorded")
    if not changes:
        raise UsageError("--recorded needs a changed setting", hint="name one, e.g. --set checker=none")
    with ProgressBar(terminal, "runs") as bar:
        return compare_recorded(
            read_changes(changes), limit=limit, requirements=requirements, advance=bar.advance, **given
        )


def _show(found: Comparison, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.comparison_view import show_comparison

    if as_json:
        terminal.object(found.to_dict())
    else:
        show_comparison(found, terminal)


def _refuse_place(report: Path) -> None:
    """Raise UsageError where the report cannot be written, or another file would be lost."""
    from assay.evals.compare import Comparison

    if report.is_dir() or not report.absolute().parent.is_dir():
        raise UsageError(f"{report} cannot be written: there is no such folder", hint="choose another place")
    if report.exists() and Comparison.schema not in report.read_text(encoding="utf-8", errors="replace")[:200]:
        raise UsageError(f"{report} exists already, and is no report", hint="choose another name")


def _write(report: Path, found: Comparison) -> None:
    from assay.cli.comparison_view import markdown

    try:
        report.write_text(markdown(found), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{report} cannot be written: {reason_of(error)}", hint="choose another place") from error


VERBS = (compare,)
