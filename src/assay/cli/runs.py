"""show, replay, report: a recorded run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from assay.cli import exits
from assay.cli.flags import THE_RECORD, AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line, reason_of
from assay.errors import AssayError, UsageError

if TYPE_CHECKING:
    from assay.records.run_records import RunRecords
    from assay.records.values import RunRecord
    from assay.types import Ablation

# Runs that `assay show` lists. Chosen.
_LATEST = 20
OneRun = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, its first characters, or last.")]
RunName = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="Id of a run, its first characters, or last; without it, the latest runs are listed."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="The file to write. [default: assay-RUN.html]"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Run the question again with this setting; repeatable."),
]
Live = Annotated[
    bool, typer.Option("--live", help="With --set, make calls that are not on the tape; they may cost money.")
]
LeaveOut = Annotated[
    bool,
    typer.Option("--sources", help="Remove each source in turn, and show which claims fail without it."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


@takes(*THE_RECORD)
def show(
    terminal: Terminal,
    run: RunName = None,
    *,
    given: Given,
    sources: LeaveOut = False,
    as_json: AsJson = False,
) -> None:
    """Show how an answer was produced.

    Prints the steps of the run, the claims with their sources, and the checks. With --sources, the claims are
    tested again without each source instead, to show which claims fail and which citations are decorative. No
    language model is called.

    \b
    assay show                 the latest runs
    assay show last
    assay show last --sources
    """
    from assay.cli.run_view import show_run
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    with opened_record(load_settings(given).settings) as records:
        if run is None:
            if sources:
                raise UsageError("--sources needs a run", hint="e.g. `assay show last --sources`")
            _show_latest(records, as_json, terminal)
            return
        record = records.load(run)
    if sources:
        _show_ablation(record, given, as_json, terminal)
        return
    if as_json:
        terminal.object(record.to_dict())
    else:
        show_run(record, terminal)


@takes(*THE_RECORD, "citation_style", "references")
def replay(
    terminal: Terminal,
    run: OneRun,
    *,
    given: Given,
    changes: Changes = None,
    live: Live = False,
    as_json: AsJson = False,
) -> None:
    """Replay a recorded question from its tape.

    Prints what `ask` printed and exits with the same code, without network, model or collection. A streamed answer
    is streamed again, unless --json or another citation style is given. With --set, the question is run again with
    other settings, and the difference is printed; without --live, it stops at the first call that is not on the
    tape, and reports it.

    \b
    assay replay last
    assay replay last --set correct=0.5 --set checker=none
    assay replay last --set k=20 --live
    """
    from assay.cli.run_view import Progress, tell
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record
    from assay.wiring.replay import replay as replayed

    if changes:
        _replay_changed(run, changes, live, given, as_json, terminal)
    if live:
        raise UsageError("--live needs a changed setting", hint="name one, e.g. --set k=20")
    with opened_record(load_settings(given).settings) as records:
        recorded = records.recording(run)
    style = {name: recorded.about["settings"][name] for name in ("citation_style", "references")}
    streams = recorded.about["streamed"] and not as_json and "citation_style" not in given
    progress = Progress(terminal, sentences=streams)
    place = {name: value for name, value in given.items() if name in THE_RECORD}
    answer = replayed(recorded.run.run_id, progress, **place)
    tell(answer, {**style, **given}, as_json, terminal, progress=progress)
    raise typer.Exit(exits.of_answer(answer))


def _replay_changed(
    run: str, changes: list[str], live: bool, given: Given, as_json: bool, terminal: Terminal
) -> NoReturn:
    """Decide the run again, print the difference, and exit as `ask` would."""
    from assay.cli.difference_view import show_what_if
    from assay.wiring.what_if import read_changes, what_if

    style = {name: given.pop(name) for name in ("citation_style", "references") if name in given}
    if style:
        raise UsageError("a difference has no citation style", hint="leave out --citation-style and --references")
    found = what_if(run, read_changes(changes), live=live, **given)
    if as_json:
        terminal.object(found.to_dict())
    else:
        show_what_if(found, terminal)
    raise typer.Exit(exits.of_answer(found.answer))


@takes(*THE_RECORD)
def report(
    terminal: Terminal,
    run: OneRun = "last",
    *,
    given: Given,
    out: Out = None,
    force: Force = False,
) -> None:
    """Write a run as an HTML page.

    The page has the answer, its claims, sources, checks and steps, and what the answer loses without each source.
    It loads nothing and runs no scripts, so you can archive it or send it.

    \b
    assay report last
    assay report 01K9 --out audit.html
    """
    from assay.records.report import report as page_of
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    with opened_record(load_settings(given).settings) as records:
        record = records.load(run)
    target = Path(f"assay-{record.run.run_id}.html") if out is None else out
    if target.is_dir():
        raise UsageError(f"{target} is a folder", hint="name the file to write with --out")
    if os.path.lexists(target) and not force:
        raise UsageError(f"{target} already exists", hint="choose another name with --out, or add --force")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="choose another place with --out")
    found = _ablation_or_warning(record, given, terminal)
    try:
        target.write_text(page_of(record.to_dict(), found), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {reason_of(error)}", hint="choose another place") from error
    terminal.line(str(target))


def _ablated(record: RunRecord, given: Given) -> Ablation:
    """The answer of a run with each source left out, by the tests of today; UsageError for a run without one."""
    from assay.wiring import open_checker

    if record.answer is None:
        raise UsageError(
            f"run {record.run.run_id} ended without an answer: there is no source to leave out",
            hint="`assay show` lists the latest runs",
        )
    with open_checker(models=False, **given) as engine:
        return engine.ablate(record.answer)


def _show_ablation(record: RunRecord, given: Given, as_json: bool, terminal: Terminal) -> None:
    found = _ablated(record, given)
    if as_json:
        terminal.object({"run_id": record.run.run_id, **found.to_dict()})
    else:
        show_ablation(found, terminal)


def _ablation_or_warning(record: RunRecord, given: Given, terminal: Terminal) -> dict[str, Any] | None:
    """The ablation for a page; where it cannot be made, a warning says so, and the page is written without it."""
    if record.answer is None or not record.answer["sources"]:
        return None
    try:
        return _ablated(record, given).to_dict()
    except AssayError as error:
        terminal.warn(f"warning: no source was left out: {error}")
        return None


def _show_latest(records: RunRecords, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import run_line
    from assay.records.values import RunQuery

    latest = records.find(RunQuery(limit=_LATEST)).runs
    if as_json:
        terminal.object({"runs": [run.to_dict() for run in latest]})
        return
    for run in latest:
        terminal.line(run_line(run))
    if not latest:
        terminal.note("no runs are recorded yet")


VERBS = (show, replay, report)


def show_ablation(found: Ablation, terminal: Terminal) -> None:
    """Print what falls without each source, then the role of each citation, and the decorative ones last."""
    from assay.core.ablation import describe_falls

    if not found.sources:
        terminal.note("the answer has no sources")
        return
    for source in found.sources:
        terminal.line(f"[{source.number}] {one_line(source.title, 80)}: {describe_falls(source.falls)}")
    for one in found.citations:
        support = "" if one.support is None else f" (support by itself {one.support:.2f})"
        terminal.line(f"  {_claims(one.claims)} [{one.source}]: {one.role.value}, {one.reason}{support}")
    if found.untested:
        terminal.note(f"not supported by today's tests, so nothing can fail: {_claims(found.untested)}")
    count = len(found.decorative)
    if count:
        terminal.note(f"{count} decorative citation{'' if count == 1 else 's'}")


def _claims(numbers: Sequence[int]) -> str:
    """The numbers of some claims.

    >>> _claims((1,)), _claims((1, 2))
    ('claim 1', 'claims 1, 2')
    """
    return f"claim{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"
