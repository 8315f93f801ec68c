"""Each metric of an evaluation, beside scikit-learn or a slow second implementation, and by hand."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import replace
from statistics import fmean, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, ndcg_score, precision_score, recall_score, roc_auc_score

from assay.evals.cases import Answerability, Case, WantedQuote
from assay.evals.metrics import (
    Metric,
    abstention,
    answer,
    calibration,
    citations,
    consistency,
    contradictions,
    cost,
    failures,
    groundedness,
    latency,
    loop,
    retrieval,
    sufficiency,
)
from assay.evals.metrics.catalogue import MEASURES, measure_all
from assay.evals.metrics.measure import measure
from assay.evals.results import CaseResult, CitedQuote, RankedPassage
from assay.types import Outcome, RepairKind, Usage, Verdict

CLOSE = pytest.approx
FULL, HALF, NONE = Answerability.FULL, Answerability.HALF, Answerability.NONE
GIVEN = CaseResult("a", 0, Outcome.ANSWERED, "**8 m** — The tower is 8 m high. [1]")
REFUSED = CaseResult("a", 0, Outcome.ABSTAINED, "The documents do not say how high it is: 8 m?")
FAILED = CaseResult("a", 0, None, error="ProviderFailed", message="it broke", ms=3.0)


def case(key: str = "a", **known: object) -> Case:
    return Case(key, "How high is the tower?", **known)


def ranked(*ids: str) -> tuple[RankedPassage, ...]:
    return tuple(RankedPassage(f"p-{key}-{n}", key, f"/notes/{key}") for n, key in enumerate(ids))


# --- what every metric keeps to -------------------------------------------------------------------


def test_every_metric_has_a_name_of_its_own_and_without_knowledge_a_cause():
    metrics = measure_all([case()], [])
    assert len({metric.name for metric in metrics}) == len(MEASURES)
    assert all(metric.value is None and metric.cause and metric.n == 0 for metric in metrics)


WHOLE = case(
    answers=("8 m",),
    nuggets=(("8 m",),),
    relevant={"a.md": 1.0},
    quotes=(WantedQuote("a.md", "The tower is 8 m high.", 2),),
    answerability=FULL,
    conflicting=True,
    missing=("who built it",),
)


def test_a_failed_case_counts_as_the_worst_and_is_never_dropped():
    by_name = {metric.name: metric for metric in measure_all([WHOLE], [FAILED])}
    used = {"loop", "latency", "cost", "calibration", "consistency"}  # what it took or stated is not known
    for metric in by_name.values():
        if metric.group in used or metric.statistic == "other":
            continue
        if metric.name == "abstention_recall":
            assert metric.value is None  # the case is one that the documents answer
        else:
            worst = 1.0 if metric.better == "lower" else 0.0
            assert (metric.value, metric.n) == (worst, 1), metric.name


def test_results_of_other_cases_are_passed_over_and_of_two_the_first_counts():
    results = [replace(GIVEN, case="z"), GIVEN, replace(GIVEN, text="9 m"), replace(GIVEN, repeat=1, text="9 m")]
    (metric,) = measure([case(answers=("8 m",))], results, (answer.GOLD_CONTAINED,))
    assert (metric.value, metric.n, metric.per_case) == (0.5, 1, {"a": 0.5})


def test_a_mean_is_over_cases_each_by_the_mean_of_its_repeats():
    cases = [case(key, answers=("8 m",)) for key in "ab"]
    right, wrong = GIVEN, replace(GIVEN, text="9 m")
    results = [right, replace(wrong, repeat=1), replace(wrong, repeat=2), replace(right, case="b")]
    metric = answer.GOLD_CONTAINED(cases, results)
    assert metric.per_case == {"a": CLOSE(1 / 3), "b": 1.0}
    assert metric.value == CLOSE(2 / 3)


# --- retrieval ------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), min_size=10, max_size=10).filter(any), st.permutations(range(10)))
def test_ranking_metrics_agree_with_scikit_learn_and_with_a_second_implementation(gains, order):
    known = {f"d{n}": float(gain) for n, gain in enumerate(gains) if gain}
    result = replace(GIVEN, ranked=ranked(*(f"d{n}" for n in order)))
    cases = [case(relevant=known)]
    scores = [10 - order.index(n) for n in range(10)]
    assert retrieval.NDCG(cases, [result]).value == CLOSE(ndcg_score([gains], [scores], k=10), abs=1e-6)
    places = [place for place, n in enumerate(order, 1) if gains[n]]
    assert retrieval.MRR(cases, [result]).value == CLOSE(1 / min(places), abs=1e-6)
    assert retrieval.RECALL(cases, [result]).value == 1.0


def test_recall_counts_the_first_ten_only():
    result = replace(GIVEN, ranked=ranked(*(f"d{n}" for n in range(12))))
    assert retrieval.RECALL([case(relevant={"d0": 1.0, "d11": 1.0})], [result]).value == 0.5


def test_passages_of_one_document_count_once_and_single_passages_where_these_are_judged():
    found = (*ranked("x", "x", "x"), RankedPassage("gold", "a", "/notes/a.md"), *ranked("a.md"))
    assert retrieval.MRR([case(relevant={"a.md": 1.0})], [replace(GIVEN, ranked=found)]).value == 0.5
    assert retrieval.MRR([case(relevant={"gold": 1.0})], [replace(GIVEN, ranked=found)]).value == 0.25


def test_a_path_is_named_from_its_end_on_by_whole_parts():
    passage = RankedPassage("p", "d", "C:\\notes\\tea\\green.md")
    for name, meets in (("green.md", 1.0), ("tea/green.md", 1.0), ("reen.md", 0.0), ("d", 1.0), ("", 0.0)):
        value = retrieval.RECALL([case(relevant={name: 1.0})], [replace(GIVEN, ranked=(passage,))]).value
        assert value == meets, name


# --- sufficiency ----------------------------------------------------------------------------------


def many(rows):
    """A case and a result for each pair of a sufficiency and whether there is an answer, which is then right."""
    cases = [
        case(str(n), answerability=FULL if label else NONE, answers=("8 m",)) for n, (_, label) in enumerate(rows)
    ]
    results = [replace(GIVEN, case=str(n), sufficiency=score) for n, (score, _) in enumerate(rows)]
    return cases, results


rows = st.lists(st.tuples(st.sampled_from([0.1, 0.25, 0.5, 0.9]), st.booleans()), min_size=2, max_size=12)


@given(rows.filter(lambda found: len({label for _, label in found}) == 2))
def test_auroc_of_the_sufficiency_agrees_with_scikit_learn(found):
    metric = sufficiency.SUFFICIENCY_AUROC(*many(found))
    assert metric.value == CLOSE(
        roc_auc_score([label for _, label in found], [score for score, _ in found]), abs=1e-6
    )


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1, max_size=6))
def test_aurc_is_the_mean_over_all_orders_of_equal_scores(found):
    orders = [
        order for order in itertools.permutations(found) if all(a[0] >= b[0] for a, b in itertools.pairwise(order))
    ]
    areas = [
        fmean(sum(not right for _, right in order[:n]) / n for n in range(1, len(order) + 1)) for order in orders
    ]
    scores, right = [score for score, _ in found], [label for _, label in found]
    assert sufficiency.aurc(scores, right) == CLOSE(fmean(areas), abs=1e-6)


def test_half_an_answer_is_not_sufficient_and_a_failure_ranks_on_the_wrong_side():
    cases = [case("a", answerability=FULL), case("b", answerability=HALF)]
    results = [replace(GIVEN, sufficiency=0.9), replace(GIVEN, case="b", sufficiency=0.2)]
    assert sufficiency.SUFFICIENCY_AUROC(cases, results).value == 1.0
    assert sufficiency.SUFFICIENCY_AUROC(cases, [FAILED, results[1]]).value == 0.0
    one_sided = sufficiency.SUFFICIENCY_AUROC(cases[:1], results[:1])
    assert (one_sided.value, one_sided.cause) == (None, "auroc needs positives and negatives")


def test_the_risk_counts_refusals_last_but_not_those_that_are_right():
    cases = [case("a", answers=("8 m",)), case("b", answers=("8 m",)), case("c", answerability=NONE)]
    results = [replace(GIVEN, sufficiency=0.9), replace(REFUSED, case="b", sufficiency=0.95)]
    metric = sufficiency.AURC(cases, [*results, replace(REFUSED, case="c", sufficiency=0.1)])
    assert metric.curve == ((0.5, 0.0), (1.0, 0.5))
    assert (metric.value, metric.n) == (0.25, 2)


def test_a_long_curve_is_thinned_for_its_plot():
    scores = [n / 1000 for n in range(1000)]
    points = sufficiency.risk_coverage(scores, [True] * 1000)
    assert len(points) == 200
    assert points[-1] == (1.0, 0.0)


# --- answers --------------------------------------------------------------------------------------


def squad_f1(text: str, gold: str) -> float:
    """The F1 of SQuAD's evaluation script, from its description."""

    def normal(words: str) -> list[str]:
        kept = "".join(
            " " if c in "\u00a0" else c for c in words.lower() if c not in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
        )
        return [word for word in re.split(r"\s+", kept) if word and word not in ("a", "an", "the")]

    one, other = normal(text), normal(gold)
    if not one or not other:
        return float(one == other)
    shared = sum(min(one.count(word), other.count(word)) for word in set(one))
    if not shared:
        return 0.0
    precision, recall = shared / len(one), shared / len(other)
    return 2 * precision * recall / (precision + recall)


