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
    diverged: Diverge = report_bug

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Diverged."""
        raise self._error(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """Raises Diverged."""
        raise self._error(request)
        yield ""

    def _error(self, request: ModelRequest) -> Diverged:
        return self.diverged(f"the {request.role} model {self.name}", quoted(request.messages[-1].text))

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class EmbedderStub:
    """The description of an embedder, and no vectors."""

    model: EmbeddingModel
    diverged: Diverge = report_bug

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raises Diverged."""
        raise self.diverged(f"the embedder {self.model.id}", quoted(*texts))

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class CheckerStub:
    """The description of a checker, and no verdicts."""

    model: CheckerModel
    diverged: Diverge = report_bug

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Raises Diverged."""
        raise self.diverged(f"the checker {self.model.id}", quoted(*(pair.claim for pair in pairs)))


@dataclass(frozen=True, slots=True)
class ReaderStub:
    """The description of a reader, and no readings."""

    model: ReaderModel
    diverged: Diverge = report_bug

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """Raises Diverged."""
        raise self.diverged(f"the reader {self.model.id}", quoted(question))


@dataclass(frozen=True, slots=True)
class SpellerStub:
    """No collection to spell by."""

    diverged: Diverge = report_bug

    async def corrections(self, text: str) -> tuple[Correction, ...]:
        """Raises Diverged."""
        raise self.diverged("the collection's words", quoted(text))


@dataclass(frozen=True, slots=True)
class RetrieverStub:
    """Nothing to search, neither the collection nor a service; `named` says which of them it stands for."""

    named: str = "the collection"
    diverged: Diverge = report_bug

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """Raises Diverged."""
        raise self.diverged(self.named, quoted(*queries))


def quoted(*texts: str) -> str:
    """The texts on one line, cut to what an error may quote.

    >>> quoted("How hot?", "How  cold?")
    'How hot?; How cold?'
    """
    line = "; ".join(" ".join(text.split()) for text in texts)
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"
