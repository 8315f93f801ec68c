"""calibrate --claims: what a checker's verdicts settle, from labelled claims; and back to an earlier policy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.bar import Bar
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.evals.checker_fit import CheckerFit
    from assay.models.classifier_checker import ClassifierChecker
    from assay.record.policies import CheckerPolicies
    from assay.settings import Settings


def calibrate_checker(
    settings: Settings, terminal: Terminal, *, claims: Path | None, use: int | None, by: str, as_json: bool
) -> None:
    """Fit the checker to the labelled `claims`, or switch to its policy `use`, or list its policies."""
    from assay.build.checking import open_to_fit
    from assay.build.paths import policies_of
    from assay.clock import SystemClock

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

    from assay.build import open_embedder
    from assay.evals.checker_fit import fitted_checker
    from assay.evals.labelled_claims import labelled_claims
    from assay.models.remember import RememberingEmbedder

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
    from assay.record.policies import OWN

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
    from assay.record.policies import OWN

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