words = st.lists(st.sampled_from(["the", "a", "Tower", "tower,", "8", "m", "high."]), max_size=6).map(" ".join)


@given(words, words)
def test_f1_and_exact_match_agree_with_a_second_implementation(text, gold):
    assert answer.token_f1(text, gold) == CLOSE(squad_f1(text, gold), abs=1e-6)
    assert answer.exact_match(text, gold) == (exact(text) == exact(gold))


def exact(text: str) -> list[str]:
    return [
        word for word in (raw.strip(".,").lower() for raw in text.split()) if word not in ("a", "an", "the", "")
    ]


def test_the_best_of_several_answers_counts_and_the_bold_lead_is_the_short_answer():
    cases = [case(answers=("9 metres", "8 m"))]
    assert answer.EXACT_MATCH(cases, [GIVEN]).value == 1.0
    unled = replace(GIVEN, text="The tower is 8 m high. [1]")
    assert answer.EXACT_MATCH(cases, [unled]).value == 0.0
    assert answer.F1(cases, [unled]).value == CLOSE(2 * 2 / (5 + 2))
    assert answer.GOLD_CONTAINED(cases, [unled]).value == 1.0


@pytest.mark.parametrize("measured", [answer.EXACT_MATCH, answer.F1, answer.GOLD_CONTAINED, answer.RIGHT])
def test_a_refusal_shows_nothing_whatever_its_words(measured):
    assert measured([case(answers=("8 m",))], [REFUSED]).value == 0.0


