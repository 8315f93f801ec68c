"""An embedder, a reader and a checker that ask their network nothing twice."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from assay.core.stages import Checker, CheckerModel, Embedder, Pair, Reader
from assay.types import EmbeddingModel, PassageReading, ReaderModel, TitledText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Texts of which an engine keeps the vectors: about 3 MB with the bundled model.
MOST = 2048
# Readings and verdicts that an engine keeps for the next question: with passages of 1,000 characters about 6 MB.
MOST_SHARED = 4096

Key = TypeVar("Key", bound=Hashable)
Known = TypeVar("Known")


class _LatestUsed(Generic[Key, Known]):
    """The latest `most` entries that were asked for. Safe to use from several threads.

    >>> latest = _LatestUsed[str, int](1)
    >>> latest.remember({"a": 1, "b": 2})
    >>> latest.recall(["a", "b"])
    {'b': 2}
    """

    def __init__(self, most: int) -> None:
        self._most = most
        # In the order in which they were last asked for.
        self._known: dict[Key, Known] = {}
        self._lock = threading.Lock()

    def recall(self, keys: Iterable[Key]) -> dict[Key, Known]:
        """The known ones of the keys, with what is known of them."""
        with self._lock:
            return {key: self._known[key] for key in keys if key in self._known}

    def remember(self, known: Mapping[Key, Known]) -> None:
        """Keep these as the latest, and drop the oldest beyond the limit."""
        with self._lock:
            for key, value in known.items():
                self._known.pop(key, None)
                self._known[key] = value
            for key in list(islice(self._known, max(0, len(self._known) - self._most))):
                del self._known[key]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._known.clear()


class CachingEmbedder:
    """Wraps an embedder, for one run or for all: search, judge and checks look at the same sentences.

    Of more than `most` texts those that were asked for last are known. Safe to use from several event loops.
    """

    def __init__(self, inner: Embedder, most: int = MOST) -> None:
        self._inner = inner
        self._latest = _LatestUsed[str, "NDArray[np.float32]"](most)

    @property
    def model(self) -> EmbeddingModel:
        """The wrapped embedder's model."""
        return self._inner.model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension)."""
        import numpy

        if not texts:
            return numpy.zeros((0, self.model.dimension), dtype=numpy.float32)
        vectors = self._latest.recall(texts)
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            # Copies: a row alone would keep the whole array that it came in.
            vectors.update({text: row.copy() for text, row in zip(new, await self._inner.embed(new), strict=True)})
        self._latest.remember(vectors)
        return numpy.stack([vectors[text] for text in texts])

    async def aclose(self) -> None:
        """Forget the texts; the wrapped embedder stays open."""
        self._latest.clear()


class CachingReader:
    """Wraps a reader: judge and writer, and the next one who asks, ask the same question of the same passages."""

    def __init__(self, inner: Reader, most: int = MOST_SHARED) -> None:
        self.inner = inner
        self._latest = _LatestUsed[tuple[str, TitledText], PassageReading](most)

    @property
    def model(self) -> ReaderModel:
        """The wrapped reader's model."""
        return self.inner.model

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, in order; only texts that were not read for this question yet are read."""
        readings = self._latest.recall((question, text) for text in texts)
        new = [text for text in dict.fromkeys(texts) if (question, text) not in readings]
        if new:
            read = await self.inner.read(question, new)
            readings.update({(question, text): reading for text, reading in zip(new, read, strict=True)})
        self._latest.remember(readings)
        return tuple(readings[question, text] for text in texts)


class CachingChecker:
    """Wraps a checker: the same answer to the same question is checked against the same sources."""

    def __init__(self, inner: Checker) -> None:
        self.inner = inner
        self._latest = _LatestUsed[Pair, "NDArray[np.float32]"](MOST_SHARED)

    @property
    def model(self) -> CheckerModel:
        """The wrapped checker's model."""
        return self.inner.model

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Probabilities as the wrapped checker gives them, shape (pairs, 3); only new pairs are read."""
        import numpy

        if not pairs:
            return numpy.zeros((0, 3), dtype=numpy.float32)
        verdicts = self._latest.recall(pairs)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in verdicts]
        if new:
            verdicts.update({pair: row.copy() for pair, row in zip(new, await self.inner.check(new), strict=True)})
        self._latest.remember(verdicts)
        return numpy.stack([verdicts[pair] for pair in pairs])
