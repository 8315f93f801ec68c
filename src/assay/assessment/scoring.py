"""From the scores of single criteria to an assessment: computed in code, never judged. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from assay.assessment.rubrics import Strategy, Yardstick
from assay.core.profiles import QualityThreshold
from assay.errors import UsageError
from assay.types import Assessment, Criterion, CriterionScore, Finding, Severity

ALL_CRITERIA = tuple(Criterion)


def assessed(
    scores: Sequence[CriterionScore], rubric: str, bar: QualityThreshold = QualityThreshold()
) -> Assessment:
    """The assessment that these scores make; `rubric` is the hash of the yardstick they were judged by.

    The overall score is their plain mean: criteria are chosen, not weighed. A floor in each keeps a good style from
    making up for a wrong statement. Where one is unknown, so are the whole and whether it passes.

    >>> from assay.types import CriterionScore
    >>> high, low = CriterionScore(Criterion.ACCURACY, 1.0), CriterionScore(Criterion.RELEVANCE, 0.45)
    >>> made = assessed([high, low], "")
    >>> made.overall, made.passed, made.weakest.value
    (0.725, False, 'relevance')
    >>> assessed([high, CriterionScore(Criterion.RELEVANCE, None)], "").passed is None
    True
    """
    known = [each.score for each in scores if each.score is not None]
    whole = bool(known) and len(known) == len(scores)
    overall = fmean(known) if whole else None
    passed = overall >= bar.quality and min(known) >= bar.floor if overall is not None else None
    return Assessment(tuple(scores), overall, passed, rubric, weakest(scores), bar.quality, bar.floor)


def weakest(scores: Sequence[CriterionScore]) -> Criterion | None:
    """The criterion of the lowest score below 1, the first of several; None where there is none."""
    short = [(each.score, at) for at, each in enumerate(scores) if each.score is not None and each.score < 1]
    return scores[min(short)[1]].criterion if short else None


def chosen(criteria: Sequence[str | Criterion]) -> tuple[Criterion, ...]:
    """The criteria of those names, each once. Raises UsageError for another name, and for none at all.

    >>> chosen(["relevance", "accuracy", "relevance"])
    (<Criterion.RELEVANCE: 'relevance'>, <Criterion.ACCURACY: 'accuracy'>)
    """
    known = [each.value for each in Criterion]
    wrong = next((each for each in criteria if each not in known), None)
    if wrong is not None or not criteria:
        what = f"there is no criterion {str(wrong)!r}" if criteria else "an assessment needs at least one criterion"
        raise UsageError(what, hint=f"choose among {', '.join(known)}")
    return tuple(dict.fromkeys(Criterion(each) for each in criteria))


# From an assessment to advice for the next draft: the strategy of the weakest criterion, with its steps. Pure.


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
