from __future__ import annotations

import asyncio
from dataclasses import replace

from assay.types import Contradiction, Evidence, Hit, Passage, Reading, Sentence
from assay.understanding.rules import understand_by_rules
from assay.writing.extractive import ExtractiveWriter

TEXTS = {
    "a": "Harlow Barracks is large. The Harlow Barracks were built in 1878 by the army.",
    "b": "Some say Harlow Barracks was built in 1920 for the navy.",
    "c": "Harlow Barracks is painted red.",
}
EVIDENCE = Evidence(tuple(Hit(Passage(key, key, "", 0, len(text), text), 1.0) for key, text in TEXTS.items()))


def written(evidence: Evidence) -> list[tuple[str, tuple[str, ...]]]:
    async def gather() -> list[tuple[str, tuple[str, ...]]]:
        question = understand_by_rules("When was the Harlow Barracks built?")
        parts = [part async for part in ExtractiveWriter().write(question, evidence, ())]
        return [(part.text, part.passage_ids) for part in parts if isinstance(part, Sentence)]

    return asyncio.run(gather())


def disagreeing(*readings: Reading) -> Evidence:
    return replace(EVIDENCE, contradictions=(Contradiction("when it was built", readings),))


def test_each_reading_is_quoted_with_its_source() -> None:
    assert written(disagreeing(Reading("1920", ("b",)), Reading("1878", ("a",)))) == [
        ("Some say Harlow Barracks was built in 1920 for the navy.", ("b",)),
        ("The Harlow Barracks were built in 1878 by the army.", ("a",)),
    ]


def test_readings_that_cannot_be_quoted_leave_the_answer_as_it_is() -> None:
    assert written(disagreeing(Reading("1920", ("b",)), Reading("1999", ("gone",)))) == written(EVIDENCE)


def test_a_reading_that_points_back_is_quoted_behind_the_sentence_before() -> None:
    text = "Harlow Barracks stands in Ulm. It was built in 1920 for the navy."
    passage = Passage("b", "b", "", 0, len(text), text)
    others = disagreeing(Reading("1920", ("b",)), Reading("1878", ("a",)))
    found = replace(others, hits=(EVIDENCE.hits[0], Hit(passage, 1.0)))
    assert ("Harlow Barracks stands in Ulm.", ("b",)) in written(found)
