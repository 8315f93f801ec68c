"""runs list, delete, prune: which runs are recorded, and for how long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.documents import DryRun
from assay.cli.figures import Since, seconds_of
from assay.cli.flags import THE_COLLECTION, THE_RECORD, AsJson, Given, takes
from assay.cli.terminal import Terminal, first_of_each, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.types import RunSummary

Outcome = Annotated[
    str,
    typer.Option(
        "--outcome",
        metavar="OUTCOME",
        help="Only runs with this outcome: answered, partial, clarify, abstained, error.",
    ),
]
Words = Annotated[
    str, typer.Option("--text", metavar="WORDS", help="Only runs whose question contains these words.")
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Number of runs to list.")]
Before = Annotated[
    str, typer.Option("--before", metavar="PLACE", help="Continue from here, as printed by the previous list.")
]
Runs = Annotated[
    list[str] | None, typer.Argument(metavar="RUN...", help="Ids of runs, their first characters, or last.")
]
OfDocument = Annotated[
    str, typer.Option("--document", metavar="ID", help="Delete every run that found or cites this document.")
]
Everything = Annotated[
    bool, typer.Option("--all", help="Delete every run of the data folder, and the calibrations made from them.")
]
Age = Annotated[str, typer.Option("--older-than", metavar="AGE", help="Age of the runs to delete: 90d, 36h.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

_AGE = re.compile(r"(\d{1,6})([dh])")
_SECONDS = {"d": 86400.0, "h": 3600.0}
_OUTCOMES = ("answered", "partial", "clarify", "abstained", "error")


@takes(*THE_COLLECTION)
def list_(
    terminal: Terminal,
    *,
    given: Given,
    outcome: Outcome = "",
    text: Words = "",
    since: Since = None,
    limit: Limit = 50,
    before: Before = "",
    as_json: AsJson = False,
) -> None:
    """List recorded runs, newest first.

    Without --collection, runs of all collections are listed.

    \b
    assay runs list --outcome abstained --since 2026-01-31
    assay runs list --text price --json
    """
    from assay.cli.run_view import run_line
    from assay.records.values import RunQuery
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    if outcome and outcome not in _OUTCOMES:
        raise UsageError(f"there is no outcome {outcome!r}", hint=f"one of {', '.join(_OUTCOMES)}")
    query = RunQuery(
        collection=given.get("collection"),
        outcome=outcome,
        text=text,
        since=None if since is None else seconds_of(since),
        before=before,
        limit=limit,
    )
    with opened_record(load_settings(given).settings) as records:
        page = records.find(query)
    if as_json:
        terminal.object(page.to_dict())
        return
    for run in page.runs:
        terminal.line(run_line(run))
    if not page.runs:
        terminal.note("no matching runs are recorded")
    if page.next is not None:
        terminal.note(f"there are more: --before {page.next}")


@takes(*THE_RECORD)
def delete(
    terminal: Terminal,
    runs: Runs = None,
    *,
    given: Given,
    document: OfDocument = "",
    everything: Everything = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Delete recorded runs with their events, tapes, figures, labels and decisions.

    A claim's stored verdict is deleted with the last run that used it. Deleted data is overwritten on the disk.
    Documents are kept.

    \b
    assay runs delete 01K9
    assay runs delete --document report.pdf --dry-run
    assay runs delete --all --yes --data-dir /srv/assay/tenants/acme
    """
    from assay.records.deletion import delete_all_runs, delete_runs, runs_of
    from assay.records.values import RunQuery
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    if sum((bool(runs), bool(document), everything)) != 1:
        raise UsageError("it is not clear which runs to delete", hint="name runs, or give --document ID, or --all")
    settings = load_settings(given).settings
    with opened_record(settings) as records:
        if everything:
            chosen = runs_of(records, RunQuery())
        elif document:
            chosen = [records.load(run_id).run for run_id in records.runs_with_document(document)]
        else:
            chosen = list({run.run_id: run for run in (records.load(name).run for name in runs or ())}.values())
        if dry_run or (not chosen and not everything):
            _tell(chosen, 0, dry_run, as_json, terminal)
            return
        _confirm(chosen, yes, terminal)
        if everything:
            deleted = delete_all_runs(records, settings.data_dir)
        else:
            deleted = delete_runs(records, settings.data_dir, [run.run_id for run in chosen])
    _tell(chosen, deleted.runs, False, as_json, terminal, wiped=deleted.wiped)


@takes(*THE_COLLECTION)
def prune(
    terminal: Terminal,
    *,
    given: Given,
    older_than: Age,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Delete runs that are older than some days or hours.

    Without --collection, runs of all collections are deleted. `assay runs delete --help` says what is deleted with
    a run.

    \b
    assay runs prune --older-than 90d --dry-run
    assay runs prune --older-than 90d --yes     as a daily job
    """
    import time

    from assay.records.deletion import delete_runs, runs_of
    from assay.records.values import RunQuery
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    found = _AGE.fullmatch(older_than.strip())
    if found is None:
        raise UsageError(f"{older_than!r} is not an age", hint="give days or hours, e.g. 90d or 36h")
    until = time.time() - int(found[1]) * _SECONDS[found[2]]
    settings = load_settings(given).settings
    query = RunQuery(collection=given.get("collection"), until=until)
    with opened_record(settings) as records:
        chosen = runs_of(records, query)
        if dry_run or not chosen:
            _tell(chosen, 0, dry_run, as_json, terminal)
            return
        _confirm(chosen, yes, terminal)
        deleted = delete_runs(records, settings.data_dir, [run.run_id for run in chosen])
    _tell(chosen, deleted.runs, False, as_json, terminal, wiped=deleted.wiped)


def _confirm(chosen: list[RunSummary], yes: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import run_line

    if yes:
        return
    if not terminal.input.isatty():
        raise UsageError("deleting needs confirmation, but there is no terminal to ask on", hint="add --yes")
    shown = first_of_each(chosen, lambda _run: "runs")
    for line in (*map(run_line, shown.first), *shown.left_out()):
        terminal.note(line)
    what = "this run" if len(chosen) == 1 else f"these {len(chosen):,} runs"
    typer.confirm(f"delete {what} for good?", abort=True, err=True)


def _tell(
    chosen: list[RunSummary], deleted: int, dry_run: bool, as_json: bool, terminal: Terminal, *, wiped: bool = True
) -> None:
    ids = [run.run_id for run in chosen]
    if as_json:
        body: dict[str, Any] = {"deleted": deleted, "runs": ids, "dry_run": dry_run, "wiped": wiped}
        terminal.object(body)
        return
    for run in first_of_each(chosen, lambda _run: "runs").first:
        terminal.line(f"{'would delete' if dry_run else 'deleted'} {run.run_id}  {one_line(run.question, 80)}")
    count = len(chosen) if dry_run else deleted
    terminal.note(f"{count:,} run{'' if count == 1 else 's'} {'would be deleted' if dry_run else 'deleted'}")
    if not wiped:
        terminal.warn(
            "warning: bytes of deleted data may stay on the disk: in a database until it reuses their space "
            "again, else until the next deletion, since another process reads the record"
        )


VERBS = (list_, delete, prune)
