"""Which questions are kept: by what a reader that follows a script makes of scripted passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from assay.evals.make.fact import Fact, Kind
from assay.evals.make.filter import QuestionFilter, Reading, is_sure
from assay.evals.make.unanswerable import Swap, is_unanswered, open_swaps, unexplained
from assay.evals.make.wording import Wording
from assay.types import AnswerSpan, Evidence, Hit, Passage, PassageReading, SearchSettings, Span, TitledText
from unit.evals.make.documents import document

QUESTION = "How many people does Bay Hall hold?"
OWN, OTHER = "Bay Hall holds 300 people.", "The Royal Mill grinds 40 sacks."


class Passages:
    """What a search of the collection finds: always these passages."""

    def __init__(self, *texts: str) -> None:
        self.found = [Passage(f"p{n}", f"d{n}", "r", 0, len(text), text) for n, text in enumerate(texts)]

    async def asearch(self, query: str, settings: SearchSettings) -> Evidence:
        return Evidence(tuple(Hit(passage, 1.0) for passage in self.found))


class Reader:
    """Reads each text as the script says: its log odds, and the words of the likeliest answer."""

    def __init__(self, script: Mapping[str, tuple[float, str]]) -> None:
        self.script = script

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        return tuple(self._read(text.text) for text in texts)

    def _read(self, text: str) -> PassageReading:
        odds, said = self.script[text]
        start = text.index(said)
        return PassageReading(odds, (AnswerSpan(start, start + len(said), odds),), 0.0, 0.0)


def reads(script: Mapping[str, tuple[float, str]]) -> QuestionFilter:
    passages: Any = Passages(*script)
    reader: Any = Reader(script)
    return QuestionFilter(passages, reader)


def hall() -> Fact:
    start = OWN.index("300")
    wording = Wording("How many people", "does", "", "Bay Hall", "hold")
    return Fact(Kind.NUMBER, "d0", Span(0, len(OWN)), Span(start, start + 10), "300 people", wording)


@pytest.mark.parametrize(
    ("own", "other", "kept"),
    [
        ((4.0, "300 people"), (-4.0, "40 sacks"), True),
        ((0.0, "300 people"), (-4.0, "40 sacks"), False),
        ((4.0, "Bay"), (-4.0, "40 sacks"), False),
        ((2.0, "300 people"), (4.0, "40 sacks"), False),
    ],
)
async def test_only_the_surest_reading_of_the_right_place_is_kept(
    own: tuple[float, str], other: tuple[float, str], kept: bool
) -> None:
    assert is_sure(await reads({OWN: own, OTHER: other}).read(QUESTION, hall())) is kept


async def test_another_passage_may_say_the_same() -> None:
    reading = await reads({OWN: (2.0, "300 people"), "Up to 300 people.": (4.0, "300 people")}).read(
        QUESTION, hall()
    )
    assert reading is not None
    assert (reading.finds, reading.rival) == (True, 0.0)


def test_what_no_passage_holds_is_not_sure() -> None:
    assert not is_sure(None)
    assert not is_sure(Reading(0.9, False, 0.0))


@pytest.mark.parametrize(
    ("texts", "unanswered"),
    [
        ({OWN: (-4.0, "300"), OTHER: (-4.0, "40")}, True),
        ({OWN: (-4.0, "300"), OTHER: (1.0, "40")}, False),
        ({OWN: (-4.0, "300"), "Bay Hall was built by Ann.": (-4.0, "Ann")}, False),
        ({OWN: (-4.0, "300"), "Bay Hall was erected by Ann.": (-4.0, "Ann")}, False),
    ],
)
async def test_a_question_is_unanswered_where_nothing_tells(
    texts: Mapping[str, tuple[float, str]], unanswered: bool
) -> None:
    asked = Wording("Who", "was", "", "Bay Hall", "built by")
    assert await is_unanswered(Swap(asked, Kind.MAKER, frozenset({"built"})), reads(texts)) is unanswered


def test_acronyms_that_nothing_explains_are_found() -> None:
    told = "The FOOBR guild met. The World Health Organization met WHO experts. IT IS A SIGN. Rewind REWIND now.\n"
    assert unexplained([document(told)], ["XYZ"]) == ["FOOBR"]


async def test_a_definition_is_asked_what_documents_seldom_tell() -> None:
    class Embedder:
        async def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
            return np.eye(len(texts), dtype=np.float32)

    foyer = Fact(Kind.DEFINITION, "d0", Span(0, 9), Span(0, 4), "a room", Wording("What", "is", "", "a foyer"))
    embedder: Any = Embedder()
    swaps = (await open_swaps([foyer], embedder)).of(foyer)
    questions = {swap.wording.question for swap in swaps}
    assert questions == {"Who coined the term “foyer”?", "When was the term “foyer” first used?"}
