"""The tools that agents may call: what each takes, does and gives. All of them only read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, Protocol, TypeVar

from pydantic import Field, StrictInt

from assay.agents.shapes import (
    AnswerResult,
    Arguments,
    CollectionResult,
    CollectionResults,
    EvidenceResult,
    Excerpt,
    QuestionArguments,
    ReviewResult,
    SearchResults,
    Shape,
)
from assay.errors import UsageError
from assay.mcp_server import text
from assay.types import AskOptions, CollectionSummary, Passage, Span

if TYPE_CHECKING:
    from assay.core.stages import Emit
    from assay.engine import Engine

# Chosen: what one call may read, so that an agent's context window holds it.
_LONGEST_EXCERPT = 20_000
_USUAL_EXCERPT = 2_000
_MOST_AROUND = 5_000
_MOST_PASSAGES = 50
# Chosen: what one call may have checked; some 400 claims take half a minute against a collection.
_LONGEST_TEXT = 20_000
_MOST_SOURCES = 100
_LONGEST_SOURCE = 200_000

CollectionName = Annotated[
    str | None,
    Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$",
        description="the collection's name, as list_collections gives it; the default one if left out",
    ),
]


class Collections(Protocol):
    """Lend the engines of one caller's collections."""

    @property
    def default(self) -> str:
        """The name of the collection that is used where none is named."""
        ...

    def shown(self, text: str) -> str:
        """The text as the caller may read it: without places of the server that mean nothing to them."""
        ...

    def engine(self, name: str) -> AbstractAsyncContextManager[Engine]:
        """The engine of a collection, open for as long as the block. Raises UnknownCollection, UsageError."""
        ...

    def checker(self) -> AbstractAsyncContextManager[Engine]:
        """An engine that checks texts against given sources; it may have no collection."""
        ...

    async def summaries(self) -> tuple[CollectionSummary, ...]:
        """The caller's collections, sorted by name."""
        ...


class AskArguments(QuestionArguments):
    """A question to a collection."""

    collection: CollectionName = None


class SearchArguments(Arguments):
    """A query to a collection."""

    query: str = Field(min_length=1, description="what to search for, in plain words; there is no query syntax")
    k: StrictInt | None = Field(
        default=None,
        ge=1,
        le=_MOST_PASSAGES,
        description="how many passages; by default as many as the server is set to, usually 8",
    )
    collection: CollectionName = None


class SourceArguments(Arguments):
    """A stretch of a document: by passage, or by document and offsets."""

    document_id: str | None = Field(default=None, description="the document, as a source or passage names it")
    start: StrictInt = Field(default=0, ge=0, description="where the stretch begins, as a source or passage says")
    end: StrictInt | None = Field(
        default=None,
        ge=1,
        description=f"where it ends, at most {_LONGEST_EXCERPT} characters on; {_USUAL_EXCERPT} on if left out",
    )
    passage_id: str | None = Field(
        default=None,
        description="instead: a passage by its id; the document and offsets count where it is not stored",
    )
    around: StrictInt = Field(
        default=500, ge=0, le=_MOST_AROUND, description="characters of the document to give before and behind"
    )
    collection: CollectionName = None


class GivenSource(Arguments):
    """A source to check against."""

    text: str = Field(min_length=1, max_length=_LONGEST_SOURCE)
    title: str = Field(default="", max_length=1_000)


class CheckArguments(Arguments):
    """A text to check."""

    text: str = Field(min_length=1, max_length=_LONGEST_TEXT, description="the text whose claims are tested")
    sources: list[GivenSource | str] | None = Field(
        default=None,
        min_length=1,
        max_length=_MOST_SOURCES,
        description="what to test it against; the collection's passages on it if left out",
    )
    collection: CollectionName = None


class NoArguments(Arguments):
    """Nothing."""


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Shape)


