"""What rules say of answers: each flaw lowers its own criterion, and what cannot be measured is unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from assay.assessment.deterministic import DeterministicAssessor
from assay.assessment.rubrics import shipped_rubrics
from assay.types import BY_RULES, AnswerType, Assessment, Criterion, CriterionScore, Question, QuestionKind, Verdict

from .conftest import OPENED, Given, Said, given

ASKED = "When was the Harbour Bridge opened?"
WHEN = Question(ASKED, ASKED, aspects=(ASKED,), answer_type=AnswerType.DATE, detail=2)
TWO = Question(
    "q",
    "When did the bridge open, and what did it cost?",
    aspects=("When did the bridge open", "what did the bridge cost"),
    answer_type=AnswerType.DATE,
)
GOOD = Said("The Harbour Bridge was opened on 3 May 1932.", source=OPENED[:44])
COST = Said("It cost 4 million pounds.", source=OPENED[45:])


def estimate(answer: Given) -> Assessment:
    return DeterministicAssessor().estimate(answer.question, answer.evidence, answer.draft, answer.review)


def score(answer: Given, criterion: Criterion) -> CriterionScore:
    return next(each for each in estimate(answer).scores if each.criterion is criterion)


async def test_a_good_answer_passes_in_every_criterion():
    answer = given(WHEN, GOOD)
    made = await DeterministicAssessor().assess(answer.question, answer.evidence, answer.draft, answer.review)
    assert [each.score for each in made.scores] == [1.0] * len(Criterion)
    assert (made.overall, made.passed, made.weakest, made.rubric) == (1.0, True, None, shipped_rubrics().sha256)
    assert all(each.reasons and each.by == BY_RULES for each in made.scores)


def test_only_the_chosen_criteria_are_judged():
    answer = given(WHEN, GOOD)
    few = DeterministicAssessor((Criterion.RELEVANCE, Criterion.ACCURACY))
    made = few.estimate(answer.question, answer.evidence, answer.draft, answer.review)
    assert [each.criterion for each in made.scores] == [Criterion.RELEVANCE, Criterion.ACCURACY]


# --- accuracy ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (("supported", "supported"), 1.0),
        (("supported", "unsupported"), 0.5),
        (("supported", "unknown"), 0.5),
        (("unsupported", "unsupported"), 0.0),
        (("supported", "supported", "supported", "contradicted"), 0.4),
        (("unknown", "unknown"), None),
        ((), None),
    ],
)
def test_accuracy_is_the_share_of_claims_that_are_borne_out(verdicts: tuple[str, ...], expected: float | None):
    said = [Said(f"Thing number {n} is blue.", verdict=Verdict(each)) for n, each in enumerate(verdicts)]
    found = score(given(WHEN, *said), Criterion.ACCURACY)
    assert found.score == expected
    assert (found.reasons[0].startswith("unknown: ")) == (expected is None)


def test_what_is_not_borne_out_is_quoted_with_its_reason():
    wrong = Said("The Harbour Bridge was opened in 1930.", verdict=Verdict.CONTRADICTED)
    found = score(given(WHEN, GOOD, wrong), Criterion.ACCURACY)
    assert found.quotes == (wrong.text,)
    assert "claim 2 is contradicted: as scripted" in found.reasons
    assert found.suggestions == ("state it as the evidence does, or drop it",)


# --- completeness ------------------------------------------------------------------------------


def test_a_part_that_no_claim_speaks_of_is_told():
    half = Said("The bridge was opened on 3 May 1932.")
    found = score(given(TWO, half), Criterion.COMPLETENESS)
    assert found.score == 0.5
    assert "no claim covers “what did the bridge cost”" in found.reasons
    assert found.suggestions == ("answer “what did the bridge cost”, or say that the evidence does not",)


def test_both_parts_covered_is_complete():
    answer = given(TWO, Said("The bridge was opened on 3 May 1932."), Said("Its cost was 4 million pounds."))
    assert score(answer, Criterion.COMPLETENESS).score == 1.0


def test_what_a_supported_claim_stands_on_counts_and_what_another_does_not():
    source = "The bridge opened at a cost of 4 million pounds."
    told = Said("In 1932, for 4 million pounds.", source=source)
    assert score(given(TWO, told, texts=[source]), Criterion.COMPLETENESS).score == 1.0
    doubted = replace(told, verdict=Verdict.UNSUPPORTED)
    assert score(given(TWO, doubted, texts=[source]), Criterion.COMPLETENESS).score == 0.0


def test_a_sentence_that_claims_nothing_covers_nothing():
    half = Said("The bridge was opened on 3 May 1932.")
    silent = Said("The sources do not say what the bridge did cost.", (), None)
    assert score(given(TWO, half, silent), Criterion.COMPLETENESS).score == 0.5


@pytest.mark.parametrize(
    ("kind", "wanted", "text"),
    [
        (QuestionKind.FACTUAL, AnswerType.DATE, "3 May 1932."),
        (QuestionKind.FACTUAL, AnswerType.NUMBER, "42."),
        (QuestionKind.YES_NO, AnswerType.YES_NO, "Yes."),
    ],
)
def test_a_short_answer_of_the_type_asked_for_is_complete(kind: QuestionKind, wanted: AnswerType, text: str):
    question = replace(WHEN, kind=kind, answer_type=wanted)
    verdict = None if text == "Yes." else Verdict.SUPPORTED
    assert score(given(question, Said(text, verdict=verdict)), Criterion.COMPLETENESS).score == 1.0


def test_a_question_without_words_cannot_be_covered():
    question = Question("What is it?", "What is it?")
    assert score(given(question, GOOD), Criterion.COMPLETENESS).score is None
    assert score(given(question, GOOD), Criterion.RELEVANCE).score is None


# --- coherence ---------------------------------------------------------------------------------

FIRST = "Steel is an alloy of iron and carbon."


@pytest.mark.parametrize(
    ("texts", "expected", "reason"),
    [
        ((FIRST, "It rusts in salt water."), 1.0, "none of 2 sentences"),
        ((FIRST, "It rusts in salt water.", FIRST), 2 / 3, "sentence 3 repeats sentence 1"),
        (("The bridge opened in 1932.", "The bridge opened in 1930."), 0.4, "sentence 2 contradicts sentence 1"),
        (("The old bridge was sold then.", "The old bridge was not sold then."), 0.4, "contradicts sentence 1"),
        (("However, steel rusts.", "Salt water speeds it up."), 0.5, "sentence 1 opens with “however”"),
        ((FIRST, "It rusts in the"), 0.5, "sentence 2 breaks off"),
        ((FIRST, "It rusts in salt water"), 0.5, "sentence 2 breaks off"),
        (("Paris",), 1.0, "none of 1 sentences"),
        ((FIRST, "It rusts in salt water. ⚠"), 1.0, "none of 2 sentences"),
        (("It rusts in salt water. ⚠", "It rusts in the ⚠"), 0.5, "sentence 2 breaks off"),
        (("Sales rose by 5 % in 2010.", "Sales rose by 7 % in 2011."), 1.0, "none of 2 sentences"),
        (("- Open the lid.", "\n- Fill in water"), 1.0, "none of 2 sentences"),
    ],
)
def test_coherence_finds_repetition_contradiction_and_loose_ends(
    texts: tuple[str, ...], expected: float, reason: str
):
    found = score(given(WHEN, *(Said(each, ()) for each in texts)), Criterion.COHERENCE)
    assert found.score == pytest.approx(expected)
    assert any(reason in each for each in found.reasons), found.reasons
    assert bool(found.quotes) == bool(found.suggestions) == (expected < 1)


def test_an_answer_without_sentences_is_unknown():
    assert score(given(WHEN), Criterion.COHERENCE).score is None
    assert score(given(WHEN), Criterion.USER_ALIGNMENT).score is None
    assert estimate(given(WHEN)).passed is None


# --- relevance ---------------------------------------------------------------------------------


def test_a_claim_beside_the_question_lowers_relevance_and_is_quoted():
    beside = Said("Steel is an alloy of iron and carbon.", (2,))
    found = score(given(WHEN, GOOD, beside), Criterion.RELEVANCE)
    assert found.score == 0.5
    assert found.quotes == (beside.text,)


def test_an_answer_without_the_type_asked_for_is_on_the_subject_at_best():
    found = score(given(WHEN, Said("The Harbour Bridge was opened by Maria Keller.")), Criterion.RELEVANCE)
    assert found.score == 0.5
    assert "no claim gives a date, which the question asks for" in found.reasons


def test_the_type_alone_is_relevant():
    assert score(given(WHEN, Said("3 May 1932.")), Criterion.RELEVANCE).score == 1.0


# --- citations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((Said("It is blue."),), 1.0),
        ((Said("It is blue."), Said("It is old.", ())), 2 / 3),
        ((Said("It is blue.", ()),), 0.0),
        ((Said("It is blue."), Said("It is old.", verdict=Verdict.UNSUPPORTED)), 2 / 3),
        ((Said("It is blue.", (1, 9)), Said("It is old.")), 0.4),
        ((Said("It is blue.", verdict=Verdict.UNKNOWN),), None),
        ((Said("The sources do not say.", (), None),), None),
    ],
)
def test_citation_quality_is_recall_and_precision(said: tuple[Said, ...], expected: float | None):
    found = score(given(WHEN, *said), Criterion.CITATION_QUALITY)
    assert found.score == (None if expected is None else pytest.approx(expected))


def test_what_need_not_cite_and_does_not_has_no_citation_quality():
    told = given(WHEN, Said("It is blue.", ()))
    unasked = replace(told, review=replace(told.review, checks=()))
    assert score(unasked, Criterion.CITATION_QUALITY).score is None


def test_a_mark_that_stands_for_no_source_is_quoted():
    found = score(given(WHEN, Said("It is blue.", (9,))), Criterion.CITATION_QUALITY)
    assert "[9]" in found.quotes
    assert "drop marks that refer to no source" in found.suggestions


# --- alignment ---------------------------------------------------------------------------------


def test_another_language_than_the_question_is_told():
    german = Said("Die Brücke ist nicht von der Stadt, und das Schiff ist für die Leute mit Geld.")
    found = score(given(WHEN, german), Criterion.USER_ALIGNMENT)
    assert found.score == 0.5
    assert found.suggestions == ("answer in en",)


def test_a_long_answer_to_a_short_question_is_told():
    long = [Said(f"Thing {n} of the bridge is worth many words here.") for n in range(12)]
    found = score(given(WHEN, *long), Criterion.USER_ALIGNMENT)
    assert found.score is not None
    assert found.score < 0.7
    assert "shorten it" in found.suggestions
    assert score(given(replace(WHEN, detail=10), *long), Criterion.USER_ALIGNMENT).score == 1.0


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        (replace(WHEN, kind=QuestionKind.YES_NO), ("Yes, it was opened in 1932.",), 1.0),
        (replace(WHEN, kind=QuestionKind.YES_NO), ("It was opened in 1932.",), 2 / 3),
        (replace(WHEN, kind=QuestionKind.HOW_TO), ("1. Open the lid.", "\n2. Fill in water."), 1.0),
        (replace(WHEN, kind=QuestionKind.HOW_TO), ("Open the lid.", "Fill in water."), 2 / 3),
        (replace(WHEN, kind=QuestionKind.HOW_TO), ("Open the lid.",), 1.0),
        (replace(WHEN, answer_type=AnswerType.LIST), ("- Iron.", "\n- Carbon."), 1.0),
    ],
)
def test_the_form_that_was_asked_for_counts(question: Question, said: tuple[str, ...], expected: float):
    found = score(given(question, *(Said(each, ()) for each in said)), Criterion.USER_ALIGNMENT)
    assert found.score == pytest.approx(expected)


# --- any answer --------------------------------------------------------------------------------

SENTENCES = st.lists(
    st.builds(
        Said,
        st.text(max_size=60),
        st.lists(st.integers(1, 4), max_size=3).map(tuple),
        st.none() | st.sampled_from(list(Verdict)),
    ),
    max_size=6,
)


@for_all(SENTENCES, st.sampled_from(list(QuestionKind)), st.sampled_from(list(AnswerType)), st.integers(1, 10))
def test_any_answer_has_bounded_scores_with_reasons_and_true_quotes(
    said: list[Said], kind: QuestionKind, wanted: AnswerType, detail: int
):
    question = replace(TWO, kind=kind, answer_type=wanted, detail=detail)
    answer = given(question, *said)
    made = estimate(answer)
    for each in made.scores:
        assert each.score is None or 0 <= each.score <= 1
        assert each.reasons
        assert each.score is not None or each.reasons[0].startswith("unknown: ")
        assert all(quote in answer.draft.text for quote in each.quotes)
    assert (made.passed is None) == any(each.score is None for each in made.scores)


async def test_a_long_answer_is_read_too():
    said = [Said(f"Sentence {n} of the bridge says {n} and nothing else at all.") for n in range(200)]
    answer = given(WHEN, *said)
    made = await DeterministicAssessor().assess(answer.question, answer.evidence, answer.draft, answer.review)
    assert made == estimate(answer)