@pytest.mark.parametrize(
    ("text", "gold", "shown"),
    [
        ("It is 8 M high.", "8 m", True),
        ("It is 18 m high.", "8 m", False),
        ("Yes, it is.", "yes", True),
        ("No. Yes would be wrong.", "yes", False),
        ("The café opened.", "cafe", True),
        (
            "The tower was built by masons of Ulm in one summer.",
            "masons of Ulm built the old tower in the summer",
            True,
        ),
        ("The tower is old.", "masons of Ulm built the old tower in the summer", False),
    ],
)
def test_what_shows_a_gold(text: str, gold: str, shown: bool):
    assert answer.GOLD_CONTAINED([case(answers=(gold,))], [replace(GIVEN, text=text)]).value == float(shown)


def test_a_pattern_shows_the_answer_in_any_case():
    assert answer.GOLD_CONTAINED([case(patterns=(r"\b8 ?M\b",))], [GIVEN]).value == 1.0
    assert answer.GOLD_CONTAINED([case(patterns=(r"\b9 ?m\b",))], [GIVEN]).value == 0.0


def test_nuggets_are_shown_in_any_of_their_wordings():
    nuggets = (("eight metres", "8 m"), ("built in 1932",))
    assert answer.NUGGET_COMPLETENESS([case(nuggets=nuggets)], [GIVEN]).value == 0.5
    assert answer.RIGHT([case(nuggets=nuggets)], [GIVEN]).value == 0.0
    assert answer.RIGHT([case(nuggets=nuggets[:1])], [GIVEN]).value == 1.0


