"""calibrate: a collection's own calibration, from labelled answers, or a checker's; and back to an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.calibrate_checker import calibrate_checker
from assay.cli.flags import FOR_EMBEDDING, THE_COLLECTION, Given, takes
from assay.cli.options import AsJson, GroupedCommand, Quiet, Verbose, terminal_of
from assay.cli.review import By, login
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.calibration.fit import Measured
    from assay.evals.labels_file import Labelled
    from assay.record.labels import Labels

LabelsFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="LABELS.jsonl", help='Labels of runs, one JSON object per line: {"id", "label": true or false}.'
    ),
]
FromRecord = Annotated[bool, typer.Option("--labelled", help="Use the labels stored by `assay label`.")]
Claims = Annotated[
    Path | None,
    typer.Option(
        "--claims",
        metavar="CLAIMS.jsonl",
        help='Labelled claims, to fit a checker to: {"claim", "evidence": a text or a list of texts, "label": '
        "supported, contradicted or unsupported} a line.",
    ),
]
Use = Annotated[
    int | None,
    typer.Option(
        "--use",
        metavar="N",
        min=0,
        help="Switch to calibration N, or to a checker's policy N; 0 is what came first.",
    ),
]


def register(app: typer.Typer) -> None:
    """Give the program this verb."""
    app.command(cls=GroupedCommand)(calibrate)


@takes(*THE_COLLECTION, *FOR_EMBEDDING, "checker")
def calibrate(
    ctx: typer.Context,
    file: LabelsFile = None,
    *,
    given: Given,
    labelled: FromRecord = False,
    claims: Claims = None,
    use: Use = None,
    by: By = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Fit the confidence of answers, or a checker, to labels, and use the fit from now on.

    Answers: prints the error before and after, both measured on labels that the fit did not see. It takes at least
    20 labels, 5 of them right and 5 wrong. Every calibration of a collection is kept; without a file, they are
    listed.

    With --claims, a checker of the hub or of your own (--checker) is fitted: only then may it call claims
    supported. Prints what its verdicts reach on claims that the fit did not see. It takes at least 38 claims that
    are supported and 76 that are not. With --checker alone, its policies are listed.

    \b
    assay calibrate labels.jsonl -c manual
    assay calibrate --labelled
    assay calibrate --use 0
    assay calibrate --claims claims.jsonl --checker hf:ORG/NAME@REVISION
    """
    from assay.clock import SystemClock
    from assay.record.labels import Labels
    from assay.record.runs import RunStore
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    if sum((file is not None, labelled, claims is not None, use is not None)) > 1:
        raise UsageError("a file, --labelled, --claims and --use exclude one another", hint="give one of them")
    settings = load_settings(given).settings
    who = (by or login()).strip() or "unknown"
    if claims is not None or "checker" in given:
        if file is not None or labelled:
            raise UsageError(
                "a checker is fitted to claims, not to answers", hint="give them: --claims CLAIMS.jsonl --checker …"
            )
        calibrate_checker(settings, terminal, claims=claims, use=use, by=who, as_json=as_json)
        return
    labels = Labels(RunStore(settings.runs_file, settings.collection))
    at = SystemClock().time()
    if use is not None:
        labels.use(settings.collection, use, at=at, by=who)
        terminal.note(f"collection {settings.collection} uses calibration {use}")
    elif file is None and not labelled:
        _list(labels, settings.collection, as_json, terminal)
    else:
        from assay.build import open_embedder
        from assay.evals.recalibrate import recalibrated

        rows = _from_record(labels, settings.collection) if file is None else _from_file(file)
        found = recalibrated(labels, settings.collection, rows, open_embedder(settings).model.sha256)
        before = labels.in_force(settings.collection).version
        made = labels.keep(settings.collection, found.fit, at=at, by=who)
        if as_json:
            after = found.fit.measured
            error = None if found.before is None else found.before.to_dict()
            terminal.object({"version": made.version, "before": error, "after": after.to_dict()})
        else:
            terminal.line(f"calibration {made.version}, fitted on {found.fit.data}")
            terminal.line(f"before  {_told(found.before)}")
            terminal.line(f"after   {_told(found.fit.measured)}")
            terminal.note(f"to go back: assay calibrate --use {before} -c {settings.collection}")
    labels.store.close()


def _from_file(file: Path) -> tuple[Labelled, ...]:
    from assay.evals.labels_file import labelled

    return labelled(file)


def _from_record(labels: Labels, collection: str) -> tuple[Labelled, ...]:
    """The labels of whole answers of the collection."""
    from assay.evals.labels_file import Labelled, enough
    from assay.record.labels import WHOLE

    whole = [each for each in labels.holding() if each.claim == WHOLE]
    own = [each for each in whole if labels.store.load(each.run_id).run.collection == collection]
    return enough("the record", [Labelled(each.version, each.run_id, each.good) for each in own])


def _list(labels: Labels, collection: str, as_json: bool, terminal: Terminal) -> None:
    """The shipped calibration and the collection's own, the one in use marked."""
    from assay.calibration.shipped import shipped

    now = labels.in_force(collection).version
    fits = [(0, "assay", shipped()["answers"])]
    fits += [(each.version, each.by, each.fit) for each in labels.calibrations(collection)]
    if as_json:
        listed = [
            {"version": version, "by": who, "in_use": version == now, "data": fit.data, **fit.measured.to_dict()}
            for version, who, fit in fits
        ]
        terminal.object({"collection": collection, "calibrations": listed})
        return
    for version, who, fit in fits:
        mark = "*" if version == now else " "
        terminal.line(f"{mark} {version}  {_told(fit.measured)}, on {fit.data}, by {one_line(who, 80)}")


def _told(error: Measured | None) -> str:
    if error is None:
        return "uncalibrated: what was in force is for other models"
    return f"ECE {error.ece:.3f}, Brier score {error.brier:.3f}, n = {error.n}"
