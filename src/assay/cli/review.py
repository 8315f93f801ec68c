"""review: the answers that wait for a person, and what people decide about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import AsJson, Given, one_of_two, takes
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.records.review_queue import ReviewQueue
    from assay.records.runs import RunRecord

RunName = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="Id of a run, its first characters, or last; without it, the waiting runs are listed."
    ),
]
Accept = Annotated[bool, typer.Option("--accept", help="Accept the answer as it is.")]
Reject = Annotated[bool, typer.Option("--reject", help="Reject the answer.")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Reason, stored with the decision.")]
By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Name of the reviewer. [default: your login name]")
]


@takes("data_dir")
def review(
    terminal: Terminal,
    run: RunName = None,
    *,
    given: Given,
    accept: Accept = False,
    reject: Reject = False,
    note: Note = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Review answers that were shown with problems that could not be repaired.

    A decision also labels the answer: `assay calibrate --labelled` learns from it.

    \b
    assay review                                    the waiting answers
    assay review 01JAB                              one of them, from question to answer
    assay review 01JAB --reject --note "old price"  record your decision, with name and time
    """
    from assay.records.review_queue import ReviewQueue
    from assay.records.runs import RunStore
    from assay.settings import load_settings

    decision = one_of_two(accept, reject, "--accept and --reject")
    if decision is None and (note or by is not None):
        raise UsageError("a note belongs to a decision", hint="add --accept or --reject")
    if decision is not None and run is None:
        raise UsageError("a decision needs its run", hint="`assay review` lists the runs that wait")
    queue = ReviewQueue(RunStore(load_settings(given).settings.runs_file))
    if run is None:
        _list(queue, as_json, terminal)
        return
    if decision is not None:
        _decide(queue, run, accept=decision, note=note, by=by, terminal=terminal)
    _show(queue.store.load(run), as_json, decided=decision is not None, terminal=terminal)
    queue.store.close()


def _list(queue: ReviewQueue, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import run_line

    waiting = queue.waiting()
    if as_json:
        terminal.object({"waiting": [waiter.to_dict() for waiter in waiting]})
        return
    for waiter in waiting:
        terminal.line(run_line(waiter.run))
        for finding in waiter.findings:
            terminal.line(f"    {one_line(finding, 160)}")
    if not waiting:
        terminal.note("no answer waits for review")


def _decide(queue: ReviewQueue, run: str, *, accept: bool, note: str, by: str | None, terminal: Terminal) -> None:
    from assay.core.tape import SystemClock
    from assay.records.runs import Decision

    who = by.strip() if by is not None else login()
    if not who:
        raise UsageError("nobody is named", hint="name the reviewer with --by NAME")
    decided = queue.decide(run, Decision(SystemClock().time(), who, accept, note))
    terminal.note(f"{'accepted' if accept else 'rejected'} {decided.run_id} as {who}")


def _show(record: RunRecord, as_json: bool, *, decided: bool, terminal: Terminal) -> None:
    """The run and its decisions; after a decision, the decisions alone."""
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
    """The name of whoever runs the program; empty where the system knows none."""
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError):  # a container may run as a number without a name
        return ""


VERBS = (review,)
