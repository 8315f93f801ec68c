"""What holds of every reader: the one that runs a network, and all that wrap one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core.stages import Reader
from assay.core.tape import Tape
from assay.models.reader import OnnxReader
from assay.models.remember import CachingReader
from assay.records.replay import TapedReader
from assay.testing.fakes import ScriptedReader
from assay.types import PassageReading, TitledText

TINY = Path(__file__).parents[1] / "unit" / "models" / "tiny_reader"
ASKED = "When does it open ?"
TEXTS = [TitledText("Hours", "It opens at nine sharp"), TitledText("", "yes"), TitledText("Hours", "ten or nine")]
NETWORK = OnnxReader.load(TINY, threads=1)


def _scripted() -> ScriptedReader:
    readings = NETWORK.read_now(ASKED, TEXTS)
    return ScriptedReader({(ASKED, text.text): each for text, each in zip(TEXTS, readings, strict=True)})


READERS: dict[str, Callable[[], Reader]] = {
    "network": lambda: NETWORK,
    "caching": lambda: CachingReader(NETWORK),
    "taped": lambda: TapedReader(NETWORK, Tape()),
    "scripted": _scripted,
}


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> Reader:
    return READERS[request.param]()


async def test_a_reading_of_each_text_in_order_whatever_is_read_with_it(reader: Reader) -> None:
    together = await reader.read(ASKED, TEXTS)
    alone = [await reader.read(ASKED, [text]) for text in TEXTS]
    assert together == tuple(each for (each,) in alone)
    assert await reader.read(ASKED, TEXTS[::-1]) == together[::-1]


async def test_a_text_that_is_given_twice_is_read_alike(reader: Reader) -> None:
    first, _, again = await reader.read(ASKED, [TEXTS[0], TEXTS[1], TEXTS[0]])
    assert first == again


async def test_nothing_to_read_gives_nothing(reader: Reader) -> None:
    assert await reader.read(ASKED, []) == ()


async def test_spans_lie_in_the_text_and_shares_in_0_to_1(reader: Reader) -> None:
    for text, found in zip(TEXTS, await reader.read(ASKED, TEXTS), strict=True):
        assert isinstance(found, PassageReading)
        assert all(0 <= each.start < each.end <= len(text.text) for each in found.spans)
        assert 0 <= found.yes <= 1
        assert 0 <= found.no <= 1
        assert found.yes + found.no <= 1 + 1e-6


def test_it_says_which_model_reads_what(reader: Reader) -> None:
    assert reader.model.id
    assert len(reader.model.sha256) == 64
    assert "en" in reader.model.languages
