"""Figures follow from the stored answers; a mean is right from its first value on."""

from __future__ import annotations

import json
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.records.figures import RunFigures, figures_of, summed, unrepaired
from assay.types import CheckCost, CheckCounts, Figures, RunningMean, Usage

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def claim(*states: str, verdict: str) -> dict[str, Any]:
    return {"verdict": verdict, "history": [{"state": each, "by": "x", "reason": ""} for each in states]}


def check(name: str, status: str) -> dict[str, Any]:
    return {"name": name, "status": status}


def answer(**changes: Any) -> dict[str, Any]:
    """A stored answer of which only what figures read is there."""
    plain = {
        "outcome": "answered",
        "claims": [],
        "dropped": [],
        "repairs": [],
        "drafts": 1,
        "iterations": 1,
        "citations": [],
        "invalid_citations": [],
        "checks": [],
        "findings": [],
        "assessment": None,
        "usage": {"cost": 0.0},
        "ms": 10.0,
    }
    return plain | changes


def of(*answers: dict[str, Any]) -> Figures:
    return summed(figures_of(each) for each in answers)


def test_the_first_value_is_the_mean():
    assert RunningMean().followed_by(0.05) == RunningMean(1, 0.05, 0.0, 0)


@given(VALUES, st.integers(0, 5))
def test_the_running_mean_is_the_mean_and_the_unjudged_do_not_move_it(values: list[float], unjudged: int):
    mean = RunningMean()
    for value in (*values, *[None] * unjudged):
        mean = mean.followed_by(value)
    assert (mean.count, mean.unjudged) == (len(values), unjudged)
    assert mean.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    if len(values) > 1:
        assert mean.deviation == pytest.approx(statistics.stdev(values), abs=1e-9)
    else:
        assert mean.deviation is None


def test_no_runs_have_no_shares():
    nothing = summed([])
    assert (nothing.runs, nothing.reflection_rate, nothing.iterations, nothing.citation_validity) == (
        0,
        None,
        None,
        None,
    )
    assert nothing.quality.mean is None


def test_reflection_counts_repairs_and_further_drafts():
    mended = answer(repairs=[{"kind": "corrected"}, {"kind": "dropped"}, {"kind": "corrected"}], drafts=2)
    found = of(answer(), mended, answer(), answer())
    assert (found.reflected, found.reflections, found.reflection_rate, found.iterations) == (1, 4, 0.25, 2.0)
    assert found.repairs == {"corrected": 2, "dropped": 1}


def test_a_draft_written_anew_and_kept_counts_once():
    anew = answer(repairs=[{"kind": "regenerated"}, {"kind": "hedged"}], drafts=2)
    assert (of(anew).reflections, of(anew).iterations) == (2, 3.0)
    assert of(anew).repairs == {"hedged": 1, "regenerated": 1}


@pytest.mark.parametrize(
    ("claims", "dropped", "improved", "regressed"),
    [
        ([claim("proposed", "supported", verdict="supported")], [], 0, 0),
        ([claim("proposed", "unsupported", "corrected", "supported", verdict="supported")], [], 1, 0),
        ([claim("proposed", "unknown", "hedged", verdict="unknown")], [], 0, 0),
        ([claim("proposed", "supported", "rewritten", "unsupported", verdict="unsupported")], [], 0, 1),
        ([], [claim("proposed", "contradicted", "dropped", verdict="contradicted")], 0, 0),
        ([], [claim("proposed", "supported", "dropped", verdict="supported")], 0, 1),
        ([claim("proposed", verdict="supported")], [], 0, 0),
        ([claim("proposed", "supported", "unknown", verdict="unknown")], [], 0, 0),  # two tiers, and no repair
        ([claim("proposed", "unknown", "supported", verdict="supported")], [], 0, 0),
        ([claim("proposed", "supported", "unknown", "corrected", "supported", verdict="supported")], [], 1, 0),
        ([], [claim("proposed", "supported", "contradicted", "dropped", verdict="contradicted")], 0, 0),
    ],
)
def test_what_was_mended_and_what_was_made_worse(
    claims: list[Any], dropped: list[Any], improved: int, regressed: int
):
    found = of(answer(claims=claims, dropped=dropped))
    assert (found.improved, found.regressed, found.net_improvement) == (improved, regressed, improved - regressed)


