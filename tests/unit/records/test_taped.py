"""A reader on the tape: what it made of the texts is played back, and of no others."""

from __future__ import annotations

import pytest

from assay.core.tape import Tape
from assay.errors import Diverged
from assay.records.replay import TapedReader
from assay.records.replay_stubs import ReaderStub
from assay.testing.fakes import ScriptedReader
from assay.types import AnswerSpan, PassageReading, ReaderModel, TitledText

ASKED = "How hot is it?"
TEXTS = [TitledText("Tea", "It is 90 °C."), TitledText("", "\ud800 cold")]
READINGS = (
    PassageReading(1 / 3, (AnswerSpan(6, 11, 2.5), AnswerSpan(0, 2, -0.1)), 0.25, 0.125),
    PassageReading(-2.0, (), 0.0, 1.0),
)


def script() -> ScriptedReader:
    return ScriptedReader({(ASKED, text.text): each for text, each in zip(TEXTS, READINGS, strict=True)})


async def recorded() -> Tape:
    tape = Tape()
    assert await TapedReader(script(), tape).read(ASKED, TEXTS) == READINGS
    return tape


async def test_a_replay_gives_the_same_readings_and_asks_nobody() -> None:
    gone = TapedReader(ReaderStub(script().model), Tape((await recorded()).entries))
    assert await gone.read(ASKED, TEXTS) == READINGS
    assert gone.model == script().model


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How cold is it?", TEXTS),
        (ASKED, TEXTS[:1]),
        (ASKED, TEXTS[::-1]),
        (ASKED, [TitledText("Ice", TEXTS[0].text), TEXTS[1]]),
    ],
)
async def test_what_was_not_read_then_diverges(question: str, texts: list[TitledText]) -> None:
    gone = TapedReader(ReaderStub(script().model), Tape((await recorded()).entries))
    with pytest.raises(Diverged):
        await gone.read(question, texts)


async def test_another_reader_diverges() -> None:
    other = ReaderModel("other", "1" * 64, ("en",))
    with pytest.raises(Diverged):
        await TapedReader(ReaderStub(other), Tape((await recorded()).entries)).read(ASKED, TEXTS)


async def test_a_gone_reader_is_never_asked() -> None:
    with pytest.raises(Diverged):
        await ReaderStub(script().model).read(ASKED, TEXTS)
