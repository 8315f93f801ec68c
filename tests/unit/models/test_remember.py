"""The remembering embedder: what it was asked before, it does not ask again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.models.remember import RememberingEmbedder
from assay.types import EmbeddingModel


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
    embedder = RememberingEmbedder(inner)
    assert (await embedder.embed(["a", "bb", "a"])).tolist() == [[1], [2], [1]]
    assert (await embedder.embed(["ccc", "bb"])).tolist() == [[3], [2]]
    assert inner.asked == [["a", "bb"], ["ccc"]]


async def test_nothing_asked_gives_no_rows() -> None:
    inner = Counting()
    assert (await RememberingEmbedder(inner).embed([])).shape == (0, 1)
    assert inner.asked == []


async def test_of_too_many_the_last_asked_for_stay() -> None:
    inner = Counting()
    embedder = RememberingEmbedder(inner, most=2)
    await embedder.embed(["a", "bb"])
    await embedder.embed(["a"])
    await embedder.embed(["ccc"])
    assert (await embedder.embed(["a", "ccc"])).tolist() == [[1], [3]]
    assert inner.asked == [["a", "bb"], ["ccc"]]
    assert (await embedder.embed(["bb", "dddd", "ccc", "a"])).tolist() == [[2], [4], [3], [1]]
    assert inner.asked[2:] == [["bb", "dddd"]]


async def test_what_is_given_can_be_changed_without_harm() -> None:
    embedder = RememberingEmbedder(Counting())
    first = await embedder.embed(["a"])
    first[:] = 9
    assert (await embedder.embed(["a"])).tolist() == [[1]]
    await embedder.aclose()
