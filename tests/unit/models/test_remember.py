"""The remembering embedder and reader: what they were asked before, they do not ask again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.core.stages import Pair
from assay.models.caching import CachingChecker, CachingEmbedder, CachingReader
from assay.testing.fakes import ScriptedChecker, ScriptedReader
from assay.types import EmbeddingModel, PassageReading, TitledText
from support.always import Always


class Counting:
    """An embedder that keeps what it was asked; a text's vector is its length."""

    model = EmbeddingModel("lengths", 1, "0" * 64)

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return np.array([[len(text)] for text in texts], np.float32)

    async def aclose(self) -> None:
        raise AssertionError("whoever opened it closes it")


async def test_only_new_texts_are_asked_for_each_once() -> None:
    inner = Counting()
    embedder = CachingEmbedder(inner)
    assert (await embedder.embed(["a", "bb", "a"])).tolist() == [[1], [2], [1]]
    assert (await embedder.embed(["ccc", "bb"])).tolist() == [[3], [2]]
    assert inner.asked == [["a", "bb"], ["ccc"]]


async def test_nothing_asked_gives_no_rows() -> None:
    inner = Counting()
    assert (await CachingEmbedder(inner).embed([])).shape == (0, 1)
    assert inner.asked == []


async def test_of_too_many_the_last_asked_for_stay() -> None:
    inner = Counting()
    embedder = CachingEmbedder(inner, most=2)
    await embedder.embed(["a", "bb"])
    await embedder.embed(["a"])
    await embedder.embed(["ccc"])
    assert (await embedder.embed(["a", "ccc"])).tolist() == [[1], [3]]
    assert inner.asked == [["a", "bb"], ["ccc"]]
    assert (await embedder.embed(["bb", "dddd", "ccc", "a"])).tolist() == [[2], [4], [3], [1]]
    assert inner.asked[2:] == [["bb", "dddd"]]


async def test_what_is_given_can_be_changed_without_harm() -> None:
    embedder = CachingEmbedder(Counting())
    first = await embedder.embed(["a"])
    first[:] = 9
    assert (await embedder.embed(["a"])).tolist() == [[1]]
    await embedder.aclose()


async def test_a_text_is_read_once_for_each_question_under_each_title() -> None:
    hot, cold = PassageReading(1.0, (), 0.0, 0.0), PassageReading(-1.0, (), 0.0, 0.0)
    inner = ScriptedReader({("How hot?", "tea"): hot, ("How hot?", "ice"): cold, ("Is it hot?", "tea"): hot})
    reader = CachingReader(inner)
    tea, ice, titled = TitledText("", "tea"), TitledText("", "ice"), TitledText("Drinks", "tea")
    assert await reader.read("How hot?", [tea, ice, tea]) == (hot, cold, hot)
    assert await reader.read("How hot?", [ice]) == (cold,)
    assert await reader.read("How hot?", []) == ()
    assert inner.asked == [("How hot?", tea), ("How hot?", ice)]
    await reader.read("Is it hot?", [tea])
    await reader.read("How hot?", [titled])
    assert inner.asked[2:] == [("Is it hot?", tea), ("How hot?", titled)]
    assert reader.model == inner.model


async def test_of_many_readings_the_latest_are_kept() -> None:
    reading = PassageReading(1.0, (), 0.0, 0.0)
    inner = ScriptedReader(Always(reading))
    reader = CachingReader(inner, most=1)
    tea, ice = TitledText("", "tea"), TitledText("", "ice")
    for text in (tea, ice, ice, tea):
        await reader.read("How hot?", [text])
    assert [text for _, text in inner.asked] == [tea, ice, tea]


async def test_a_pair_is_checked_once() -> None:
    inner = ScriptedChecker({"It is hot.": (0.9, 0.0), "It is cold.": (0.0, 0.9)}, None)
    checker = CachingChecker(inner)
    tea, ice = Pair("It is hot.", "tea"), Pair("It is cold.", "tea")
    first = await checker.check([tea, ice, tea])
    assert (await checker.check([ice])).tolist() == first[1:2].tolist()
    assert first[0].tolist() == first[2].tolist()
    assert inner.asked == [tea, ice]
