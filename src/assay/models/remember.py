"""An embedder that embeds no text twice within one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.stages import Embedder
from assay.types import EmbeddingModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RememberingEmbedder:
    """Wraps an embedder for one run: the judge, the writer and the checks look at the same sentences."""

    inner: Embedder
    known: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def model(self) -> EmbeddingModel:
        """The wrapped embedder's model."""
        return self.inner.model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension)."""
        import numpy

        new = list(dict.fromkeys(text for text in texts if text not in self.known))
        if new:
            vectors = await self.inner.embed(new)
            self.known.update(zip(new, vectors, strict=True))
        if not texts:
            return numpy.zeros((0, self.model.dimension), dtype=numpy.float32)
        return numpy.stack([self.known[text] for text in texts])

    async def aclose(self) -> None:
        """Forget the run's texts; the wrapped embedder stays open for the next run."""
        self.known.clear()
