from __future__ import annotations

import pytest

from assay.nlp.answer_types import candidates, new_candidates, tells
from assay.types import AnswerType


def found(text: str, wanted: AnswerType) -> list[str]:
    return [text[span.start : span.end] for span in candidates(text, wanted)]


TEXT = "In 1997, Barack Obama met Angela Merkel in Berlin on 3 May 1998 because 2,500 people came."


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (AnswerType.DATE, ["1997", "3 May 1998"]),
        (AnswerType.NUMBER, ["2,500"]),
        (AnswerType.PERSON, ["Barack Obama", "Angela Merkel"]),
        (AnswerType.PLACE, ["Berlin"]),
        (AnswerType.REASON, ["because"]),
        (AnswerType.OTHER, []),
        (AnswerType.YES_NO, []),
    ],
)
def test_shapes_of_english(wanted: AnswerType, expected: list[str]) -> None:
    assert found(TEXT, wanted) == expected


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("仪式在2022年1月3日举行", AnswerType.DATE, ["2022年1月3日"]),
        ("死亡人数上升至119人", AnswerType.NUMBER, ["119"]),
        ("It costs $1.5 million.", AnswerType.NUMBER, ["$1.5 million"]),
        ("Twenty-two of them left.", AnswerType.NUMBER, ["Twenty-two"]),
        ("He read “Emma”.", AnswerType.NAME, ["Emma", "Emma"]),
        ("The rain fell.", AnswerType.NAME, []),
    ],
)
def test_other_shapes(text: str, wanted: AnswerType, expected: list[str]) -> None:
    assert found(text, wanted) == expected


def test_what_the_question_says_is_no_answer() -> None:
    assert new_candidates("Ann Lee was born in 1950.", AnswerType.PERSON, "When was Ann Lee born?") == ()
    assert len(new_candidates("Ann Lee met Bob Ray.", AnswerType.PERSON, "Whom did Ann Lee meet?")) == 1


def test_names_cannot_be_told_without_capitals() -> None:
    assert not tells(AnswerType.PERSON, "山口茜夺冠")
    assert tells(AnswerType.PERSON, "Yamaguchi won")
    assert not tells(AnswerType.OTHER, "anything")
