from __future__ import annotations

import numpy as np
import pytest

from assay.judging.query_terms import query_terms_of
from assay.judging.recommendation import Thresholds, quality_of, recommend, triage_of
from assay.judging.signals import (
    LONGEST_LINE,
    MOST_LINES,
    expressed_share,
    nearness_beyond_topic,
    read_passage,
    telling_lines,
    word_signals,
)
from assay.types import Action, AnswerType, Aspect, Passage, Question, Triage


def passage(text: str, key: str = "p") -> Passage:
    return Passage(key, "d", "", 0, len(text), text)


def asked(text: str, wanted: AnswerType = AnswerType.OTHER) -> Question:
    return Question(text, text, answer_type=wanted)


def test_quality_and_triage_follow_the_thresholds() -> None:
    at = Thresholds()
    assert [quality_of(s, at) for s in (0.9, 0.7, 0.5, 0.49, None)] == [
        "excellent",
        "good",
        "partial",
        "poor",
        "unknown",
    ]
    assert [triage_of(s, at) for s in (0.7, 0.3, 0.29)] == [Triage.CORRECT, Triage.AMBIGUOUS, Triage.INCORRECT]
    assert triage_of(0.6, Thresholds(correct=0.6)) is Triage.CORRECT


@pytest.mark.parametrize(
    ("triage", "passages", "unclear", "action"),
    [
        (Triage.CORRECT, 3, None, Action.ANSWER),
        (Triage.CORRECT, 3, "it", Action.ANSWER),
        (Triage.AMBIGUOUS, 3, None, Action.REFINE),
        (Triage.AMBIGUOUS, 3, "it", Action.CLARIFY),
        (Triage.INCORRECT, 3, None, Action.EXTERNAL),
        (None, 0, None, Action.EXTERNAL),
        (None, 2, None, Action.ABSTAIN),
        (None, 2, "it", Action.CLARIFY),
    ],
)
def test_every_action_can_be_reached(
    triage: Triage | None, passages: int, unclear: str | None, action: Action
) -> None:
    recommended = recommend(triage, (), passages, unclear)
    assert recommended.action is action
    assert recommended.reason


def test_the_reason_names_what_is_missing() -> None:
    assert '"switches"' in recommend(Triage.CORRECT, (Aspect("switches", "missing"),), 1, None).reason


def test_an_answer_of_the_type_near_the_question_counts() -> None:
    query_terms = query_terms_of(asked("When was Emma published?", AnswerType.DATE))
    dated = word_signals(query_terms, [read_passage(passage("Emma was published in December 1815."), query_terms)])
    undated = word_signals(query_terms, [read_passage(passage("Emma was published by John Murray."), query_terms)])
    assert dated["typed"] == 1.0
    assert undated["typed"] == 0.0
    assert dated["cover_all"] == undated["cover_all"] == 1.0


def test_phrases_names_and_numbers_are_measured() -> None:
    query_terms = query_terms_of(asked("Did Acme Corporation grow 12 percent?"))
    held = word_signals(query_terms, [read_passage(passage("Acme Corporation grew by 12 percent."), query_terms)])
    lost = word_signals(query_terms, [read_passage(passage("The corporation has 15 offices."), query_terms)])
    assert (held["names"], held["numbers"]) == (1.0, 1.0)
    assert (lost["names"], lost["numbers"], lost["pairs"]) == (0.0, 0.0, 0.0)


def test_sentences_that_add_up_reach_further_than_one() -> None:
    question = np.array([0.6, 0.8, 0.0], np.float32)
    first, second = np.eye(3, dtype=np.float32)[:2]
    assert expressed_share(question, np.stack([first])) == pytest.approx(0.6, abs=1e-6)
    assert expressed_share(question, np.stack([first, first])) == pytest.approx(0.6, abs=1e-6)
    assert expressed_share(question, np.stack([first, second])) == pytest.approx(1.0, abs=1e-6)
    assert expressed_share(question, np.zeros((0, 3), np.float32)) == 0.0
    assert expressed_share(np.zeros(3, np.float32), np.stack([first])) == 0.0


def test_the_topic_alone_is_no_answer() -> None:
    topic, relation, other = np.eye(3, dtype=np.float32)
    question = (topic + relation) / np.float32(2**0.5)
    near_miss = ((topic + 0.1 * other) / np.float32(1.01**0.5))[None, :]
    answer = ((topic + relation) / np.float32(2**0.5))[None, :]
    assert nearness_beyond_topic(question, near_miss, None) > 0.7
    assert nearness_beyond_topic(question, near_miss, topic) < 0.3
    assert nearness_beyond_topic(question, answer, topic) == pytest.approx(1.0, abs=1e-5)
    assert nearness_beyond_topic(topic, answer, topic) == pytest.approx(
        nearness_beyond_topic(topic, answer, None), abs=1e-5
    )
    assert nearness_beyond_topic(question, np.zeros((0, 3), np.float32), None) == 0.0


def test_few_short_sentences_are_embedded() -> None:
    query_terms = query_terms_of(asked("Who founded Rome?"))
    text = " ".join(f"Rome was founded {'long ' * 100}{n}." for n in range(9))
    lines = telling_lines(query_terms, [read_passage(passage(text), query_terms)], {})
    assert len(lines) <= MOST_LINES
    assert all(len(line) <= LONGEST_LINE for line in lines)


def test_a_title_counts_for_its_passage() -> None:
    query_terms = query_terms_of(asked("Who founded Rome?"))
    titled = Passage("p", "d", "", 0, 17, "Romulus founded it.", "Rome")
    assert read_passage(titled, query_terms).cover == 1.0


def test_a_name_of_letters_and_digits_is_looked_for_by_the_terms_that_passages_have():
    assert query_terms_of(asked("Was Acme hit by Y2K?")).names == (("acm",), ("y2", "k"))
