"""calibrate: a collection's own calibration, from labelled answers, or a checker's; and back to an earlier one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.bar import Bar
from assay.cli.flags import (
    FOR_EMBEDDING,
    THE_COLLECTION,
    AsJson,
    Given,
    GroupedCommand,
    Quiet,
    Verbose,
    takes,
    terminal_of,
)
from assay.cli.review import By, login
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.calibration.fit import Measured
    from assay.evals.checker_fit import CheckerFit
    from assay.evals.labels_file import Labelled
    from assay.models.checker import ClassifierChecker
    from assay.records.labels import Labels
    from assay.records.policies import CheckerPolicies
    from assay.settings import Settings


# calibrate --claims: what a checker's verdicts settle, from labelled claims; and back to an earlier policy.


def calibrate_checker(
    settings: Settings, terminal: Terminal, *, claims: Path | None, use: int | None, by: str, as_json: bool
) -> None:
    """Fit the checker to the labelled `claims`, or switch to its policy `use`, or list its policies."""
    from assay.core.tape import SystemClock
    from assay.wiring.networks import open_to_fit
    from assay.wiring.paths import policies_of

    checker = open_to_fit(settings)
    try:
        policies, at = policies_of(checker.model.sha256, settings), SystemClock().time()
        if use is not None:
            policies.use(use, at=at, by=by)
            terminal.note(f"{one_line(settings.checker)} uses policy {use}")
        elif claims is None:
            _list(settings, policies, checker, as_json, terminal)
        else:
            found = _fitted(settings, checker, claims, terminal)
            _keep(settings, policies, found, as_json, terminal, at=at, by=by)
    finally:
        checker.close()


def _fitted(settings: Settings, checker: ClassifierChecker, claims: Path, terminal: Terminal) -> CheckerFit:
    import asyncio

    from assay.evals.checker_fit import fitted_checker
    from assay.evals.labels_file import labelled_claims
    from assay.models.remember import RememberingEmbedder
    from assay.wiring import open_embedder

    rows = labelled_claims(claims)

    async def fitting() -> CheckerFit:
        embedder = open_embedder(settings)
        try:
            with Bar(terminal, "claims", len(rows)) as bar:
                return await fitted_checker(rows, checker, RememberingEmbedder(embedder), bar.advance)
        finally:
            await embedder.aclose()

    return asyncio.run(fitting())


def _keep(
    settings: Settings,
    policies: CheckerPolicies,
    found: CheckerFit,
    as_json: bool,
    terminal: Terminal,
    *,
    at: float,
    by: str,
) -> None:
    """Use the policy from now on, and say what it reaches."""
    from assay.calibration.shipped import weights_behind
    from assay.evals.checker_fit import AIMS
    from assay.records.policies import OWN

    before = policies.in_use()
    reached = found.reached.to_dict()
    made = policies.keep(
        found.policy, data=found.data, weights=weights_behind("claims"), reached=reached, at=at, by=by
    )
    if as_json:
        told = {"version": made.version, "before": found.alone.to_dict(), "after": reached}
        terminal.object({**told, "policy": made.to_dict()["policy"]})
        return
    terminal.line(f"policy {made.version}, fitted on {found.data}")
    terminal.line(f"{'on claims that the fit did not see':46}{'with it':>20}{'rules alone':>20}")
    passed, flagged = (f"at most {share:.0%}" for share in (AIMS.passed, AIMS.flagged))
    sides = (found.reached, found.alone)
    for name, cells in (
        (f"false claims called supported ({passed})", [_of(each.passed, each.false) for each in sides]),
        (f"true claims flagged ({flagged})", [_of(each.flagged, each.true) for each in sides]),
        ("true claims called supported", [_of(each.supported, each.true) for each in sides]),
        ("false claims flagged", [_of(each.caught, each.false) for each in sides]),
        ("called contradicted, and so labelled", [_of(each.rightly, each.contradicted) for each in sides]),
        ("AUROC of the support", ["–" if each.auroc is None else f"{each.auroc:.3f}" for each in sides]),
    ):
        terminal.line(f"{name:46}" + "".join(f"{each:>20}" for each in cells))
    if made.policy.contradicted is None:
        terminal.note(
            f"the policy calls nothing contradicted: that takes at least {AIMS.fewest_contradicted} flagged claims "
            f"that the checker finds contradicted, and {AIMS.precision:.0%} of them to be so (at 90% confidence)"
        )
    version = OWN if before is None else before.version
    terminal.note(f"to go back: assay calibrate --checker {shlex.quote(settings.checker)} --use {version}")


def _list(
    settings: Settings, policies: CheckerPolicies, checker: ClassifierChecker, as_json: bool, terminal: Terminal
) -> None:
    """What comes with the model, and the policies fitted, the one in use marked."""
    from assay.calibration.shipped import weights_behind
    from assay.records.policies import OWN

    now = policies.in_use()
    version = OWN if now is None else now.version
    if as_json:
        listed = [{**each.to_dict(), "in_use": each.version == version} for each in policies.all()]
        own = {"version": OWN, "fitted": checker.model.policy is not None, "in_use": version == OWN}
        terminal.object({"checker": settings.checker, "policies": [own, *listed]})
        return
    own_told = "the policy in the model's folder" if checker.model.policy is not None else "not fitted"
    terminal.line(f"{'*' if version == OWN else ' '} {OWN}  {own_told}")
    for each in policies.all():
        mark = "*" if each.version == version else " "
        stale = "" if each.weights == weights_behind("claims") else "; of another version of assay: fit again"
        terminal.line(f"{mark} {each.version}  {one_line(each.data)}, by {one_line(each.by, 80)}{stale}")


def _of(part: int, whole: int) -> str:
    """A count of a count, with its share.

    >>> _of(2, 80), _of(0, 0)
    ('2 of 80, 2.5%', '–')
    """
    return f"{part} of {whole}, {part / whole:.1%}" if whole else "–"


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
    from assay.core.tape import SystemClock
    from assay.records.labels import Labels
    from assay.records.runs import RunStore
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
        _list_fits(labels, settings.collection, as_json, terminal)
    else:
        from assay.evals.recalibrate import recalibrated
        from assay.wiring import open_embedder

        rows = _from_record(labels, settings.collection) if file is None else _from_file(file)
        found = recalibrated(labels, settings.collection, rows, open_embedder(settings).model.sha256)
        before = labels.calibration_in_use(settings.collection).version
        made = labels.add_calibration(settings.collection, found.fit, at=at, by=who)
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
    from assay.records.labels import WHOLE

    whole = [each for each in labels.current() if each.claim == WHOLE]
    own = [each for each in whole if labels.store.load(each.run_id).run.collection == collection]
    return enough("the record", [Labelled(each.version, each.run_id, each.good) for each in own])


def _list_fits(labels: Labels, collection: str, as_json: bool, terminal: Terminal) -> None:
    """The shipped calibration and the collection's own, the one in use marked."""
    from assay.calibration.shipped import shipped

    now = labels.calibration_in_use(collection).version
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
