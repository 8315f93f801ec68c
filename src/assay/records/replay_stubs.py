"""Stubs for the ports that a replay must not call: its tape answers instead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.stages import CheckerModel, Pair
from assay.errors import Diverged
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

# The error of a call, from who is called and what is asked.
Diverge = Callable[[str, str], Diverged]
# Characters of a request that an error quotes (chosen).
_QUOTED = 300


def report_bug(called: str, _request: str) -> Diverged:
    """The error of a replay under the recorded settings, which finds every call on its tape or stops there."""
    return Diverged(f"a replay asked {called}, which it must not", hint="report this: it is a bug of assay")


@dataclass(frozen=True, slots=True)
class ModelStub:
    """The name of a language model, and nothing to ask."""

    name: str
    host: str = ""
    diverge: Diverge = report_bug

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Diverged."""
        raise self._error(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """Raises Diverged."""
        raise self._error(request)
        yield ""

    def _error(self, request: ModelRequest) -> Diverged:
        return self.diverge(f"the {request.role} model {self.name}", excerpt(request.messages[-1].text))

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class EmbedderStub:
    """The description of an embedder, and no vectors."""

    model: EmbeddingModel
    diverge: Diverge = report_bug

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raises Diverged."""
        raise self.diverge(f"the embedder {self.model.id}", excerpt(*texts))

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class CheckerStub:
    """The description of a checker, and no verdicts."""

    model: CheckerModel
    diverge: Diverge = report_bug

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Raises Diverged."""
        raise self.diverge(f"the checker {self.model.id}", excerpt(*(pair.claim for pair in pairs)))


@dataclass(frozen=True, slots=True)
class ReaderStub:
    """The description of a reader, and no readings."""

    model: ReaderModel
    diverge: Diverge = report_bug

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """Raises Diverged."""
        raise self.diverge(f"the reader {self.model.id}", excerpt(question))


@dataclass(frozen=True, slots=True)
class SpellerStub:
    """No collection to spell by."""

    diverge: Diverge = report_bug

    async def corrections(self, text: str) -> tuple[Correction, ...]:
        """Raises Diverged."""
        raise self.diverge("the collection's words", excerpt(text))


@dataclass(frozen=True, slots=True)
class RetrieverStub:
    """Nothing to search, neither the collection nor a service; `named` says which of them it stands for."""

    named: str = "the collection"
    diverge: Diverge = report_bug

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """Raises Diverged."""
        raise self.diverge(self.named, excerpt(*queries))


def excerpt(*texts: str) -> str:
    """The texts on one line, cut to what an error may quote.

    >>> excerpt("How hot?", "How  cold?")
    'How hot?; How cold?'
    """
    line = "; ".join(" ".join(text.split()) for text in texts)
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"
