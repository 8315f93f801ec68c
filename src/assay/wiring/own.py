"""Parts that a caller brings: checked for what they must be able to do, and held as ours are."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from assay.core.stages import LLM, Checker, Embedder, Index, Retriever
from assay.errors import UsageError
from assay.retrieval.quarantine import QuarantiningRetriever
from assay.settings import Settings
from assay.types import Evidence, SearchSettings
from assay.wiring.search import search_settings

_PROTOCOLS: Mapping[str, type] = {
    "llm": LLM,
    "embedder": Embedder,
    "retriever": Retriever,
    "index": Index,
    "checker": Checker,
}
# Settings of assay's own search, which a retriever of the caller's cannot heed.
_OF_OUR_SEARCH = ("where", "mode", "fusion", "mmr", "reranker")


@dataclass(frozen=True, slots=True)
class OwnParts:
    """The parts that the caller brings, None for each that assay brings itself."""

    llm: LLM | None = None
    embedder: Embedder | None = None
    retriever: Retriever | None = None
    index: Index | None = None
    checker: Checker | None = None

    def __post_init__(self) -> None:
        for name, protocol in _PROTOCOLS.items():
            part = getattr(self, name)
            if part is not None:
                refuse_unfit(name, part, protocol)


def refuse_unfit(name: str, part: object, protocol: type) -> None:
    """Raise UsageError where a part lacks something of its protocol, or does not await where it must.

    >>> refuse_unfit("retriever", "text", Retriever)
    Traceback (most recent call last):
    ...
    assay.errors.UsageError: the retriever, a str, has no retrieve(queries)
    """
    hint = f"see assay.core.stages.{protocol.__name__}; assay.integrations.own wraps parts of other frameworks"
    for member, wanted in vars(protocol).items():
        if member.startswith("_"):
            continue
        called = f"{member}{_parameters(wanted)}"
        try:
            found = getattr(part, member)
        except AttributeError:
            raise UsageError(f"the {name}, a {type(part).__name__}, has no {called}", hint=hint) from None
        if isinstance(wanted, property):
            continue
        if not callable(found):
            raise UsageError(f"{member} of the {name}, a {type(part).__name__}, cannot be called", hint=hint)
        plain = inspect.isfunction(getattr(found, "__func__", found)) and not inspect.iscoroutinefunction(found)
        if plain and inspect.iscoroutinefunction(wanted):
            said = f"{called} of the {name}, a {type(part).__name__}, is not async"
            raise UsageError(said, hint=f"write async def {member}")


def _parameters(member: object) -> str:
    if not inspect.isfunction(member):
        return ""
    names = [
        parameter.name for parameter in inspect.signature(member).parameters.values() if parameter.name != "self"
    ]
    return f"({', '.join(names)})"


class _Borrowed:
    """A part of the caller's, which is left open when the engine closes."""

    def __init__(self, part: object) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    async def aclose(self) -> None:
        """Leave it open."""

    async def close(self) -> None:
        """Leave it open."""


def borrowed_embedder(embedder: Embedder) -> Embedder:
    """The embedder, left open when the engine closes."""
    return cast("Embedder", _Borrowed(embedder))


def borrowed_index(index: Index) -> Index:
    """The index, left open when the engine closes."""
    return cast("Index", _Borrowed(index))


@dataclass(frozen=True, slots=True)
class OwnRetriever:
    """The first `k` passages of a retriever of the caller's."""

    inner: Retriever
    k: int

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The passages, best first. Raises UsageError where it gives anything but evidence."""
        found = await self.inner.retrieve(queries)
        if not isinstance(found, Evidence):
            raise UsageError(
                f"the retriever gave {type(found).__name__}, not evidence",
                hint="return assay.Evidence((assay.Hit(passage, score), …)) from retrieve",
            )
        return replace(found, hits=found.hits[: self.k])


@dataclass(frozen=True, slots=True)
class OwnSearch:
    """Searches by a retriever of the caller's. Raises UsageError for settings that it cannot heed."""

    inner: Retriever

    def plain(self, settings: SearchSettings) -> Retriever:
        """The passages as they were found."""
        if replace(settings, k=0) != SearchSettings(k=0):
            raise UsageError(
                "the retriever is your own: of the settings of a search it heeds k alone",
                hint="set the others where you make it",
            )
        return OwnRetriever(self.inner, settings.k)

    def of(self, settings: Settings, *, tells: bool) -> Retriever:
        """The retriever for answers, which masks planted instructions; `tells` notes them."""
        idle = next((name for name in _OF_OUR_SEARCH if settings.was_set(name)), None)
        if idle is not None:
            raise UsageError(
                f"{settings.display_name(idle)} changes nothing: the retriever is your own",
                hint="set it where you make it",
            )
        return QuarantiningRetriever(self.plain(search_settings(settings)), tells=tells)
