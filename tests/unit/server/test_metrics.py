"""What the metrics make of a run: attempts of models, repairs, and what an unknown price adds."""

from __future__ import annotations

from dataclasses import replace

from prometheus_client.parser import text_string_to_metric_families

from assay.core.budget import Meter
from assay.server.metrics import Metrics
from assay.settings import Settings
from assay.types import (
    Action,
    Answer,
    Citation,
    Confidence,
    Done,
    Failed,
    Judgement,
    ModelsUsed,
    Outcome,
    Repair,
    RepairKind,
    StatusChanged,
    Usage,
    Verdict,
)
from assay.wiring.models import ModelPool

ANSWER = Answer(
    run_id="01J",
    question="How hot?",
    outcome=Outcome.ANSWERED,
    text="100 degrees [1].",
    verdict=Verdict.SUPPORTED,
    claims=(),
    sources=(),
    citations=(Citation(0, 3, 1), Citation(4, 7, 9)),
    invalid_citations=("[9]",),
    judgement=Judgement(sufficiency=0.9, recommendation=Action.ANSWER, reason="there"),
    checks=(),
    findings=(),
    repairs=(Repair(RepairKind.HEDGE, "a", "b", "why"),),
    drafts=2,
    iterations=2,
    confidence=Confidence(0.95, 0.75, "very_high"),
    warnings=(),
    models=ModelsUsed("w", "j", "v"),
    usage=Usage(prompt_tokens=100, completion_tokens=20, total_tokens=120, cached_tokens=None, calls=2, cost=0.5),
    profile="fast",
    mode_used="fast",
    ms=1500.0,
    first_verified_ms=300.0,
    searches=1,
)


def run(metrics: Metrics, event: Done | Failed, meter: Meter) -> None:
    """Hand the metrics a run that ends with the event."""
    metrics.open("01J", "How hot?")
    metrics.measure("01J", meter)
    metrics.receive("01J", StatusChanged(stage="write"))
    metrics.receive("01J", event)


def samples(metrics: Metrics) -> dict[str, float]:
    """The samples that are not 0, by name and label values."""
    families = text_string_to_metric_families(metrics.page("")[0].decode())
    read = [sample for family in families for sample in family.samples if sample.value]
    return {" ".join((sample.name, *sample.labels.values())): sample.value for sample in read}


def test_an_answer_adds_its_repairs_its_marks_and_its_cost() -> None:
    metrics, meter = Metrics(), Meter()
    meter.tried(1, replied=True)
    meter.tried(3, replied=True)
    run(metrics, Done(answer=ANSWER), meter)
    shown = samples(metrics)
    expected = {
        "assay_answers_total answered supported true": 1,
        "assay_reflected_answers_total": 1,
        "assay_repairs_total hedged": 1,
        "assay_citations_total true": 1,
        "assay_citations_total false": 1,
        "assay_answer_seconds_sum": 1.5,
        "assay_first_verified_seconds_sum": 0.3,
        "assay_confidence_score_bucket 0.8": 1,
        "assay_confidence_probability_bucket 1.0": 1,
        "assay_model_calls_total": 2,
        "assay_model_replies_total": 2,
        "assay_model_first_try_replies_total": 1,
        "assay_model_attempts_total": 4,
        "assay_tokens_total prompt": 100,
        "assay_tokens_total completion": 20,
        "assay_cost_dollars_total": 0.5,
    }
    assert {name: shown.get(name) for name in expected} == expected
    assert {"assay_confidence_score_bucket 0.7", "assay_tokens_total cached", "assay_run_errors_total"}.isdisjoint(
        shown
    )


def test_an_answer_of_unknown_price_is_counted_apart() -> None:
    metrics = Metrics()
    run(metrics, Done(answer=replace(ANSWER, usage=Usage(calls=1, cost=None))), Meter())
    shown = samples(metrics)
    assert shown["assay_unpriced_answers_total"] == 1
    assert "assay_cost_dollars_total" not in shown


def test_a_refusal_has_no_confidence_and_no_citations_to_count() -> None:
    metrics = Metrics()
    run(metrics, Done(answer=replace(ANSWER, outcome=Outcome.ABSTAINED)), Meter())
    shown = samples(metrics)
    assert shown["assay_answers_total abstained supported true"] == 1
    absent = {"assay_confidence_score_count", "assay_confidence_probability_count", "assay_citations_total true"}
    assert absent.isdisjoint(shown)


def test_a_failed_run_counts_its_attempts_and_runs_no_longer() -> None:
    metrics, meter = Metrics(), Meter()
    meter.tried(4, replied=False)
    run(metrics, Failed(error="ProviderFailed", message="busy", hint="wait"), meter)
    shown = samples(metrics)
    assert shown["assay_run_errors_total ProviderFailed"] == 1
    assert shown["assay_model_attempts_total"] == 4
    assert "assay_runs_in_progress" not in shown


def test_a_provider_whose_circuit_opened_is_named_until_it_closes() -> None:
    pool = ModelPool()
    chosen = Settings(
        model="openai:some", openai_api_key="sk-abcdefghijkl", openai_base_url="http://localhost:9/v1"
    )
    model = pool.of(chosen).by_name["openai:some"]
    assert pool.open_circuits() == ()
    assert model.circuit is not None
    model.circuit.opened = 1.0
    assert pool.open_circuits() == ("openai localhost",)
