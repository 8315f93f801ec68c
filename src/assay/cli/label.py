"""label: what people say of answers and their claims, kept with who said it and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import (
    THE_COLLECTION,
    AsJson,
    Given,
    GroupedCommand,
    Quiet,
    Verbose,
    one_of_two,
    takes,
    terminal_of,
)
from assay.cli.review import By, login
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.records.labels import Label

RunName = Annotated[
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
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Reason, stored with the label.")]


def register(app: typer.Typer) -> None:
    """Give the program this verb."""
    app.command(cls=GroupedCommand)(label)


@takes(*THE_COLLECTION)
def label(
    ctx: typer.Context,
    run: RunName = None,
    *,
    given: Given,
    right: Right = False,
    wrong: Wrong = False,
    claim: ClaimNumber = None,
    note: Note = "",
    by: By = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Label an answer or one of its claims as right or wrong; `assay calibrate --labelled` learns from it.

    A label does not change the answer. The latest label counts; earlier ones are kept. Without RUN, labels are
    listed in the format that `assay calibrate` reads.

    \b
    assay label last --right
    assay label 01JAB --wrong --claim 2 --note "the price is of 2023"
    assay label > labels.jsonl
    """
    from assay.core.tape import SystemClock
    from assay.records.labels import WHOLE, Labels
    from assay.records.runs import RunStore
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    settings = load_settings(given).settings
    labels = Labels(RunStore(settings.runs_file))
    good = one_of_two(right, wrong, "--right and --wrong")
    if run is None:
        if good is not None:
            raise UsageError("a label needs its run", hint="e.g. `assay label last --right`")
        _list(labels.current(), as_json, terminal)
        return
    if good is None:
        raise UsageError("the label is missing: is it right or wrong?", hint="add --right or --wrong")
    who = by.strip() if by is not None else login()
    if not who:
        raise UsageError("nobody is named", hint="name the labeller with --by NAME")
    made = labels.add(run, claim or WHOLE, good=good, at=SystemClock().time(), by=who, note=note)
    labels.store.close()
    if as_json:
        terminal.object(made.to_dict())
    else:
        what = f"claim {claim} of {made.run_id}" if claim else made.run_id
        terminal.note(f"label {made.version}: {what} is {'right' if good else 'wrong'}, says {one_line(who, 80)}")


def _list(labels: tuple[Label, ...], as_json: bool, terminal: Terminal) -> None:
    """The labels that hold: all in one object, or a line for each whole answer."""
    from assay.records.labels import WHOLE

    if as_json:
        terminal.object({"labels": [each.to_dict() for each in labels]})
        return
    for each in labels:
        if each.claim != WHOLE:
            continue
        said = {"by": each.by, "at": each.at, "note": each.note}
        terminal.object({"id": each.run_id, "label": each.good, **said})
    if not labels:
        terminal.note("there are no labels yet")