def test_where_there_is_no_answer_a_refusal_is_right_and_an_answer_is_wrong_shown():
    cases = [case(answerability=NONE)]
    assert answer.RIGHT(cases, [REFUSED]).value == 1.0
    assert answer.RIGHT(cases, [GIVEN]).value == 0.0
    assert answer.WRONG_SHOWN(cases, [GIVEN]).value == 1.0
    assert answer.WRONG_SHOWN([case(answers=("9 m",))], [REFUSED]).value == 0.0
    assert answer.RIGHT([case(answerability=FULL)], [GIVEN]).value is None


# --- citations ------------------------------------------------------------------------------------

WANTED = (WantedQuote("a.md", "The tower is 8 m high.", 2), WantedQuote("b.md", "It was built in 1932.", 5))
RIGHT_PAGE = CitedQuote(0, "d1", "/notes/a.md", "The tower is 8 m high. It is old.", 2)
WRONG_PAGE = replace(RIGHT_PAGE, page=3)
ELSEWHERE = CitedQuote(0, "d3", "/notes/c.md", "The tower is 8 m high.", 2)
OTHER_WORDS = CitedQuote(0, "d1", "/notes/a.md", "Nobody lives there today.", 9)


def test_citations_are_right_by_document_and_words():
    result = replace(GIVEN, cited=(RIGHT_PAGE, ELSEWHERE, OTHER_WORDS), invalid_citations=1)
    cases = [case(quotes=WANTED)]
    assert citations.PRECISION(cases, [result]).value == CLOSE(1 / 3)
    assert citations.RECALL(cases, [result]).value == 0.5
    assert citations.F1(cases, [result]).value == CLOSE(2 * (1 / 3) * 0.5 / (1 / 3 + 0.5))
    assert citations.VALIDITY(cases, [result]).value == 0.75


def test_pages_count_only_where_the_place_is_right():
    result = replace(GIVEN, cited=(RIGHT_PAGE, WRONG_PAGE, ELSEWHERE))
    assert citations.PAGE_ACCURACY([case(quotes=WANTED)], [result]).value == 0.5
    assert citations.PAGE_ACCURACY([case(quotes=(WantedQuote("a.md"),))], [result]).value is None


def test_an_answer_that_cites_nothing_has_no_precision_and_no_recall():
    cases = [case(quotes=WANTED)]
    assert citations.PRECISION(cases, [GIVEN]).value is None
    assert citations.RECALL(cases, [GIVEN]).value == citations.F1(cases, [GIVEN]).value == 0.0
    assert citations.VALIDITY(cases, [GIVEN]).value is None


@pytest.mark.parametrize(
    ("wanted", "cited", "meets"),
    [
        ("It is 8 m high", "it is 8 m high today", True),
        ("one two three four", "zero one two nine", True),
        ("one two three four", "four three two one", False),
        ("the old tower of Ulm", "the of and a tower in", False),
        ("", "anything", True),
    ],
)
def test_quotes_are_of_one_place_by_a_run_of_half_of_the_shorter(wanted: str, cited: str, meets: bool):
    assert citations.meets(WantedQuote("", wanted), CitedQuote(0, "d", "/a", cited)) is meets


