"""A reader from the hub: "nine" begins an answer, "sharp" ends one, "ten" does both, and nothing else is one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.models.reader import SpanReader
from assay.types import TitledText

from .tiny_hub import answerer, hub_folder, reranker

WORDS = {"nine": (5, 1), "sharp": (1, 4), "ten": (3, 3), "it": (0, 0), "broken": (math.nan, 0)}


@pytest.fixture
def reader(tmp_path: Path) -> SpanReader:
    return SpanReader.load(hub_folder(tmp_path / "squad", WORDS, answerer(WORDS)))


def told(text: str, span: tuple[int, int]) -> str:
    return text[span[0] : span[1]]


def test_the_likeliest_span_comes_first(reader: SpanReader) -> None:
    text = "it is nine sharp or ten"
    [reading] = reader.read_now("when is it", [TitledText("", text)])
    assert [told(text, (each.start, each.end)) for each in reading.spans][:2] == ["nine sharp", "ten"]
    assert reading.answerable == reading.spans[0].score == pytest.approx(9)
    assert (reading.yes, reading.no) == (0.0, 0.0)


def test_a_text_without_an_answer_is_not_likelier_than_none(reader: SpanReader) -> None:
    [reading] = reader.read_now("when is it", [TitledText("", "it is so")])
    assert reading.answerable == pytest.approx(0)


def test_no_answer_stands_in_the_title_or_in_the_question(reader: SpanReader) -> None:
    [reading] = reader.read_now("is it nine sharp", [TitledText("nine sharp", "it is ten")])
    assert told("it is ten", (reading.spans[0].start, reading.spans[0].end)) == "ten"
    assert reading.answerable == pytest.approx(6)


def test_a_long_text_is_read_in_windows(reader: SpanReader) -> None:
    text = "it " * 300 + "nine sharp"
    [reading] = reader.read_now("when", [TitledText("", text)])
    assert told(text, (reading.spans[0].start, reading.spans[0].end)) == "nine sharp"


def test_a_text_of_nothing_answers_nothing(reader: SpanReader) -> None:
    for text in (TitledText("", ""), TitledText("nine " * 100, "")):
        [reading] = reader.read_now("when", [text])
        assert reading.spans == ()
        assert math.isfinite(reading.answerable)
        assert reading.answerable < -1e6


async def test_a_reading_does_not_depend_on_the_others(reader: SpanReader) -> None:
    texts = [TitledText("", "nine"), TitledText("ten", "it \ud800"), TitledText("", "it " * 200)]
    assert await reader.read("when", texts) == tuple(reader.read_now("when", [each])[0] for each in texts)
    assert await reader.read("when", []) == ()


def test_a_score_that_is_no_number_is_refused(reader: SpanReader) -> None:
    with pytest.raises(UsageError, match="gave no score for some token"):
        reader.read_now("when", [TitledText("", "broken")])


def test_a_network_that_gives_no_spans_is_refused(tmp_path: Path) -> None:
    one = {"it": (1,)}
    reader = SpanReader.load(hub_folder(tmp_path, one, reranker(one)))
    with pytest.raises(UsageError, match="gives no start_logits and no end_logits"):
        reader.read_now("when", [TitledText("", "it")])