def test_quality_counts_judged_and_unjudged_answers_apart():
    judged = [answer(assessment={"overall": each}) for each in (0.05, 0.95, None)]
    found = of(*judged, answer(), answer(outcome="abstained", assessment={"overall": 0.0}))
    assert found.quality.mean == pytest.approx(0.5)
    assert (found.quality.count, found.quality.unjudged) == (2, 2)


def test_citation_validity_is_undefined_without_citations():
    assert of(answer()).citation_validity is None
    assert of(answer(citations=[{}, {}, {}, {}], invalid_citations=["[9]"])).citation_validity == 0.75


def test_checks_are_counted_by_how_they_ended():
    checks = [check("dates", status) for status in ("passed", "failed", "unknown", "skipped", "passed")]
    found = of(answer(checks=checks), answer(checks=[check("dates", "failed"), check("names", "passed")]))
    assert found.checks == {"dates": CheckCounts(2, 2, 1, 1), "names": CheckCounts(1, 0, 0, 0)}


def test_what_checks_took_adds_up_over_the_runs_that_were_measured():
    verifier = CheckCost(5.0, Usage(total_tokens=7, calls=1, cost=None), kept=2)
    first = figures_of(answer(), {"dates": CheckCost(1.5), "verifier": verifier})
    second = figures_of(answer(), {"dates": CheckCost(2.0), "verifier": CheckCost(1.0)})
    found = summed([first, second, figures_of(answer()), None])
    assert (found.measured, found.delivered) == (2, 3)
    assert found.check_costs["dates"] == CheckCost(3.5)
    assert found.check_costs["verifier"] == CheckCost(6.0, Usage(total_tokens=7, calls=1, cost=None), 2)


def test_what_was_not_measured_is_not_nothing():
    assert figures_of(answer()).costs is None
    assert figures_of(answer(), {}).costs == {}
    assert summed([figures_of(answer())]).measured == 0


def test_a_failed_run_and_one_of_unknown_price_are_counted_apart():
    found = summed([None, figures_of(answer(usage={"cost": None})), figures_of(answer(usage={"cost": 0.5}))])
    assert (found.runs, found.failed, found.delivered) == (3, 1, 2)
    assert (found.costs.mean, found.costs.unjudged) == (0.5, 1)


def test_an_answer_of_an_earlier_version_has_figures_too():
    earlier = answer()
    del earlier["assessment"], earlier["dropped"]
    assert figures_of(earlier) == figures_of(answer())


RUNS = st.builds(
    RunFigures,
    delivered=st.booleans(),
    reflections=st.integers(0, 9),
    searches=st.integers(0, 3),
    improved=st.integers(0, 9),
    regressed=st.integers(0, 9),
    repairs=st.dictionaries(st.sampled_from(["dropped", "hedged"]), st.integers(1, 3)),
    quality=st.none() | st.floats(0, 1),
    citations=st.integers(5, 9),
    invalid_citations=st.integers(0, 5),
    checks=st.dictionaries(st.text(max_size=3), st.builds(CheckCounts, st.integers(0, 3), st.integers(0, 3))),
    cost=st.none() | st.floats(0, 9),
    ms=st.floats(0, 1e6),
)


@given(RUNS)
def test_a_runs_figures_survive_storing(run: RunFigures):
    assert RunFigures.read(json.loads(json.dumps(run.to_dict()))) == run


@given(st.lists(st.none() | RUNS, max_size=8))
def test_sums_do_not_depend_on_the_order_and_shares_are_shares(runs: list[RunFigures | None]):
    one, other = summed(runs), summed(reversed(runs))
    assert one.checks == other.checks
    assert (one.repairs, one.reflections, one.net_improvement) == (
        other.repairs,
        other.reflections,
        other.net_improvement,
    )
    for share in (one.reflection_rate, one.citation_validity):
        assert share is None or 0 <= share <= 1
    assert one.iterations is None or one.iterations >= 1


@pytest.mark.parametrize(
    ("outcome", "severity", "waits"),
    [
        ("answered", "block", True),
        ("partial", "repair", True),
        ("answered", "warn", False),
        ("abstained", "block", False),
    ],
)
def test_only_a_delivered_answer_with_findings_that_matter_waits(outcome: str, severity: str, waits: bool):
    findings = [{"check": "dates", "message": "the source says 1932", "severity": severity}]
    left = unrepaired(answer(outcome=outcome, findings=findings))
    assert left == (("dates: the source says 1932",) if waits else ())
