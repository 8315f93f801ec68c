"""The ports: what stages are handed, and the run wraps so that it knows the budget, the deadline and the tape."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assay.calibration import ClaimPolicy
from assay.types import (
    Document,
    DocumentRecord,
    EmbeddingModel,
    Event,
    Found,
    Metadata,
    ModelReply,
    ModelRequest,
    Passage,
    PassageReading,
    ReaderModel,
    TitledText,
    Value,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """Tell the time."""

    def monotonic(self) -> float:
        """Seconds that only rise, for durations and deadlines."""
        ...

    def time(self) -> float:
        """Unix seconds, for dates."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        ...


class LLM(Protocol):
    """Ask a language model."""

    @property
    def name(self) -> str:
        """`provider:model`, as it is written in settings."""
        ...

    @property
    def host(self) -> str:
        """The host that prompts are sent to; empty where they do not leave this process."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply, however it ended. Raises ProviderError, BudgetSpent."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply's text piece by piece, then the reply with the whole text. Raises as `complete`."""
        ...

    async def aclose(self) -> None:
        """Release connections; calling it twice is harmless."""
        ...


class Embedder(Protocol):
    """Turn texts into vectors."""

    @property
    def model(self) -> EmbeddingModel:
        """Which model the vectors come from."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension)."""
        ...

    async def aclose(self) -> None:
        """Release threads and connections; calling it twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim and the text that it is read against."""

    claim: str
    evidence: str


@dataclass(frozen=True, slots=True)
class CheckerModel(Value):
    """Which model the verdicts come from: another id or hash means that they cannot be compared.

    `languages` are ISO 639-1 codes of the texts that it reads. The `policy` says what its verdicts settle;
    without one they settle nothing.
    """

    id: str
    sha256: str
    languages: tuple[str, ...]
    policy: ClaimPolicy | None


class Checker(Protocol):
    """Say whether texts support claims or contradict them."""

    @property
    def model(self) -> CheckerModel:
        """Which model the verdicts come from."""
        ...

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Probabilities that the evidence supports, contradicts, and does neither, shape (pairs, 3).

        Those of a pair do not depend on what else is read with it.
        """
        ...


class Reader(Protocol):
    """Read a question beside texts: whether each answers it, and where."""

    @property
    def model(self) -> ReaderModel:
        """Which model the readings come from."""
        ...

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, in order, whatever else is read with it."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A document ready to be stored: its passages and one vector a passage, shape (passages, dimension)."""

    document: Document
    passages: tuple[Passage, ...]
    vectors: NDArray[np.float32]


class Index(Protocol):
    """Keep documents whole, and find their passages by words and by vector.

    `where` keeps the passages whose metadata equal every value given. Every change raises the version by
    one, and a change made by another process is seen by the next call.
    """

    @property
    def model(self) -> EmbeddingModel:
        """The model of the stored vectors."""
        ...

    async def add(self, entries: Sequence[Entry]) -> int:
        """Store the entries in one transaction, each replacing the document of its id; return the version."""
        ...

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; unknown ids are ignored; return the version."""
        ...

    async def documents(self) -> tuple[DocumentRecord, ...]:
        """All documents, ordered by source, then id."""
        ...

    async def document(self, document_id: str) -> Document | None:
        """The document as stored, or None."""
        ...

    async def passages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of those ids, in that order; ids that are gone are left out."""
        ...

    async def vectors(self, passage_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for one gone."""
        ...

    async def dense(self, vector: NDArray[np.float32], k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest cosine to `vector` (shape (dimension,)), best first."""
        ...

    async def sparse(self, text: str, k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest BM25 score for the words of `text`, best first; no query syntax."""
        ...

    async def term_counts(self, terms: Sequence[str] | None = None) -> Mapping[str, int]:
        """In how many passages each term stands, titles included: of all terms, or of the ones given that stand."""
        ...

    async def holding(self, term: str, k: int) -> tuple[str, ...]:
        """The ids of the first k passages that hold a term in title or text, as stored."""
        ...

    async def size(self) -> int:
        """How many passages there are."""
        ...

    async def version(self) -> int:
        """The collection's version: 0 when new, one more after each change."""
        ...

    async def close(self) -> None:
        """Release files and threads; calling it twice is harmless."""
        ...


class Sink(Protocol):
    """Receive what happens in runs: a record, a log, a trace. A sink that raises costs a warning only."""

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        ...

    def receive(self, run_id: str, event: Event) -> None:
        """Something happened in it; the last event is Done or Failed."""
        ...

    def close(self) -> None:
        """Release files; calling it twice is harmless."""
        ...
