from __future__ import annotations

import pytest

from assay.types import AnswerType, Message, QuestionKind
from assay.understanding.kinds import answer_type_of, kind_of
from assay.understanding.rules import RulesUnderstander, aspects, understand_by_rules


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who won the race?", AnswerType.PERSON),
        ("When did the war end?", AnswerType.DATE),
        ("What year did the war end?", AnswerType.DATE),
        ("Where was Mozart born?", AnswerType.PLACE),
        ("Which city hosts the court?", AnswerType.PLACE),
        ("How many moons has Mars?", AnswerType.NUMBER),
        ("What is the population of Rome?", AnswerType.NUMBER),
        ("Why is the sky blue?", AnswerType.REASON),
        ("How do I reset the password?", AnswerType.PROCEDURE),
        ("What is photosynthesis?", AnswerType.DEFINITION),
        ("Is Wellington in the north island?", AnswerType.YES_NO),
        ("List the colours of the flag", AnswerType.LIST),
        ("Which magazine was published first?", AnswerType.NAME),
        ("CCL19 is absent within dLNs.", AnswerType.OTHER),
        ("Ice melts when it is warm, which is how seas rise.", AnswerType.OTHER),
        ("What should I do when it rains?", AnswerType.OTHER),
        ("when did the war end", AnswerType.DATE),
        ("In which year did it end?", AnswerType.DATE),
        ("第七届香港立法会议员宣誓仪式的时间", AnswerType.DATE),
        ("超级碗冠军是谁", AnswerType.PERSON),
        ("大会在哪里举办", AnswerType.PLACE),
        ("一共有多少人", AnswerType.NUMBER),
        ("为什么天空是蓝色的", AnswerType.REASON),
    ],
)
def test_the_question_word_tells_the_answer_type(question: str, expected: AnswerType) -> None:
    assert answer_type_of(question) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which is larger, Mars or Venus?", QuestionKind.COMPARATIVE),
        ("How do I reset the password?", QuestionKind.HOW_TO),
        ("Is it blue?", QuestionKind.YES_NO),
        ("Why is the sky blue?", QuestionKind.INTERPRETIVE),
        ("Who won the race?", QuestionKind.FACTUAL),
    ],
)
def test_the_words_tell_the_kind(question: str, expected: QuestionKind) -> None:
    assert kind_of(question, carried=False) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who founded Rome?", ("Who founded Rome",)),
        ("When did it open, and how much did it cost?", ("When did it open", "how much did it cost")),
        ("Do they pay? Who is eligible?", ("Do they pay", "Who is eligible")),
        ("What is the difference between a hub and a switch?", ("a hub", "a switch")),
        ("Which magazine came first, Guitar World or Science News?", ("Guitar World", "Science News")),
        ("???", ()),
    ],
)
def test_each_part_asked_is_an_aspect(question: str, expected: tuple[str, ...]) -> None:
    assert aspects(question) == expected


async def test_a_question_is_understood_whole() -> None:
    history = (Message("user", "When was Emma published?"),)
    question = await RulesUnderstander().understand("Who wrote it? Explain in detail for beginners", history)
    assert question.standalone.startswith("Who wrote Emma?")
    assert (question.language, question.expertise, question.detail) == ("en", "beginner", 8)
    assert question.history == history


def test_what_keeps_a_question_from_being_understood_is_said() -> None:
    assert understand_by_rules("When did it open?").unclear == 'it is not clear what "it" refers to'
    assert understand_by_rules("When did the museum open?").unclear is None


def test_brevity_is_heard() -> None:
    assert understand_by_rules("Briefly, why is the sky blue?").detail == 1
    assert understand_by_rules("Why is the sky blue?").detail == 5


def test_questions_of_different_types_together_have_no_type() -> None:
    assert understand_by_rules("When did it open, and how much did it cost?").answer_type is AnswerType.OTHER
    assert understand_by_rules("Who founded Rome and who destroyed Carthage?").answer_type is AnswerType.PERSON


def test_a_choice_in_a_statement_is_one_aspect() -> None:
    claim = "1% of cancer patients are diagnosed with regional or distant metastases."
    assert len(understand_by_rules(claim).aspects) == 1
