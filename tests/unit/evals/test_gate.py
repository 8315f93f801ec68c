"""The grammar of requirements, and what the gate rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.evals.gate import GatedPairs, Requirement, parse_requirements, require_gateable, rule
from assay.evals.metrics.metric import Metric
from assay.evals.statistics import paired_test


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("groundedness may not fall by more than .01", Requirement("groundedness", "fall", 0.01)),
        ("cost not rise by more than 10 %", Requirement("cost", "rise", 10, "%")),
        ("cost may not rise by more than 10%", Requirement("cost", "rise", 10, "%")),
        ("right  may not\n fall by more than 1.5 points", Requirement("right", "fall", 1.5, "points")),
        ("right may not fall by more than 1 point", Requirement("right", "fall", 1, "points")),
        ("recall@10 May Not Fall", Requirement("recall@10", "fall")),
        ("latency_p95 may not rise by more than 200", Requirement("latency_p95", "rise", 200)),
    ],
)
def test_a_requirement_is_read(text: str, requirement: Requirement):
    assert parse_requirements([text]) == (requirement,)


requirements = st.builds(
    Requirement,
    st.sampled_from(["right", "cost", "recall@10"]),
    st.sampled_from(["fall", "rise"]),
    st.sampled_from([0.0, 0.01, 1.0, 2.5, 10.0]),
    st.just(""),
) | st.builds(
    Requirement, st.just("f1"), st.just("fall"), st.sampled_from([1.0, 2.5]), st.sampled_from(["%", "points"])
)


@given(requirements)
def test_what_is_printed_is_read_again(requirement: Requirement):
    assert parse_requirements([str(requirement)]) == (requirement,)


def test_requirements_are_parted_by_semicolons_and_texts():
    found = parse_requirements(
        ["groundedness may not fall by more than .01; cost not rise by more than 10 %;", "f1 not fall"]
    )
    assert [requirement.metric for requirement in found] == ["groundedness", "cost", "f1"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no requirement"),
        (" ; ", "no requirement"),
        ("groundedness", "not of the form"),
        ("groundedness may fall", "not of the form"),
        ("groundedness must not fall", "not of the form"),
        ("groundedness >= -0.01", "not of the form"),
        ("groundedness may not sink", "not of the form"),
        ("groundedness may not fall by more than", "`by more than` and a number"),
        ("groundedness may not fall by more than -0.01", "`by more than` and a number"),
        ("groundedness may not fall by more than nan", "`by more than` and a number"),
        ("groundedness may not fall by more than 1e-2", "`by more than` and a number"),
        ("groundedness may not fall by more than 1 percent", "`by more than` and a number"),
        ("groundedness may not fall more than 1", "`by more than` and a number"),
        ("groundedness may not fall by more than 1, cost may not rise", "`by more than` and a number"),
        ("f1 may not fall; f1 not fall by more than 1 %", "states twice how far f1 may fall"),
    ],
)
def test_anything_else_is_refused_with_an_example(text: str, told: str):
    with pytest.raises(UsageError, match=told) as refused:
        parse_requirements([text])
    assert refused.value.hint


METRICS = {
    "right": Metric("right", 0.9, 2, per_case={"a": 1.0, "b": 0.8}),
    "cost": Metric("cost", 0.01, 1, per_case={"a": 0.01}, better="lower", unit="USD"),
    "ece": Metric("ece", 0.1, 2, statistic="other"),
}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rihgt may not fall", "which there is not"),
        ("ece may not rise", "cannot be gated"),
        ("cost may not rise by more than 2 points", "points are of shares"),
        ("right may not fall by more than 1", "never fails"),
        ("right may not fall by more than 100 %", "never fails"),
    ],
)
def test_what_cannot_be_held_against_the_metrics_is_refused(text: str, told: str):
    with pytest.raises(UsageError, match=told):
        require_gateable(parse_requirements([text]), METRICS)


def test_the_hint_lists_what_can_be_gated():
    with pytest.raises(UsageError) as refused:
        require_gateable([Requirement("rihgt", "fall")], METRICS)
    assert refused.value.hint == "one of cost, right"


def ruled(text: str, first: list[float], second: list[float]):
    pairs = GatedPairs(
        tuple(first), tuple(second), sum(first) / len(first), sum(second) / len(second), paired_test(first, second)
    )
    found = parse_requirements([text])
    return rule(found, {requirement.metric: pairs for requirement in found})


def worse_and_better(n: int, worse: int, better: int) -> tuple[list[float], list[float]]:
    """Pairs of which some fall from 1 to 0 and some rise; the others are 1 in both."""
    first = [1.0] * (n - better) + [0.0] * better
    return first, [0.0] * worse + [1.0] * (n - worse)


@pytest.mark.parametrize(
    ("worse", "better", "status"),
    [
        (9, 0, "failed"),  # three points, and p < .001
        (3, 0, "passed"),  # a fall of one point is not more than one point
        (4, 0, "failed"),
        (14, 9, "passed"),  # more than one point, but p = .15
        (0, 9, "passed"),
    ],
)
def test_a_requirement_fails_on_a_change_that_is_too_large_and_beyond_chance(worse: int, better: int, status: str):
    gate = ruled("right may not fall by more than 1 point", *worse_and_better(300, worse, better))
    assert gate.rulings[0].status == status
    assert gate.passed == (status == "passed")
    assert gate.rulings[0].change == pytest.approx((worse - better) / 300)


def test_a_rise_is_gated_as_a_fall_is():
    first, second = worse_and_better(300, 0, 9)
    assert not ruled("failed may not rise by more than 1 point", first, second).passed
    assert ruled("failed may not fall by more than 1 point", first, second).passed


def test_a_percentage_is_of_the_first_system():
    first, second = [0.01] * 50, [0.0112] * 50
    assert not ruled("cost may not rise by more than 10 %", first, second).passed
    assert ruled("cost may not rise by more than 20 %", first, second).passed
    assert not ruled("cost may not rise by more than 10 %", [0.0] * 50, [0.001] * 50).passed
    assert ruled("cost may not rise by more than 10 %", [0.0] * 50, [0.0] * 50).passed


def test_several_requirements_share_the_chance_of_a_false_alarm():
    first, second = worse_and_better(300, 4, 0)
    assert not ruled("right may not fall", first, second).passed
    gate = ruled("right may not fall; f1 may not fall", first, second)
    assert gate.passed
    assert gate.rulings[0].adjusted == pytest.approx(2 * gate.rulings[0].p)


def test_what_could_not_be_compared_is_unknown_and_does_not_pass():
    gate = ruled("right may not fall", [1.0] * 4, [1.0] * 4)
    assert (gate.rulings[0].status, gate.passed) == ("unknown", False)
    assert "at least 5" in gate.rulings[0].why
    assert not rule([Requirement("right", "fall")], {}).passed


def test_a_ruling_says_what_it_could_have_found():
    gate = ruled("right may not fall by more than 1 point", [1.0] * 20, [1.0] * 20)
    assert gate.passed
    assert gate.rulings[0].smallest == pytest.approx(4 / 20)
