"""Two evaluations of the same cases, metric by metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.evals.cases import Case
from assay.evals.compare import Comparison, MetricChange, compare, compare_folders, compare_metrics
from assay.evals.gate import parse_requirements
from assay.evals.metrics.metric import Metric
from assay.types import Outcome
from support.evaluation_folders import cases, evaluation_folder, result


def metric_of(found: Comparison, name: str) -> MetricChange:
    return next(metric for metric in found.metrics if metric.name == name)


def compared(first: list, second: list, asked: list[Case], text: str = "") -> Comparison:
    return compare(("A", "B"), (), asked, first, second, requirements=parse_requirements([text]) if text else ())


def test_a_fall_is_shown_with_its_interval_and_the_cases_that_lost():
    asked = cases(300)
    first = [result(case.id) for case in asked]
    second = [result(case.id, right=n >= 12) for n, case in enumerate(asked)]
    right = metric_of(compared(first, second, asked), "right")
    assert (right.n, right.first, right.second, right.effect) == (300, 1.0, 0.96, "worse")
    assert right.difference == pytest.approx(-0.04)
    assert right.low < -0.04 < right.high < 0
    assert (right.test, right.p) == ("McNemar", pytest.approx(2**-12))
    assert [lost.case for lost in right.lost] == [case.id for case in asked[:12]]
    wrong = metric_of(compared(first, second, asked), "wrong_shown")
    assert (wrong.difference, wrong.effect) == (pytest.approx(0.04), "worse")
    assert metric_of(compared(second, first, asked), "right").effect == "better"


def test_a_difference_within_chance_is_unclear_and_none_at_all_the_same():
    asked = cases(60)
    first = [result(case.id, right=n != 0) for n, case in enumerate(asked)]
    second = [result(case.id, right=n not in (1, 2)) for n, case in enumerate(asked)]
    found = compared(first, second, asked)
    assert metric_of(found, "right").effect == "unclear"
    assert metric_of(found, "cost").effect == "same"
    assert metric_of(found, "cost").p == 1


def test_p_is_corrected_for_all_metrics_before_a_metric_is_called_worse():
    asked = cases(300)
    first = [result(case.id) for case in asked]
    second = [result(case.id, right=n >= 6) for n, case in enumerate(asked)]
    found = compared(first, second, asked)
    right = metric_of(found, "right")
    moved = [metric.name for metric in found.metrics if metric.effect not in ("same", "unknown")]
    assert moved == ["right", "wrong_shown", "gold_contained", "f1", "groundedness"]
    assert right.adjusted == pytest.approx(5 * right.p)
    assert right.p < 0.05 < right.adjusted
    assert right.effect == "unclear"


def test_repeats_of_a_case_count_as_one_case():
    asked = cases(30)
    first = [result(case.id, repeat=repeat) for case in asked for repeat in range(4)]
    second = [result(case.id, repeat=repeat, right=repeat > 0) for case in asked for repeat in range(4)]
    right = metric_of(compared(first, second, asked), "right")
    assert (right.n, right.second, right.test) == (30, 0.75, "randomisation")


def test_slices_have_figures_of_their_own_unless_they_are_too_small():
    asked = [
        *cases(40, {"kind": "name", "all": "same"}),
        *(Case(f"d{n}", "?", answers=("42",), slices={"kind": "date", "all": "same"}) for n in range(4)),
    ]
    first = [result(case.id) for case in asked]
    second = [result(case.id, right=n >= 10) for n, case in enumerate(asked)]
    date, name = metric_of(compared(first, second, asked), "right").slices
    assert (date.key, date.value, date.n, date.first, date.low) == ("kind", "date", 4, None, None)
    assert (name.value, name.n, name.second) == ("name", 40, 0.75)
    assert name.low < name.difference < name.high


def test_a_case_that_one_side_was_not_asked_is_left_out_by_name():
    asked = cases(30)
    first = [result(case.id) for case in asked[:-1]]
    second = [result(case.id) for case in asked[2:]]
    found = compared(first, second, asked)
    assert found.cases == 27
    assert [(one.case, one.why) for one in found.left_out] == [
        ("c000", "no result in B"),
        ("c001", "no result in B"),
        ("c029", "no result in A"),
    ]


def test_nothing_in_common_is_refused():
    asked = cases(6)
    with pytest.raises(UsageError, match="no case in common"):
        compared([result("c000")], [result("c001")], asked)


def test_a_failed_case_counts_as_wrong_and_is_no_pair_of_costs():
    asked = cases(30)
    first = [result(case.id) for case in asked]
    crashed = replace(result("c003"), outcome=None, text="", claims=(), usage=None, error="ProviderFailed")
    second = [crashed if case.id == "c003" else result(case.id) for case in asked]
    found = compared(first, second, asked)
    assert metric_of(found, "right").lost[0].case == "c003"
    assert metric_of(found, "failed").second == pytest.approx(1 / 30)
    assert (metric_of(found, "cost").n, metric_of(found, "cost").unpaired) == (29, 1)
    moves = {(move.first, move.second): move.n for move in found.outcomes}
    assert moves == {("answered", "answered"): 29, ("answered", "failed"): 1}


def test_what_was_not_measured_says_why():
    asked = [Case(f"c{n:03}", "?") for n in range(10)]
    found = compared([result(case.id) for case in asked], [result(case.id) for case in asked], asked)
    right = metric_of(found, "right")
    assert (right.effect, right.first, right.cause) == (
        "unknown",
        None,
        "no case says what a right answer is",
    )


def test_a_figure_of_all_cases_together_is_shown_without_a_test():
    one, other = (Metric("ece", value, 9, statistic="other", better="lower") for value in (0.1, 0.2))
    ((ece,), _) = compare_metrics([one], [other], {})
    assert (ece.first, ece.second, ece.p, ece.effect) == (0.1, 0.2, None, "unknown")
    assert ece.difference == pytest.approx(0.1)


def test_a_metric_that_one_system_has_none_of_says_which():
    metric = Metric("f1", 0.5, 5, per_case={f"c{n}": 0.5 for n in range(5)})
    none = Metric("f1", None, cause="no answer was given")
    ((f1,), _) = compare_metrics([metric], [none], {})
    assert (f1.effect, f1.unpaired, f1.cause) == ("unknown", 5, "the second has none: no answer was given")


def test_percentiles_are_compared_as_percentiles():
    asked = cases(100)
    first = [result(case.id, ms=100.0 + n) for n, case in enumerate(asked)]
    slower = [result(case.id, ms=100.0 + n + (400 if n >= 90 else 0)) for n, case in enumerate(asked)]
    found = compared(first, slower, asked)
    assert metric_of(found, "latency_p50").difference == 0
    p95 = metric_of(found, "latency_p95")
    assert p95.difference == pytest.approx(400)
    assert p95.p < 0.05


def test_the_gate_is_part_of_the_comparison():
    asked = cases(300)
    first = [result(case.id) for case in asked]
    second = [result(case.id, right=n >= 9, cost=0.0105) for n, case in enumerate(asked)]
    found = compared(
        first, second, asked, "right may not fall by more than 1 point; cost may not rise by more than 10 %"
    )
    assert not found.gate.passed
    assert [ruling.status for ruling in found.gate.rulings] == ["failed", "passed"]
    assert compared(first, second, asked).gate is None
    with pytest.raises(UsageError, match="which there is not"):
        compared(first, second, asked, "truth may not fall")


def test_an_unmeasured_metric_does_not_pass_the_gate():
    asked = [Case(f"c{n:03}", "?") for n in range(10)]
    results = [result(case.id) for case in asked]
    found = compared(results, results, asked, "right may not fall")
    assert (found.gate.passed, found.gate.rulings[0].status) == (False, "unknown")


def test_folders_are_compared_with_what_differs_in_their_settings(tmp_path: Path):
    asked = cases(30)
    results = [result(case.id) for case in asked]
    first = evaluation_folder(tmp_path / "a", asked, results, settings={"k": 8, "checker": "bundled"})
    second = evaluation_folder(
        tmp_path / "b", asked, results, settings={"k": 5, "checker": "bundled"}, version="0.2.0", started=9.0
    )
    found = compare_folders(first, second)
    assert [change.to_dict() for change in found.settings] == [
        {"path": "version", "before": "0.1.0", "after": "0.2.0"},
        {"path": "settings.k", "before": 8, "after": 5},
    ]
    assert (found.first, found.second, found.cases) == (str(first), str(second), 30)
    assert found.to_dict()["schema"] == "assay-compare/1"
    assert compare_folders(first, first).settings == ()


@pytest.mark.parametrize(
    ("dataset", "told"), [("questions.jsonl", "changed between them"), ("b.jsonl", "and b.jsonl")]
)
def test_different_data_sets_are_refused(tmp_path: Path, dataset: str, told: str):
    asked = cases(3)
    first = evaluation_folder(tmp_path / "a", asked, [])
    second = evaluation_folder(tmp_path / "b", asked, [], dataset=dataset, dataset_sha256="1" * 64)
    with pytest.raises(UsageError, match=told) as refused:
        compare_folders(first, second)
    assert "on the same file" in refused.value.hint


def test_an_answer_that_is_withheld_is_an_outcome_that_differs():
    asked = cases(10)
    first = [result(case.id) for case in asked]
    second = [result(case.id, outcome=Outcome.ABSTAINED, text="", claims=()) for case in asked]
    found = compared(first, second, asked)
    assert [move.to_dict() for move in found.outcomes] == [{"first": "answered", "second": "abstained", "n": 10}]
    assert metric_of(found, "groundedness").unpaired == 10
