"""compare: two versions on the same cases, metric by metric, and a gate for CI."""

from __future__ import annotations

import re
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
    typer.Argument(metavar="A B", help="Two folders written by `assay eval`: the old version and the new one."),
]
Requirements = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        metavar="TEXT",
        help="A requirement, such as 'groundedness may not fall by more than 0.01; cost may not rise by more "
        "than 10 %'; repeatable.",
    ),
]
Recorded = Annotated[
    bool,
    typer.Option(
        "--recorded", help="Compare recorded runs with the same runs under --set, without any model call."
    ),
]
DataSet = Annotated[
    Path | None,
    typer.Option("--data", metavar="DATASET", help="Ask these questions now, once with --a and once with --b."),
]
SideA = Annotated[
    list[str] | None,
    typer.Option("--a", metavar="KEY=VALUE,…", help="With --data, settings for A; repeatable."),
]
SideB = Annotated[
    list[str] | None,
    typer.Option("--b", metavar="KEY=VALUE,…", help="With --data, settings for B; repeatable."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="With --recorded, the setting to change; with --data, a setting for both sides; repeatable.",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=1,
        help="Only the latest N runs, or the first N questions. [default: 100 runs, all questions]",
    ),
]
Repeat = Annotated[
    int, typer.Option("--repeat", metavar="N", min=1, max=100, help="With --data, ask each question N times.")
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.md", help="Also write the comparison as Markdown.")
]


# The separator of settings in one --a: a comma before a name and an equals sign.
_NEXT_SETTING = re.compile(r",(?=[a-z_]+=)")
_RECORDED = 100


@takes("collection", "data_dir")
def compare(
    terminal: Terminal,
    folders: Folders = None,
    *,
    given: Given,
    gate: Requirements = None,
    recorded: Recorded = False,
    data: DataSet = None,
    a: SideA = None,
    b: SideB = None,
    changes: Changes = None,
    limit: Limit = None,
    repeat: Repeat = 1,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Compare two versions on the same questions.

    Prints each metric in both, the change with its 95 % interval, and whether it is more than chance, also by slice
    where the questions define slices. With --gate, the exit code is 7 if a requirement is not met.

    \b
    assay compare runs/main runs/branch
    assay compare runs/main runs/branch --gate "right may not fall by more than 1 point"
    assay compare --recorded --set checker=none
    assay compare --data questions.jsonl -c handbook --a k=8 --b k=20
    """
    from assay.evals.gate import parse_requirements

    requirements = parse_requirements(gate) if gate else ()
    if report is not None:
        _refuse_place(report)
    if sum((bool(folders), recorded, data is not None)) > 1:
        raise UsageError("two folders, --recorded and --data cannot be used together", hint="choose one of them")
    if data is None and (a or b or repeat > 1):
        raise UsageError(
            "--a, --b and --repeat need --data", hint="name the questions to ask, e.g. --data FILE.jsonl"
        )
    if recorded:
        found = _recorded_runs(changes, limit or _RECORDED, requirements, given, terminal)
    elif data is not None:
        found = _fresh_runs(data, (a, b), changes, limit, repeat, requirements, given, terminal)
    else:
        found = _two_folders(folders, changes, limit, requirements)
    if report is not None:
        _write(report, found)
    _show(found, as_json, terminal)
    if found.gate is not None and not found.gate.passed:
        raise typer.Exit(Exit.GATE)


def _two_folders(
    folders: list[Path] | None,
    changes: list[str] | None,
    limit: int | None,
    requirements: tuple[Requirement, ...],
) -> Comparison:
    from assay.evals.compare import compare_folders

    if changes or limit:
        raise UsageError(
            "--set and --limit need --recorded or --data",
            hint="a finished evaluation cannot be changed; see `assay eval --set`",
        )
    if folders is None or len(folders) != 2:
        raise UsageError(
            "two evaluations are needed",
            hint="name two folders written by `assay eval`, or give --recorded and --set, or --data, --a and --b",
        )
    return compare_folders(folders[0], folders[1], requirements)


def _recorded_runs(
    changes: list[str] | None,
    limit: int,
    requirements: tuple[Requirement, ...],
    given: Given,
    terminal: Terminal,
) -> Comparison:
    from assay.evals.compare_recorded import compare_recorded
    from assay.wiring.what_if import read_changes

    if not changes:
        raise UsageError("--recorded needs a changed setting", hint="name one, e.g. --set checker=none")
    with ProgressBar(terminal, "runs") as bar:
        return compare_recorded(
            read_changes(changes), limit=limit, requirements=requirements, advance=bar.advance, **given
        )


def _fresh_runs(
    data: Path,
    sides: tuple[list[str] | None, list[str] | None],
    changes: list[str] | None,
    limit: int | None,
    repeat: int,
    requirements: tuple[Requirement, ...],
    given: Given,
    terminal: Terminal,
) -> Comparison:
    """Both sides, one after the other, each in a folder of its own that `assay eval` would have written."""
    from assay.cli.evaluate import ask_data_set, with_changes
    from assay.evals.compare import compare_folders, require_measurable
    from assay.settings import load_settings

    if not any(sides):
        raise UsageError("--data needs what differs", hint="name it, e.g. --a k=8 --b k=20")
    require_measurable(requirements)
    shared = with_changes(given, changes or ())
    both = [
        with_changes(shared, [part for text in side or () for part in _NEXT_SETTING.split(text)], flag)
        for flag, side in zip(("--a", "--b"), sides, strict=True)
    ]
    for settings in both:  # a mistake in B is told before A is asked
        load_settings(settings)
    first, second = (ask_data_set(data, settings, terminal, limit=limit, repeat=repeat) for settings in both)
    return compare_folders(first, second, requirements)


def _show(found: Comparison, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.comparison_view import show_comparison

    if as_json:
        terminal.object(found.to_dict())
    else:
        show_comparison(found, terminal)


def _refuse_place(report: Path) -> None:
    """Raise UsageError where the report cannot be written, or another file would be lost."""
    from assay.evals.compare import Comparison

    if report.suffix.lower() != ".md":
        raise UsageError(f"{report} is not .md", hint="give --report a name that ends so")
    if report.is_dir() or not report.absolute().parent.is_dir():
        raise UsageError(f"{report} cannot be written: there is no such folder", hint="choose another place")
    if report.exists() and Comparison.schema not in report.read_text(encoding="utf-8", errors="replace")[:200]:
        raise UsageError(f"{report} already exists, and is not a report", hint="choose another name")


def _write(report: Path, found: Comparison) -> None:
    from assay.cli.comparison_view import markdown

    try:
        report.write_text(markdown(found), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{report} cannot be written: {reason_of(error)}", hint="choose another place") from error


VERBS = (compare,)
