"""From an assessment to advice for the next draft: the strategy of the weakest criterion, with its steps. Pure."""

from __future__ import annotations

from assay.assess.yardstick import Strategy, Yardstick
from assay.types import Assessment, CriterionScore, Finding, Severity

CHECK = "assessment"


def advice_for(assessment: Assessment, findings: tuple[Finding, ...], yardstick: Yardstick) -> tuple[Finding, ...]:
    """The findings, and where the answer did not pass one more, which says how to raise the weakest criterion.

    An answer that passed needs none. One of which a criterion is unknown is advised on the weakest known one; where
    none is known there is nothing to advise.
    """
    weak = _weakest(assessment)
    if assessment.passed or weak is None:
        return findings
    return (*findings, _finding(weak, yardstick.strategy_for(weak.criterion)))


def _weakest(assessment: Assessment) -> CriterionScore | None:
    return next((each for each in assessment.scores if each.criterion is assessment.weakest), None)


def _finding(weak: CriterionScore, strategy: Strategy) -> Finding:
    """The weakest criterion with its reasons, and the strategy with its steps and an example."""
    quotes = "; ".join(f"“{each}”" for each in weak.quotes)
    why = "; ".join(weak.reasons) + (f" ({quotes})" if quotes else "")
    message = f"{weak.criterion.value.replace('_', ' ')} is weak ({weak.score:.2f}): {why}"
    return Finding(CHECK, None, Severity.REPAIR, message, advice_text(strategy, weak.suggestions))


def advice_text(strategy: Strategy, suggestions: tuple[str, ...] = ()) -> str:
    """The strategy on one line: its aim, its steps in order, what was suggested, its examples."""
    steps = " ".join(f"{n}. {step}." for n, step in enumerate(strategy.steps, 1))
    wanted = f" Here: {'; '.join(suggestions)}." if suggestions else ""
    examples = " ".join(
        f"For example “{each.before}” becomes “{each.after}”, because {each.because}." for each in strategy.examples
    )
    return f"{strategy.aim} {steps}{wanted} {examples}"
