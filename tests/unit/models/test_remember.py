"""The remembering embedder and reader: what they were asked before, they do not ask again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.models.caching import CachingEmbedder, CachingReader
from assay.testing.fakes import ScriptedReader
from assay.types import EmbeddingModel, PassageReading, TitledText


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
