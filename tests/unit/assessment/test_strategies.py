"""Advice follows the weakest criterion, and carries its strategy's steps and examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.assessment.rubrics import shipped_rubrics
from assay.assessment.scoring import CHECK, RubricAdviser, assessed
from assay.types import Criterion, CriterionScore, Finding, Severity

FOUND = (Finding("numbers", 1, Severity.BLOCK, "the source says 5", "use 5"),)
SCORES = st.lists(st.none() | st.floats(0, 1), min_size=6, max_size=6)


def score(criterion: Criterion, value: float | None) -> CriterionScore:
    return CriterionScore(criterion, value, ("too vague",), ("It is old.",), ("say how old",), "rules")


@pytest.mark.parametrize("weak", list(Criterion))
def test_the_weakest_criterion_chooses_the_strategy(weak: Criterion):
    made = assessed([score(each, 0.1 if each is weak else 0.6) for each in Criterion], "h")
    *before, added = RubricAdviser().advise(made, FOUND)
    strategy = shipped_rubrics().strategy_for(weak)
    assert tuple(before) == FOUND
    assert (added.check, added.claim, added.severity) == (CHECK, None, Severity.REPAIR)
    assert added.message == f"{weak.value.replace('_', ' ')} is weak (0.10): too vague (“It is old.”)"
    assert "Here: say how old." in added.advice
    assert added.advice.startswith(strategy.aim)
    assert all(f"{n}. {step}." in added.advice for n, step in enumerate(strategy.steps, 1))
    assert all(each.before in added.advice and each.after in added.advice for each in strategy.examples)
    assert "\n" not in added.message + added.advice


def test_what_passed_needs_no_advice():
    made = assessed([score(each, 0.9) for each in Criterion], "h")
    assert RubricAdviser().advise(made, FOUND) == FOUND


def test_where_nothing_is_known_there_is_nothing_to_advise():
    made = assessed([score(each, None) for each in Criterion], "h")
    assert RubricAdviser().advise(made, FOUND) == FOUND


@given(SCORES)
def test_advice_only_ever_adds_one_finding_on_a_known_criterion(values: list[float | None]):
    made = assessed([score(*each) for each in zip(Criterion, values, strict=True)], "h")
    advice = RubricAdviser().advise(made, FOUND)
    assert advice[: len(FOUND)] == FOUND
    assert len(advice) - len(FOUND) == (made.passed is not True and made.weakest is not None)
