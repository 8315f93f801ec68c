"""An embedder whose texts are embedded by the workers of a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.core.stages import Embedder
from assay.types import EmbeddingModel
from assay.wiring.cluster import rows
from assay.wiring.cluster.connection import ActorPool

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The lane of calls that embed.
EMBED = "embed"
# Texts for one worker at a time: about two seconds of a small network, so that a call's own cost does not count,
# and little is lost with a machine. Chosen.
TEXTS_A_CALL = 128


class ClusterEmbedder:
    """Embeds as `local` would; a machine that is lost costs only that what it was given is embedded by another."""

    def __init__(self, local: Embedder, pool: ActorPool) -> None:
        self._local = local
        self._pool = pool

    @property
    def model(self) -> EmbeddingModel:
        """The model that the vectors come from."""
        return self._local.model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension). Raises ProviderFailed."""
        if not texts:
            return np.zeros((0, self.model.dimension), np.float32)
        # Long texts cost more, and stand together in a collection: taken in turns, the shares are alike.
        shares = -(-len(texts) // TEXTS_A_CALL)
        parts = await asyncio.gather(*(self._embed(texts[at::shares]) for at in range(shares)))
        vectors = np.empty((len(texts), self.model.dimension), np.float32)
        for at, part in enumerate(parts):
            vectors[at::shares] = part
        return vectors

    async def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors, error = await self._pool.call(EMBED, "embed", list(texts))
        if error:
            raise rows.read_error(error)
        found: NDArray[np.float32] = vectors
        return found

    async def aclose(self) -> None:
        """End the workers; calling it twice is harmless."""
        self._pool.close()
        await self._local.aclose()
