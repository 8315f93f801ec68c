"""calibrate: fit a collection's confidence, or a checker, to labels, or switch to an earlier fit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import (
    FOR_EMBEDDING,
    THE_COLLECTION,
    AsJson,
    Given,
    takes,
)
from assay.cli.labels import By, login
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.calibration.fit import Measured
    from assay.evals.checker_fit import CheckerFit
    from assay.evals.labels_file import Labelled, LabelledClaim
    from assay.models.checker import ClassifierChecker
    from assay.records.labels import Labels
    from assay.records.policies import CheckerPolicies
    from assay.settings import Settings


# --- calibrate --claims: a checker's policy -------------------------------------------------------------


def calibrate_checker(
    settings: Settings,
    terminal: Terminal,
    *,
    claims: Callable[[], Sequence[LabelledClaim]] | None,
    use: int | None,
    by: str,
    as_json: bool,
) -> None:
    """Fit the checker to what `claims` reads, or switch to its policy `use`, or list its policies."""
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
            found = _fitted(settings, checker, claims(), terminal)
            _keep(settings, policies, found, as_json, terminal, at=at, by=by)
    finally:
        checker.close()


def _fitted(
    settings: Settings, checker: ClassifierChecker, rows: Sequence[LabelledClaim], terminal: Terminal
) -> CheckerFit:
    import asyncio

    from assay.evals.checker_fit import fit_checker
    from assay.models.caching import CachingEmbedder
    from assay.wiring import open_embedder

    async def fitting() -> CheckerFit:
        embedder = open_embedder(settings)
        try:
            with ProgressBar(terminal, "claims", len(rows)) as bar:
                return await fit_checker(rows, checker, CachingEmbedder(embedder), bar.advance)
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
    """Store the policy, switch to it, and print its accuracy."""
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
        (f"false claims called supported ({passed})", [_of(side.passed, side.false) for side in sides]),
        (f"true claims flagged ({flagged})", [_of(side.flagged, side.true) for side in sides]),
        ("true claims called supported", [_of(side.supported, side.true) for side in sides]),
        ("false claims flagged", [_of(side.caught, side.false) for side in sides]),
        ("called contradicted, and labelled so", [_of(side.rightly, side.contradicted) for side in sides]),
        ("AUROC of the support", ["–" if side.auroc is None else f"{side.auroc:.3f}" for side in sides]),
    ):
        terminal.line(f"{name:46}" + "".join(f"{cell:>20}" for cell in cells))
    if made.policy.contradicted is None:
        terminal.note(
            f"the policy calls nothing contradicted: that takes at least {AIMS.fewest_contradicted} flagged claims "
            f"that the checker finds contradicted, and {AIMS.precision:.0%} of them to be so (at 90% confidence)"
        )
    version = OWN if before is None else before.version
    terminal.note(f"to undo: assay calibrate --checker {shlex.quote(settings.checker)} --use {version}")


def _list(
    settings: Settings, policies: CheckerPolicies, checker: ClassifierChecker, as_json: bool, terminal: Terminal
) -> None:
    """Print the model's own policy and the fitted ones, with a mark at the one in use."""
    from assay.calibration.shipped import weights_behind
    from assay.records.policies import OWN

    now = policies.in_use()
    version = OWN if now is None else now.version
    if as_json:
        listed = [{**policy.to_dict(), "in_use": policy.version == version} for policy in policies.all()]
        own = {"version": OWN, "fitted": checker.model.policy is not None, "in_use": version == OWN}
        terminal.object({"checker": settings.checker, "policies": [own, *listed]})
        return
    own_told = "the policy in the model's folder" if checker.model.policy is not None else "not fitted"
    terminal.line(f"{'*' if version == OWN else ' '} {OWN}  {own_told}")
    for policy in policies.all():
        mark = "*" if policy.version == version else " "
        stale = (
            "" if policy.weights == weights_behind("claims") else "; made by another version of assay: fit it again"
        )
        terminal.line(f"{mark} {policy.version}  {one_line(policy.data)}, by {one_line(policy.by, 80)}{stale}")


