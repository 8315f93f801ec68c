"""The reader, on a stand-in whose logits are fixed for each word; see models/reader/tiny.py."""

from __future__ import annotations

import json
import math
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.models.reader import OnnxReader
from assay.types import PassageReading, TitledText

TINY = Path(__file__).parent / "tiny_reader"
ASKED = "When does it open ?"


@pytest.fixture(scope="module")
def reader() -> OnnxReader:
    return OnnxReader.load(TINY)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of one's own, free to be damaged."""
    return Path(shutil.copytree(TINY, tmp_path / "reader"))


def read(reader: OnnxReader, *texts: str, title: str = "") -> tuple[PassageReading, ...]:
    return reader.read_now(ASKED, [TitledText(title, text) for text in texts])


def test_it_says_which_model_it_is(reader: OnnxReader) -> None:
    assert (reader.model.id, reader.model.languages, len(reader.model.sha256)) == ("tiny-reader", ("en",), 64)


def test_the_span_is_a_place_in_the_text_and_its_score_is_against_no_answer(reader: OnnxReader) -> None:
    text = "It opens at nine o'clock sharp today"
    (found,) = read(reader, text)
    first = found.spans[0]
    assert text[first.start : first.end] == "nine o'clock sharp"
    # 5 as the first word and 4 as the last, less 0.5 + 0.5 for "no answer".
    assert first.score == pytest.approx(8)
    # 2 for "nine", cooled by the temperature.
    assert found.answerable == pytest.approx(1)


def test_spans_do_not_overlap_and_the_best_come_first(reader: OnnxReader) -> None:
    text = "nine sharp or perhaps ten"
    (found,) = read(reader, text)
    assert [text[each.start : each.end] for each in found.spans[:2]] == ["nine sharp", "ten"]
    ordered_map = sorted(found.spans, key=lambda each: each.start)
    assert all(one.end <= other.start for one, other in pairwise(ordered_map))
    assert [each.score for each in found.spans] == sorted((each.score for each in found.spans), reverse=True)


def test_words_of_the_question_and_the_title_are_no_place_of_an_answer(reader: OnnxReader) -> None:
    (found,) = reader.read_now("nine sharp ?", [TitledText("nine sharp", "it is ten")])
    assert (found.spans[0].start, found.spans[0].end) == (6, 9)
    # The title is read, too: 2 and 1 for its "nine" and the text's "ten"; the question's words add nothing.
    assert found.answerable == pytest.approx(1.5)


def test_yes_and_no_are_shares(reader: OnnxReader) -> None:
    yes, no, neither = read(reader, "yes", "no", "well")
    share = math.exp(3) / (math.exp(3) + 2)
    assert (yes.yes, no.no) == (pytest.approx(share), pytest.approx(share))
    assert (neither.yes, neither.no) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_a_reading_does_not_depend_on_what_is_read_with_it(reader: OnnxReader) -> None:
    texts = ["nine sharp", "", "it is " * 90 + "ten", "yes"]
    alone = tuple(read(reader, text)[0] for text in texts)
    assert read(reader, *texts) == alone


def test_a_long_text_is_read_to_its_end(reader: OnnxReader) -> None:
    text = "word " * 400 + "nine sharp"
    (found,) = read(reader, text)
    first = found.spans[0]
    assert text[first.start : first.end] == "nine sharp"
    assert found.answerable == pytest.approx(1)


def test_the_best_window_decides_and_its_spans_are_told_once(reader: OnnxReader) -> None:
    (found,) = read(reader, "word " * 120 + "ten " + "word " * 200)
    assert found.answerable == pytest.approx(0.5)
    assert len({(each.start, each.end) for each in found.spans}) == len(found.spans)


def test_no_tokenizer_chokes_on_a_lone_surrogate(reader: OnnxReader) -> None:
    (found,) = read(reader, "\ud800 nine", title="\udfff")
    assert (found.spans[0].start, found.spans[0].end) == (2, 6)


async def test_reading_off_the_event_loop_gives_the_same_and_nothing_gives_nothing(reader: OnnxReader) -> None:
    assert await reader.read(ASKED, [TitledText("", "nine")]) == read(reader, "nine")
    assert await reader.read(ASKED, []) == ()


def test_a_score_that_is_no_number_is_refused(reader: OnnxReader) -> None:
    with pytest.raises(UsageError, match="tiny-reader gave a score that is not a number"):
        read(reader, "broken")


def test_closing_twice_is_harmless() -> None:
    own = OnnxReader.load(TINY, threads=1)
    own.close()
    own.close()


@pytest.mark.parametrize(
    "change",
    [{"temperature": 0}, {"max_tokens": 64}, {"languages": "en"}, {"id": ""}, {"schema": "assay-checker/1"}],
)
def test_a_manifest_that_fits_no_reader_is_refused(copy: Path, change: dict[str, object]) -> None:
    path = copy / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UsageError, match=next(iter(change))) as raised:
        OnnxReader.load(copy)
    assert "pip install --force-reinstall ./models" in raised.value.hint