@dataclass(frozen=True, slots=True)
class McpTool(Generic[A, R]):
    """A tool: its arguments and its result with their schemas, what it does, and the result as plain text.

    `may_look_outside` is true where the settings may let it search sources outside the documents.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[R]
    run: Callable[[A, Collections, Emit], Awaitable[R]]
    text: Callable[[R], str]
    may_look_outside: bool = False


async def _ask(arguments: AskArguments, collections: Collections, emit: Emit) -> AnswerResult:
    from assay.agents.results import answer_result

    async with collections.engine(arguments.collection or collections.default) as engine:
        answer = await engine.aask(arguments.question, arguments.messages(), emit)
    return await asyncio.to_thread(answer_result, answer)


async def _search(arguments: SearchArguments, collections: Collections, _emit: Emit) -> SearchResults:
    from assay.agents.results import search_results

    options = None if arguments.k is None else AskOptions(k=arguments.k)
    async with collections.engine(arguments.collection or collections.default) as engine:
        evidence = await engine.asearch(arguments.query, options=options)
    return await asyncio.to_thread(search_results, evidence)


async def _judge(arguments: AskArguments, collections: Collections, _emit: Emit) -> EvidenceResult:
    from assay.agents.results import evidence_result

    async with collections.engine(arguments.collection or collections.default) as engine:
        gathered = await engine.agather(arguments.question, arguments.messages())
    return await asyncio.to_thread(evidence_result, gathered)


async def _check(arguments: CheckArguments, collections: Collections, _emit: Emit) -> ReviewResult:
    from assay.agents.results import review_result

    if not arguments.text.strip():
        raise UsageError("the text to check is empty", hint="give the text whose claims are to be tested")
    if arguments.sources is not None:
        passages = tuple(_given(number, source) for number, source in enumerate(arguments.sources, 1))
        async with collections.checker() as engine:
            review = await engine.acheck(arguments.text, passages)
    else:
        async with collections.engine(arguments.collection or collections.default) as engine:
            passages = (await engine.aevidence_on(arguments.text)).passages
            review = await engine.acheck(arguments.text, passages)
    return await asyncio.to_thread(review_result, review, passages)


def _given(number: int, source: GivenSource | str) -> Passage:
    """A source of the caller as a passage, which is its own document."""
    written = GivenSource(text=source) if isinstance(source, str) else source
    return Passage(str(number), str(number), "", 0, len(written.text), written.text, written.title)


async def _get_source(arguments: SourceArguments, collections: Collections, _emit: Emit) -> Excerpt:
    from assay.agents.results import excerpt

    async with collections.engine(arguments.collection or collections.default) as engine:
        passage = await _stored_passage(arguments, engine)
        document_id = arguments.document_id if passage is None else passage.document_id
        document = None if document_id is None else await engine.adocument(document_id)
    if document is None or (passage is not None and passage.revision != document.revision):
        what = (
            f"document {document_id!r}" if document is None else "such passage any more: its document has changed"
        )
        raise UsageError(f"there is no {what}", hint="search again: documents are removed and renewed meanwhile")
    span = _span_of(arguments, len(document.text)) if passage is None else Span(passage.start, passage.end)
    passage_id = None if passage is None else passage.passage_id
    return await asyncio.to_thread(excerpt, document, span, arguments.around, passage_id)


async def _stored_passage(arguments: SourceArguments, engine: Engine) -> Passage | None:
    """The passage that is asked for; None where a document is. Raises UsageError."""
    if arguments.passage_id is None and arguments.document_id is None:
        raise UsageError("no source is named", hint="give document_id with start and end, or passage_id")
    if arguments.passage_id is None:
        return None
    found = await engine.apassages([arguments.passage_id])
    if not found and arguments.document_id is None:
        raise UsageError(
            f"no passage {arguments.passage_id[:100]!r} is stored",
            hint="give document_id, start and end as the source has them: a passage that was joined with the text "
            "behind it is not stored as such, and documents change",
        )
    return found[0] if found else None


def _span_of(arguments: SourceArguments, length: int) -> Span:
    """The stretch that is asked for, within a document of that length. Raises UsageError."""
    start, end = arguments.start, min(length, arguments.end or arguments.start + _USUAL_EXCERPT)
    if start >= end:
        raise UsageError(
            f"nothing stands from {start} to {end if arguments.end is None else arguments.end}",
            hint=f"the document has {length} characters: start must be below that, and below end",
        )
    if end - start > _LONGEST_EXCERPT:
        raise UsageError(
            f"{end - start:,} characters are asked for; at most {_LONGEST_EXCERPT:,} are given at once",
            hint="read on from where the last stretch ended",
        )
    return Span(start, end)


async def _list_collections(_arguments: NoArguments, collections: Collections, _emit: Emit) -> CollectionResults:
    found = [
        CollectionResult(name=summary.name, documents=summary.documents, version=summary.version)
        for summary in await collections.summaries()
    ]
    return CollectionResults(collections=found, default=collections.default)


TOOLS: tuple[McpTool[Any, Any], ...] = (
    McpTool(
        "ask",
        "Ask the documents",
        "Answer a question from the user's documents. Every sentence was tested against its source: the text "
        "holds verified sentences only, with [n] for their sources; what is not verified, contradicted or missing "
        "is said beside it. An outcome of abstained or clarify is no answer.",
        AskArguments,
        AnswerResult,
        _ask,
        text.of_answer,
        may_look_outside=True,
    ),
    McpTool(
        "search",
        "Search the documents",
        "Find passages of the user's documents by words and by meaning, best first. Whether they answer a "
        "question is for judge to say.",
        SearchArguments,
        SearchResults,
        _search,
        text.of_search,
    ),
    McpTool(
        "get_source",
        "Read a source",
        "Read a stretch of a document with the text around it, exactly as stored: a source or passage that another "
        "tool gave, by its document_id, start and end.",
        SourceArguments,
        Excerpt,
        _get_source,
        text.of_excerpt,
    ),
    McpTool(
        "judge",
        "Judge the evidence",
        "Find passages for a question and judge whether they suffice to answer it: what is covered, missing or "
        "contradictory. Writes no answer. Answer by these passages only where the recommendation is ANSWER.",
        AskArguments,
        EvidenceResult,
        _judge,
        text.of_evidence,
        may_look_outside=True,
    ),
    McpTool(
        "check",
        "Check a text",
        "Test each claim of any text against sources that you give, or against the user's documents: supported, "
        "contradicted, unsupported or unknown, each with the words that show it.",
        CheckArguments,
        ReviewResult,
        _check,
        text.of_review,
    ),
    McpTool(
        "list_collections",
        "List the collections",
        "The collections of documents that the other tools can use, by name, with their numbers of documents.",
        NoArguments,
        CollectionResults,
        _list_collections,
        text.of_collections,
    ),
)
