"""An embedder that embeds no text twice, and a reader that reads none twice."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from assay.core.stages import Embedder, Reader
from assay.types import EmbeddingModel, PassageReading, ReaderModel, TitledText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Texts of which an engine keeps the vectors: about 3 MB with the bundled model.
MOST = 2048


class CachingEmbedder:
    """Wraps an embedder, for one run or for all: search, judge and checks look at the same sentences.

    Of more than `most` texts those that were asked for last are known. Safe to use from several event loops.
    """

    def __init__(self, inner: Embedder, most: int = MOST) -> None:
        self._inner = inner
        self._most = most
        # In the order in which they were last asked for.
        self._known: dict[str, NDArray[np.float32]] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> EmbeddingModel:
        """The wrapped embedder's model."""
        return self._inner.model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension)."""
        import numpy

        if not texts:
            return numpy.zeros((0, self.model.dimension), dtype=numpy.float32)
        vectors = self._recalled(texts)
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            # Copies: a row alone would keep the whole array that it came in.
            vectors.update({text: row.copy() for text, row in zip(new, await self._inner.embed(new), strict=True)})
        self._remember(vectors)
        return numpy.stack([vectors[text] for text in texts])

    def _recalled(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        with self._lock:
            return {text: self._known[text] for text in texts if text in self._known}

    def _remember(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for text, vector in vectors.items():
                self._known.pop(text, None)
                self._known[text] = vector
            for text in list(islice(self._known, max(0, len(self._known) - self._most))):
                del self._known[text]

    async def aclose(self) -> None:
        """Forget the texts; the wrapped embedder stays open."""
        with self._lock:
            self._known.clear()


class CachingReader:
    """Wraps a reader for one run: judge and writer ask the same question of the same passages."""

    def __init__(self, inner: Reader) -> None:
        self._inner = inner
        self._known: dict[tuple[str, TitledText], PassageReading] = {}

    @property
    def model(self) -> ReaderModel:
        """The wrapped reader's model."""
        return self._inner.model

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, in order; only texts that were not read for this question yet are read."""
        new = [text for text in dict.fromkeys(texts) if (question, text) not in self._known]
        if new:
            read = await self._inner.read(question, new)
            self._known.update({(question, text): reading for text, reading in zip(new, read, strict=True)})
        return tuple(self._known[question, text] for text in texts)
