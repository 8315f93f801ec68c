"""The networks of a recorded run, opened when a replay under other settings first asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from assay.calibration import ClaimPolicy
from assay.core.stages import Checker, CheckerModel, Embedder, Pair, Reader
from assay.core.tape import Tape
from assay.errors import AssayError
from assay.records.replay_stubs import CheckerStub, EmbedderStub, ReaderStub
from assay.settings import Settings
from assay.types import EmbeddingModel, PassageReading, ReaderModel, TitledText
from assay.wiring import open_embedder
from assay.wiring.networks import OpenChecker, OpenReader, open_checker_network, open_reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Network = TypeVar("Network")
Closing = Sequence[Callable[[], None]]


@dataclass(slots=True)
class Opening(Generic[Network]):
    """Opens a network once, in a thread, when it is first asked for."""

    opens: Callable[[], Network]
    opened: Network | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def network(self) -> Network:
        """The network."""
        async with self._lock:
            if self.opened is None:
                self.opened = await asyncio.to_thread(self.opens)
            return self.opened


@dataclass(frozen=True, slots=True)
class LateEmbedder:
    """An embedder that is opened when it is first asked."""

    model: EmbeddingModel
    opening: Opening[Embedder]

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension)."""
        return await (await self.opening.network()).embed(texts)

    async def aclose(self) -> None:
        """Close the embedder if it was opened."""
        if self.opening.opened is not None:
            await self.opening.opened.aclose()


@dataclass(frozen=True, slots=True)
class LateChecker:
    """A checker that is opened when it is first asked."""

    model: CheckerModel
    opening: Opening[Checker]

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Three probabilities a pair, shape (pairs, 3)."""
        return await (await self.opening.network()).check(pairs)


@dataclass(frozen=True, slots=True)
class LateReader:
    """A reader that is opened when it is first asked."""

    model: ReaderModel
    opening: Opening[Reader]

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text."""
        return await (await self.opening.network()).read(question, texts)


def embedder_on_demand(settings: Settings, model: EmbeddingModel, tape: Tape) -> LateEmbedder:
    """The recorded embedder; a service, or another network than then, may not be asked."""

    def opens() -> tuple[Embedder, Closing] | None:
        return None if settings.embedder.startswith("openai:") else (open_embedder(settings), ())

    stub: Embedder = EmbedderStub(model, tape.diverge)
    opening, _ = _opening_of(opens, stub, lambda found: found.model.sha256 == model.sha256)
    return LateEmbedder(model, opening)


def checker_on_demand(settings: Settings, recorded: dict[str, Any] | None, tape: Tape) -> OpenChecker | None:
    """The recorded checker, None where the run had none; another network than then may not be asked."""
    if recorded is None:
        return None
    policy = None if recorded["policy"] is None else ClaimPolicy.read(recorded["policy"])
    model = CheckerModel(recorded["id"], recorded["sha256"], tuple(recorded["languages"]), policy)

    def opens() -> tuple[Checker, Closing] | None:
        found = open_checker_network(settings)
        return None if found is None else (found.checker, found.closing)

    stub: Checker = CheckerStub(model, tape.diverge)
    opening, close = _opening_of(opens, stub, lambda found: found.model == model)
    return OpenChecker(LateChecker(model, opening), (close,))


def reader_on_demand(settings: Settings, recorded: dict[str, Any] | None, tape: Tape) -> OpenReader | None:
    """The recorded reader, None where the run had none; another network than then may not be asked."""
    if recorded is None:
        return None
    model = ReaderModel(recorded["id"], recorded["sha256"], tuple(recorded["languages"]))

    def opens() -> tuple[Reader, Closing] | None:
        found = open_reader(settings)
        return None if found is None else (found.reader, found.closing)

    stub: Reader = ReaderStub(model, tape.diverge)
    opening, close = _opening_of(opens, stub, lambda found: found.model.sha256 == model.sha256)
    return OpenReader(LateReader(model, opening), (close,))


def _opening_of(
    opens: Callable[[], tuple[Network, Closing] | None], stub: Network, is_recorded: Callable[[Network], bool]
) -> tuple[Opening[Network], Callable[[], None]]:
    """The opening of a recorded network, and a function that closes what it opened.

    Where there is no network now, it cannot be opened, or it is another one than then, `stub` takes its place.
    """
    closing: list[Callable[[], None]] = []

    def network() -> Network:
        try:
            found = opens()
        except AssayError:  # it was removed since
            return stub
        if found is None:
            return stub
        closing.extend(found[1])
        return found[0] if is_recorded(found[0]) else stub

    def close() -> None:
        for close_part in closing:
            close_part()

    return Opening(network), close
