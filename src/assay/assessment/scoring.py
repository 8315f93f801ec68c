"""From the scores of single criteria to an assessment: computed in code, never judged. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from assay.assessment.rubrics import RubricSet, Strategy, shipped_rubrics
from assay.core.profiles import QualityThreshold
from assay.errors import UsageError
from assay.types import Assessment, Criterion, CriterionScore, Finding, Severity

ALL_CRITERIA = tuple(Criterion)


def assessed(
    scores: Sequence[CriterionScore], rubric: str, threshold: QualityThreshold = QualityThreshold()
) -> Assessment:
    """The assessment that these scores make; `rubric` is the hash of the rubrics they were judged by.

    The overall score is their plain mean: criteria are chosen, not weighed. A floor in each keeps a good style from
    making up for a wrong statement. If one is unknown, so are the overall score and whether it passes.

    >>> from assay.types import CriterionScore
    >>> high, low = CriterionScore(Criterion.ACCURACY, 1.0), CriterionScore(Criterion.RELEVANCE, 0.45)
    >>> made = assessed([high, low], "")
    >>> made.overall, made.passed, made.weakest.value
    (0.725, False, 'relevance')
    >>> assessed([high, CriterionScore(Criterion.RELEVANCE, None)], "").passed is None
    True
    """
    known = [score.score for score in scores if score.score is not None]
    is_complete = bool(known) and len(known) == len(scores)
    overall = fmean(known) if is_complete else None
    passed = overall >= threshold.quality and min(known) >= threshold.floor if overall is not None else None
    return Assessment(tuple(scores), overall, passed, rubric, weakest(scores), threshold.quality, threshold.floor)


def weakest(scores: Sequence[CriterionScore]) -> Criterion | None:
    """The criterion with the lowest score below 1, the first of several; None if there is none."""
    short = [(score.score, at) for at, score in enumerate(scores) if score.score is not None and score.score < 1]
    return scores[min(short)[1]].criterion if short else None


def chosen(criteria: Sequence[str | Criterion]) -> tuple[Criterion, ...]:
    """The criteria of those names, each once. Raises UsageError for another name, and for none at all.

    >>> chosen(["relevance", "accuracy", "relevance"])
    (<Criterion.RELEVANCE: 'relevance'>, <Criterion.ACCURACY: 'accuracy'>)
    """
    known = [criterion.value for criterion in Criterion]
    wrong = next((name for name in criteria if name not in known), None)
    if wrong is not None or not criteria:
        what = f"there is no criterion {str(wrong)!r}" if criteria else "an assessment needs at least one criterion"
        raise UsageError(what, hint=f"choose among {', '.join(known)}")
    return tuple(dict.fromkeys(map(Criterion, criteria)))


# From an assessment to advice for the next draft: the strategy of the weakest criterion, with its steps. Pure.


CHECK = "assessment"


@dataclass(frozen=True, slots=True)
class RubricAdviser:
    """Advises on the weakest criterion by the strategy of the rubrics."""

    rubrics: RubricSet = field(default_factory=shipped_rubrics, repr=False)

    def advise(self, assessment: Assessment, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings, and one more if the answer did not pass, which says how to raise the weakest criterion.

        An answer that passed needs none. If a criterion is unknown, the advice is on the weakest known one; if none
        is known there is nothing to advise.
        """
        weak = next((score for score in assessment.scores if score.criterion is assessment.weakest), None)
        if assessment.passed or weak is None:
            return findings
        return (*findings, _finding(weak, self.rubrics.strategy_for(weak.criterion)))


def _finding(weak: CriterionScore, strategy: Strategy) -> Finding:
    """The weakest criterion with its reasons, and the strategy with its steps and an example."""
    quotes = "; ".join(f"“{quote}”" for quote in weak.quotes)
    why = "; ".join(weak.reasons) + (f" ({quotes})" if quotes else "")
    message = f"{weak.criterion.value.replace('_', ' ')} is weak ({weak.score:.2f}): {why}"
    return Finding(CHECK, None, Severity.REPAIR, message, advice_text(strategy, weak.suggestions))


def advice_text(strategy: Strategy, suggestions: tuple[str, ...] = ()) -> str:
    """The strategy on one line: its aim, its steps in order, what was suggested, its examples."""
    steps = " ".join(f"{n}. {step}." for n, step in enumerate(strategy.steps, 1))
    wanted = f" Here: {'; '.join(suggestions)}." if suggestions else ""
    examples = " ".join(
        f"For example “{example.before}” becomes “{example.after}”, because {example.because}."
        for example in strategy.examples
    )
    return f"{strategy.aim} {steps}{wanted} {examples}"
