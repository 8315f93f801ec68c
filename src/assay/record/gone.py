"""What stands in for a port that a replay must not call: its tape answers instead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import Diverged
from assay.ports import CheckerModel, Pair
from assay.types import (
    Correction,
    EmbeddingModel,
    Evidence,
    ModelReply,
    ModelRequest,
    PassageReading,
    ReaderModel,
    TitledText,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class GoneModel:
    """The name of a language model, and nothing to ask."""

    name: str
    host: str = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Diverged."""
        raise _diverged(self.name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """Raises Diverged."""
        raise _diverged(self.name)
        yield ""

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class GoneEmbedder:
    """The description of an embedder, and no vectors."""

    model: EmbeddingModel

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raises Diverged."""
        raise _diverged(self.model.id)

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class GoneChecker:
    """The description of a checker, and no verdicts."""

    model: CheckerModel

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Raises Diverged."""
        raise _diverged(self.model.id)


@dataclass(frozen=True, slots=True)
class GoneReader:
    """The description of a reader, and no readings."""

    model: ReaderModel

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """Raises Diverged."""
        raise _diverged(self.model.id)


@dataclass(frozen=True, slots=True)
class GoneSpeller:
    """No collection to spell by."""

    async def corrections(self, text: str) -> tuple[Correction, ...]:
        """Raises Diverged."""
        raise _diverged("the collection's words")


@dataclass(frozen=True, slots=True)
class GoneRetriever:
    """No collection to search."""

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """Raises Diverged."""
        raise _diverged("the collection")


def _diverged(what: str) -> Diverged:
    return Diverged(f"a replay asked {what}, which it must not", hint="report this: it is a bug of assay")
