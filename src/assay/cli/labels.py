"""review and label: what people say of answers and claims, stored with name and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import THE_COLLECTION, THE_RECORD, AsJson, Given, one_of_two, takes
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.records.labels import Labels
    from assay.records.run_records import RunRecords
    from assay.records.values import RunRecord
    from assay.types import Label

ReviewedRun = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="Id of a run, its first characters, or last; without it, the waiting runs are listed."
    ),
]
Accept = Annotated[bool, typer.Option("--accept", help="Accept the answer as it is.")]
Reject = Annotated[bool, typer.Option("--reject", help="Reject the answer.")]
Note = Annotated[
    str, typer.Option("--note", metavar="TEXT", help="Your reason, stored with the decision or label.")
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Your name. [default: your login name]")]
LabelledRun = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="Id of a run, its first characters, or last; without it, the labels are listed."
    ),
]
Right = Annotated[bool, typer.Option("--right", help="Label it as right.")]
Wrong = Annotated[bool, typer.Option("--wrong", help="Label it as wrong.")]
ClaimNumber = Annotated[
    int | None, typer.Option("--claim", metavar="N", min=1, help="Label only this claim of the answer.")
]


@takes(*THE_RECORD)
def review(
    terminal: Terminal,
    run: ReviewedRun = None,
    *,
    given: Given,
    accept: Accept = False,
    reject: Reject = False,
    note: Note = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Accept or reject answers that have unrepaired problems.

    Without RUN, the answers waiting for review are listed. A decision also labels the answer: `assay calibrate
    --labelled` learns from it.

    \b
    assay review                                    the waiting answers
    assay review 01JAB                              one of them, from question to answer
    assay review 01JAB --reject --note "old price"  record your decision, with name and time
    """
    from assay.records.labels import Labels
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    decision = one_of_two(accept, reject, "--accept and --reject")
    if decision is None and (note or by is not None):
        raise UsageError("--note and --by need a decision", hint="add --accept or --reject")
    if decision is not None and run is None:
        raise UsageError("--accept and --reject need a run", hint="`assay review` lists the waiting runs")
    with opened_record(load_settings(given).settings) as records:
        if run is None:
            _list_waiting(records, as_json, terminal)
            return
        if decision is not None:
            _decide(Labels(records), run, accept=decision, note=note, by=by, terminal=terminal)
        _show(records.load(run), as_json, decided=decision is not None, terminal=terminal)


@takes(*THE_COLLECTION)
def label(
    terminal: Terminal,
    run: LabelledRun = None,
    *,
    given: Given,
    right: Right = False,
    wrong: Wrong = False,
    claim: ClaimNumber = None,
    note: Note = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Label an answer or one of its claims as right or wrong.

    A label does not change the answer; `assay calibrate --labelled` learns from it. The latest label counts, and
    earlier ones are kept. Without RUN, labels are listed in the format that `assay calibrate` reads.

    \b
    assay label last --right
    assay label 01JAB --wrong --claim 2 --note "the price is from 2023"
    assay label > labels.jsonl
    """
    from assay.core.tape import SystemClock
    from assay.records.labels import WHOLE, Labels
    from assay.settings import load_settings
    from assay.wiring.recording import opened_record

    settings = load_settings(given).settings
    good = one_of_two(right, wrong, "--right and --wrong")
    if run is None:
        if good is not None:
            raise UsageError("a label needs a run", hint="e.g. `assay label last --right`")
        with opened_record(settings) as records:
            _list_labels(Labels(records).current(), as_json, terminal)
        return
    if good is None:
        raise UsageError("the label is missing", hint="add --right or --wrong")
    who = by.strip() if by is not None else login()
    if not who:
        raise UsageError("the name of the labeller is empty", hint="give it with --by NAME")
    with opened_record(settings) as records:
        made = Labels(records).add(run, claim or WHOLE, good=good, at=SystemClock().time(), by=who, note=note)
    if as_json:
        terminal.object(made.to_dict())
    else:
        what = f"claim {claim} of {made.run_id}" if claim else made.run_id
        terminal.note(f"label {made.version}: {what} is {'right' if good else 'wrong'}, says {one_line(who, 80)}")


def _list_waiting(records: RunRecords, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import run_line

    waiting = records.waiting()
    if as_json:
        terminal.object({"waiting": [waiter.to_dict() for waiter in waiting]})
        return
    for waiter in waiting:
        terminal.line(run_line(waiter.run))
        for finding in waiter.findings:
            terminal.line(f"    {one_line(finding, 160)}")
    if not waiting:
        terminal.note("no answers are waiting for review")


def _decide(labels: Labels, run: str, *, accept: bool, note: str, by: str | None, terminal: Terminal) -> None:
    from assay.core.tape import SystemClock
    from assay.types import Decision

    who = by.strip() if by is not None else login()
    if not who:
        raise UsageError("the name of the reviewer is empty", hint="give it with --by NAME")
    decided = labels.decide(run, Decision(SystemClock().time(), who, accept, note))
    terminal.note(f"{'accepted' if accept else 'rejected'} {decided.run_id} as {who}")


def _show(record: RunRecord, as_json: bool, *, decided: bool, terminal: Terminal) -> None:
    """Print the run and its decisions; after a decision, only the decisions."""
    from assay.cli.run_view import moment, show_run

    if as_json:
        terminal.object(record.to_dict())
        return
    if not decided:
        show_run(record, terminal)
    for decision in record.decisions:
        said = f": {one_line(decision.note, 300)}" if decision.note else ""
        verdict = "accepted" if decision.accepted else "rejected"
        terminal.line(f"{verdict} by {one_line(decision.by, 80)}, {moment(decision.at)}{said}")


def login() -> str:
    """The user's login name; empty if the system has none."""
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError):  # a container may run under a user id without a name
        return ""


def _list_labels(labels: tuple[Label, ...], as_json: bool, terminal: Terminal) -> None:
    """Print the valid labels: all in one object, or one line per labelled answer."""
    from assay.records.labels import WHOLE

    if as_json:
        terminal.object({"labels": [label.to_dict() for label in labels]})
        return
    for label in labels:
        if label.claim != WHOLE:
            continue
        said = {"by": label.by, "at": label.at, "note": label.note}
        terminal.object({"id": label.run_id, "label": label.good, **said})
    if not labels:
        terminal.note("there are no labels yet")


VERBS = (review, label)
