"""Haystack: components that retrieve, judge the documents, check replies and fix them.

Each has `run` and `run_async`. Errors of the engine are not caught. An engine is open only in its process, so build
the pipeline in code: it cannot be read from YAML.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.engine import Engine
from assay.errors import MissingExtra
from assay.integrations.passages import (
    FrameworkDocument,
    asearch_masked,
    fix_object,
    metadata_of,
    passages_of,
    review_object,
    search_masked,
    text_of,
)
from assay.types import Evidence, Passage, SearchSettings

try:
    from haystack import Document, component
    from haystack.dataclasses import ChatMessage
except ImportError as error:
    raise MissingExtra(
        f"the pieces for Haystack need a package that is not installed, or too old: {error.name}",
        hint='pip install "haystack-ai>=3"',
    ) from error


@component
class AssayRetriever:
    """Takes `query`, gives `documents` of an engine's collection, best first; `search` overrides the settings."""

    def __init__(self, engine: Engine, search: SearchSettings | None = None) -> None:
        self.engine = engine
        self.search = search

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, Any]:
        """The documents for a query."""
        return {"documents": _documents(search_masked(self.engine, query, self.search))}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str) -> dict[str, Any]:
        """As `run`."""
        return {"documents": _documents(await asearch_masked(self.engine, query, self.search))}


@component
class AssayJudge:
    """Takes `query` and `documents`, gives the `judgement`: they suffice if its `recommendation` is ANSWER."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @component.output_types(judgement=dict[str, Any])
    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        """The judgement of these documents."""
        return {"judgement": self.engine.judge(query, _passages(documents)).to_dict()}

    @component.output_types(judgement=dict[str, Any])
    async def run_async(self, query: str, documents: list[Document]) -> dict[str, Any]:
        """As `run`."""
        return {"judgement": (await self.engine.ajudge(query, _passages(documents))).to_dict()}


@component
class AssayChecker:
    """Takes a generator's `replies` and their `documents`, gives `reviews`, one per reply.

    The `status` of each is passed, failed or unknown; `[n]` in a reply stands for the n-th document.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @component.output_types(reviews=list[dict[str, Any]])
    def run(self, replies: list[str] | list[ChatMessage], documents: list[Document]) -> dict[str, Any]:
        """The review of each reply."""
        passages = _passages(documents)
        return {"reviews": [review_object(self.engine.check(text_of(reply), passages)) for reply in replies]}

    @component.output_types(reviews=list[dict[str, Any]])
    async def run_async(self, replies: list[str] | list[ChatMessage], documents: list[Document]) -> dict[str, Any]:
        """As `run`."""
        passages = _passages(documents)
        return {"reviews": [review_object(await self.engine.acheck(text_of(reply), passages)) for reply in replies]}


@component
class AssayFixer:
    """Takes `replies` and their `documents`, gives the fixed `replies` and their `fixes`, one per reply.

    What cannot be repaired is marked with ⚠, or taken out where it is to `drop`.
    """

    def __init__(self, engine: Engine, drop: bool = False) -> None:
        self.engine = engine
        self.drop = drop

    @component.output_types(replies=list[str], fixes=list[dict[str, Any]])
    def run(self, replies: list[str] | list[ChatMessage], documents: list[Document]) -> dict[str, Any]:
        """The fixed replies."""
        passages = _passages(documents)
        fixes = [fix_object(self.engine.fix(text_of(reply), passages, drop=self.drop)) for reply in replies]
        return {"replies": [reply["text"] for reply in fixes], "fixes": fixes}

    @component.output_types(replies=list[str], fixes=list[dict[str, Any]])
    async def run_async(self, replies: list[str] | list[ChatMessage], documents: list[Document]) -> dict[str, Any]:
        """As `run`."""
        passages = _passages(documents)
        fixes = [fix_object(await self.engine.afix(text_of(reply), passages, drop=self.drop)) for reply in replies]
        return {"replies": [reply["text"] for reply in fixes], "fixes": fixes}


def _documents(evidence: Evidence) -> list[Document]:
    return [
        Document(id=hit.passage.passage_id, content=hit.passage.text, meta=metadata_of(hit), score=hit.score)
        for hit in evidence.hits
    ]


def _passages(documents: Iterable[Document]) -> tuple[Passage, ...]:
    return passages_of(FrameworkDocument(document.content, document.id, document.meta) for document in documents)
