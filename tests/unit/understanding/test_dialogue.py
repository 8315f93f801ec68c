from __future__ import annotations

import pytest

from assay.types import Message
from assay.understanding.dialogue import LONGEST, standalone


def said(*texts: str) -> tuple[Message, ...]:
    return tuple(Message("user", text) for text in texts)


@pytest.mark.parametrize(
    ("earlier", "asked", "expected"),
    [
        ("Where is the Eiffel Tower?", "How tall is it?", "How tall is the Eiffel Tower?"),
        ("Was Andre Gunder Frank a sociologist?", "Was he a communist?", "Was Andre Gunder Frank a communist?"),
        ("Who founded Rome?", "What is its population?", "What is Rome's population?"),
        ("What was the revenue in 2019?", "And in 2020?", "What was the revenue in 2020?"),
        ("When was Emma published?", "What about Persuasion?", "When was Persuasion published?"),
        ("2022年超级碗冠军是谁？", "它在哪里举办？", "2022年超级碗冠军在哪里举办？"),
        ("超级碗冠军是谁？", "世界杯冠军呢？", "超级碗冠军是谁 世界杯冠军?"),
        ("Where is the Bronx located?", "Why?", "Why (the Bronx)"),
    ],
)
def test_a_follow_up_carries_what_it_leaves_out(earlier: str, asked: str, expected: str) -> None:
    turn = standalone(asked, said(earlier))
    assert turn.standalone == expected
    assert turn.carried


@pytest.mark.parametrize(
    ("earlier", "asked", "topic"),
    [
        ("Where is the Bronx located?", "New size", "the Bronx"),
        ("What is the Medicaid Buy-In Program?", "How can I apply?", "the Medicaid Buy-In Program"),
        ("When does the library close?", "How many books can I borrow?", "the library close"),
    ],
)
def test_a_turn_that_may_be_about_the_topic_stays_as_it_is(earlier: str, asked: str, topic: str) -> None:
    turn = standalone(asked, said(earlier))
    assert (turn.standalone, turn.topic, turn.carried) == (asked, topic, True)


@pytest.mark.parametrize(
    "asked",
    [
        "How many people live in Rome?",
        "Is it possible to swim in the Tiber?",
        "Is there a museum in Turin?",
        "Who wrote Emma and when did she publish it?",
        "What does this agreement cover for part-time staff?",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(asked: str) -> None:
    turn = standalone(asked, said("When was the Eiffel Tower built?"))
    assert turn.standalone == asked
    assert not turn.carried
    assert turn.unresolved is None


def test_a_pronoun_with_nothing_before_it_is_unresolved() -> None:
    assert standalone("When did it open?", ()).unresolved == "it"


def test_the_topic_is_the_last_turn_that_names_one() -> None:
    history = (*said("Where is the Eiffel Tower?"), Message("assistant", "In Paris."), *said("Why?"))
    assert standalone("How tall is it?", history).standalone == "How tall is the Eiffel Tower?"


def test_the_assistant_names_no_topic() -> None:
    history = (Message("assistant", "Ask me about Berlin."),)
    assert standalone("How tall is it?", history).standalone == "How tall is it?"


def test_a_page_of_text_is_not_rewritten() -> None:
    text = "it " * LONGEST
    assert standalone(text, said("Where is Rome?")).standalone == text.strip()


@pytest.mark.parametrize(
    ("earlier", "turn", "expected"),
    [
        ("When was the ferry built?", "And the museum?", "When was the museum built?"),
        ("How much is the monthly rent?", "What about the deposit?", "How much is the deposit?"),
        ("How old is the tower?", "And the bridge?", "How old is the bridge?"),
        ("Does the museum open on Sunday?", "And the library?", "Does the library open on Sunday?"),
        ("What is the role of the liver?", "And the kidney?", "What is the role of the kidney?"),
    ],
)
def test_a_noun_takes_the_place_of_the_earlier_one(earlier: str, turn: str, expected: str) -> None:
    assert standalone(turn, (Message("user", earlier),)).standalone == expected