# --- groundedness, abstention, contradictions -----------------------------------------------------


def test_groundedness_is_the_share_of_claims_that_are_supported():
    result = replace(GIVEN, claims=(Verdict.SUPPORTED, Verdict.UNKNOWN, Verdict.CONTRADICTED, Verdict.SUPPORTED))
    assert groundedness.GROUNDEDNESS([case()], [result]).value == 0.5
    assert groundedness.GROUNDEDNESS([case()], [GIVEN]).value is None
    assert groundedness.VERIFIED([case()], [replace(result, verified=True)]).value == 1.0
    assert groundedness.VERIFIED([case()], [replace(REFUSED, verified=True)]).value is None


flags = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12)


def outcomes(metric: Metric) -> float:
    return 0.0 if metric.value is None else metric.value


@given(flags)
def test_abstention_agrees_with_scikit_learn(found):
    cases = [case(str(n), answerability=NONE if gold else FULL) for n, (gold, _) in enumerate(found)]
    results = [replace(REFUSED if said else GIVEN, case=str(n)) for n, (_, said) in enumerate(found)]
    gold, said = zip(*found, strict=True)
    assert outcomes(abstention.PRECISION(cases, results)) == CLOSE(precision_score(gold, said, zero_division=0))
    assert outcomes(abstention.RECALL(cases, results)) == CLOSE(recall_score(gold, said, zero_division=0))
    answered = recall_score([not one for one in gold], [not one for one in said], zero_division=0)
    assert outcomes(abstention.ANSWER_RATE(cases, results)) == CLOSE(answered)


@given(flags)
def test_flags_of_contradictions_agree_with_scikit_learn(found):
    cases = [case(str(n), conflicting=gold) for n, (gold, _) in enumerate(found)]
    results = [replace(GIVEN, case=str(n), contradictions=int(said)) for n, (_, said) in enumerate(found)]
    gold, said = zip(*found, strict=True)
    assert outcomes(contradictions.PRECISION(cases, results)) == CLOSE(precision_score(gold, said, zero_division=0))
    assert outcomes(contradictions.RECALL(cases, results)) == CLOSE(recall_score(gold, said, zero_division=0))


def test_asking_back_is_no_answer_and_a_missing_part_is_named_by_its_words():
    clarified = replace(REFUSED, outcome=Outcome.CLARIFY)
    assert abstention.RECALL([case(answerability=NONE)], [clarified]).value == 1.0
    half = case(answerability=HALF, missing=("the builder of the tower", "the price"))
    said = replace(GIVEN, outcome=Outcome.PARTIAL, missing=("builder of towers",))
    assert abstention.MISSING_NAMED([half], [said]).value == 0.5


# --- calibration ----------------------------------------------------------------------------------

probable = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=40)


@given(probable)
def test_brier_agrees_with_scikit_learn(found):
    cases, results = stated(found)
    labels = [right for _, right in found]
    expected = brier_score_loss(labels, [p for p, _ in found], labels=[False, True])
    assert calibration.BRIER(cases, results).value == CLOSE(expected, abs=1e-6)


def stated(found):
    cases = [case(str(n), answers=("8 m" if right else "9 m",)) for n, (_, right) in enumerate(found)]
    return cases, [replace(GIVEN, case=str(n), probability=p) for n, (p, _) in enumerate(found)]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=20, max_size=60, unique_by=lambda row: row[0]))
def test_the_calibration_error_agrees_with_a_second_implementation(found):
    metric = calibration.ECE(*stated(found))
    ordered = sorted(found)
    size, larger = divmod(len(ordered), 10)
    total, weight, start = 0.0, 0, 0
    for part in range(10):
        rows = ordered[start : start + size + (part < larger)]
        start += len(rows)
        if len(rows) < 2:
            continue
        said, seen = fmean(p for p, _ in rows), fmean(right for _, right in rows)
        total += len(rows) * ((said - seen) ** 2 - seen * (1 - seen) / (len(rows) - 1))
        weight += len(rows)
    assert metric.value == CLOSE(math.sqrt(max(0.0, total / weight)), abs=1e-6)
    assert len(metric.curve) == 10