def _of(part: int, whole: int) -> str:
    """A part of a total, with its share.

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
FromRecord = Annotated[
    bool,
    typer.Option("--labelled", help="Use the labels stored by `assay label`; with --checker, those of claims."),
]
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


@takes(*THE_COLLECTION, *FOR_EMBEDDING, "checker")
def calibrate(
    terminal: Terminal,
    file: LabelsFile = None,
    *,
    given: Given,
    labelled: FromRecord = False,
    claims: Claims = None,
    use: Use = None,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Fit the confidence of answers, or a checker, to labels.

    The fit is used from now on. For answers, the error before and after is printed, both measured on labels not
    used in the fit. At least 20 labels are needed, 5 right and 5 wrong. Every calibration of a collection is kept;
    without a file, they are listed.

    With --claims, a checker from the hub or your own (--checker) is fitted; only then can it call claims supported.
    With --labelled instead, the claims are those labelled by `assay label --claim`. The accuracy on claims not used
    in the fit is printed. At least 38 supported and 76 other claims are needed. With --checker alone, its policies
    are listed.

    \b
    assay calibrate labels.jsonl -c manual
    assay calibrate --labelled
    assay calibrate --use 0
    assay calibrate --claims claims.jsonl --checker hf:ORG/NAME@REVISION
    """
    from assay.core.tape import SystemClock
    from assay.records.labels import Labels
    from assay.settings import load_settings
    from assay.wiring.recording import open_record

    if sum((file is not None, labelled, claims is not None, use is not None)) > 1:
        raise UsageError("a file, --labelled, --claims and --use cannot be used together", hint="give one of them")
    settings = load_settings(given).settings
    who = (by or login()).strip() or "unknown"
    if claims is not None or "checker" in given:
        if file is not None:
            raise UsageError(
                "a checker is fitted to claims, not answers",
                hint="give them: --claims CLAIMS.jsonl --checker …, or --labelled --checker …",
            )
        to_fit = _claims_to_fit(settings, claims, labelled)
        calibrate_checker(settings, terminal, claims=to_fit, use=use, by=who, as_json=as_json)
        return
    labels = Labels(open_record(settings, settings.collection))
    at = SystemClock().time()
    if use is not None:
        labels.use(settings.collection, use, at=at, by=who)
        terminal.note(f"collection {settings.collection} uses calibration {use}")
    elif file is None and not labelled:
        _list_fits(labels, settings.collection, as_json, terminal)
    else:
        from assay.evals.recalibrate import recalibrate
        from assay.wiring import open_embedder

        rows = _from_record(labels, settings.collection) if file is None else _from_file(file)
        found = recalibrate(labels, settings.collection, rows, open_embedder(settings).model.sha256)
        before = labels.store.calibration_in_use(settings.collection).version
        made = labels.store.add_calibration(settings.collection, found.fit, at=at, by=who)
        if as_json:
            after = found.fit.measured
            error = None if found.before is None else found.before.to_dict()
            terminal.object({"version": made.version, "before": error, "after": after.to_dict()})
        else:
            terminal.line(f"calibration {made.version}, fitted on {found.fit.data}")
            terminal.line(f"before  {_told(found.before)}")
            terminal.line(f"after   {_told(found.fit.measured)}")
            terminal.note(f"to undo: assay calibrate --use {before} -c {settings.collection}")
    labels.store.close()


def _claims_to_fit(
    settings: Settings, file: Path | None, labelled: bool
) -> Callable[[], Sequence[LabelledClaim]] | None:
    """A function that reads the labelled claims, from a file or from the record; None where none are named."""
    from assay.evals.labels_file import read_labelled_claims, recorded_claims
    from assay.records.labels import Labels
    from assay.wiring.recording import opened_record

    if file is not None:
        return lambda: read_labelled_claims(file)
    if not labelled:
        return None

    def recorded() -> Sequence[LabelledClaim]:
        with opened_record(settings, settings.collection) as records:
            return recorded_claims(Labels(records), settings.collection)

    return recorded


def _from_file(file: Path) -> tuple[Labelled, ...]:
    from assay.evals.labels_file import read_labels

    return read_labels(file)


def _from_record(labels: Labels, collection: str) -> tuple[Labelled, ...]:
    """The labels of answers of the collection, without those of claims."""
    from assay.evals.labels_file import Labelled, require_enough
    from assay.records.labels import WHOLE

    whole = [label for label in labels.current() if label.claim == WHOLE]
    own = [label for label in whole if labels.store.load(label.run_id).run.collection == collection]
    return require_enough("the record", [Labelled(label.version, label.run_id, label.good) for label in own])


def _list_fits(labels: Labels, collection: str, as_json: bool, terminal: Terminal) -> None:
    """Print the shipped calibration and the collection's own, with a mark at the one in use."""
    from assay.calibration.shipped import shipped

    now = labels.store.calibration_in_use(collection).version
    fits = [(0, "assay", shipped()["answers"])]
    fits += [(made.version, made.by, made.fit) for made in labels.store.calibrations(collection)]
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
        return "uncalibrated: the calibration in use is for other models"
    return f"ECE {error.ece:.3f}, Brier score {error.brier:.3f}, n = {error.n}"


VERBS = (calibrate,)
