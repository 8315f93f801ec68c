"""The overall score, the pass and the weakest criterion follow from the scores, whatever they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.assessment.scoring import assessed, chosen, weakest
from assay.core.profiles import QualityThreshold
from assay.errors import UsageError
from assay.types import Criterion, CriterionScore

SCORES = st.lists(
    st.tuples(st.sampled_from(list(Criterion)), st.none() | st.floats(0, 1)),
    min_size=1,
    max_size=6,
    unique_by=lambda e: e[0],
).map(lambda pairs: [CriterionScore(*pair) for pair in pairs])


@given(SCORES)
def test_one_unknown_criterion_makes_the_whole_unknown(scores: list[CriterionScore]):
    made = assessed(scores, "h")
    unknown = any(each.score is None for each in scores)
    assert (made.overall is None) == (made.passed is None) == unknown
    assert made.scores == tuple(scores)


@given(SCORES, st.floats(0, 1), st.floats(0, 1))
def test_only_what_reaches_both_bars_passes(scores: list[CriterionScore], quality: float, floor: float):
    made = assessed(scores, "h", QualityThreshold(quality, floor))
    assert (made.bar, made.floor) == (quality, floor)
    known = [each.score for each in scores if each.score is not None]
    if made.overall is not None:
        assert min(known) - 1e-9 <= made.overall <= max(known) + 1e-9
        assert made.passed == (made.overall >= quality and all(score >= floor for score in known))


@given(SCORES)
def test_the_weakest_has_the_lowest_score_and_is_not_perfect(scores: list[CriterionScore]):
    known = [each for each in scores if each.score is not None]
    found = weakest(scores)
    if found is None:
        assert all(each.score == 1 for each in known)
    else:
        its = next(each.score for each in known if each.criterion is found)
        assert its == min(each.score for each in known) < 1


def test_a_perfect_answer_has_no_weakest_criterion():
    assert assessed([CriterionScore(each, 1.0) for each in Criterion], "h").weakest is None


def test_nothing_known_is_not_passed():
    assert assessed([CriterionScore(Criterion.ACCURACY, None)], "h").passed is None
    assert assessed([], "h").passed is None


@pytest.mark.parametrize("criteria", [["charm"], [], ["accuracy", "Accuracy"]])
def test_other_criteria_are_refused(criteria: list[str]):
    with pytest.raises(UsageError) as refused:
        chosen(criteria)
    assert "user_alignment" in refused.value.hint