def test_only_answers_that_were_given_state_a_probability():
    refused = replace(REFUSED, probability=0.9)
    assert calibration.BRIER([case(answers=("8 m",))], [refused]).value is None
    assert calibration.BRIER([case(answers=("8 m",))], [FAILED]).n == 0


# --- the loop, consistency, latency, cost, failures -----------------------------------------------


def test_the_loop_is_counted_over_given_answers():
    mended = replace(GIVEN, drafts=2, rounds=3, repairs=(RepairKind.DROP,), improved=2, regressed=1)
    plain = replace(GIVEN, case="b", drafts=1, rounds=1)
    cases, results = [case("a"), case("b"), case("c")], [mended, plain, replace(REFUSED, case="c", rounds=5)]
    found = {metric.name: metric.value for metric in measure(cases, results, loop.MEASURES)}
    assert found == {
        "reflection_rate": 0.5,
        "drafts": 1.5,
        "rounds": 2.0,
        "repairs": 0.5,
        "net_improvement": 0.5,
        "regressions": 0.5,
    }


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=6))
def test_consistency_is_the_share_of_agreeing_pairs(said):
    results = [replace(GIVEN, repeat=n, text=f"{text} [1]") for n, text in enumerate(said)]
    pairs = [one == other for one, other in itertools.combinations(said, 2)]
    assert consistency.ANSWER([case()], results).value == CLOSE(fmean(pairs), abs=1e-6)
    assert consistency.OUTCOME([case()], results).value == 1.0


def test_a_failure_agrees_with_failures_only():
    results = [GIVEN, replace(FAILED, repeat=1), replace(FAILED, repeat=2)]
    assert consistency.OUTCOME([case()], results).value == CLOSE(1 / 3)
    assert consistency.OUTCOME([case()], results[:1]).value is None


@given(st.lists(st.floats(0, 1e5), min_size=2, max_size=50))
def test_percentiles_of_latency_agree_with_the_standard_library(times):
    cases = [case(str(n)) for n in range(len(times))]
    results = [replace(GIVEN, case=str(n), ms=ms) for n, ms in enumerate(times)]
    cuts = quantiles(times, n=100, method="inclusive")
    for measured, percent in ((latency.P50, 50), (latency.P95, 95), (latency.P99, 99)):
        assert measured(cases, results).value == CLOSE(cuts[percent - 1], abs=1e-6)


def test_a_repeat_and_a_failure_tell_no_latency():
    results = [
        replace(GIVEN, ms=5.0, first_verified_ms=2.0),
        replace(GIVEN, repeat=1, ms=1.0),
        replace(FAILED, case="b"),
    ]
    assert latency.P99([case("a"), case("b")], results).per_case == {"a": 5.0}
    assert latency.FIRST_VERIFIED([case("a")], results).value == 2.0


def test_what_a_provider_does_not_say_is_not_zero():
    known = replace(GIVEN, usage=Usage(total_tokens=100, calls=2, cost=0.01))
    unknown = replace(GIVEN, case="b", usage=Usage(total_tokens=None, calls=1, cost=None))
    cases, results = [case("a"), case("b")], [known, unknown]
    assert (cost.COST(cases, results).value, cost.COST(cases, results).n) == (0.01, 1)
    assert cost.TOKENS(cases, results).per_case == {"a": 100.0}
    assert cost.CALLS(cases, results).value == 1.5
    assert cost.COST(cases, results[1:]).cause == "no price is known"


def test_the_share_that_failed():
    metric = failures.FAILED([case("a"), case("b")], [FAILED, replace(GIVEN, case="b")])
    assert (metric.value, Counter(metric.per_case.values())) == (0.5, Counter({1.0: 1, 0.0: 1}))
