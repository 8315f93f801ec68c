"""LangChain: a retriever, and chain steps that judge the evidence, check an answer and fix it.

Each works with `invoke`, `ainvoke`, `batch` and in `|` chains. Errors of the engine are not caught.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from assay.engine import Engine
from assay.errors import MissingExtra
from assay.integrations.passages import (
    FrameworkDocument,
    Json,
    asearch_masked,
    fix_object,
    metadata_of,
    passages_of,
    required_field,
    review_object,
    search_masked,
    text_of,
)
from assay.types import Evidence, Passage, SearchSettings

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda
except ImportError as error:
    raise MissingExtra(
        f"the pieces for LangChain need a package that is not installed, or too old: {error.name}",
        hint='pip install "langchain-core>=1"',
    ) from error

Fields = Mapping[str, Any]


class AssayRetriever(BaseRetriever):
    """Finds documents of an engine's collection, best first; `search` overrides the engine's settings."""

    engine: Engine = Field(exclude=True, repr=False)
    search: SearchSettings | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return _documents(search_masked(self.engine, query, self.search))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return _documents(await asearch_masked(self.engine, query, self.search))


class AssayJudge(RunnableLambda[Fields, Json]):
    """Takes `{"question", "documents"}`, gives the judgement: they suffice if `recommendation` is ANSWER."""

    def __init__(self, engine: Engine) -> None:
        def judge(given: Fields) -> Json:
            return engine.judge(required_field(given, "question"), _passages(given)).to_dict()

        async def ajudge(given: Fields) -> Json:
            return (await engine.ajudge(required_field(given, "question"), _passages(given))).to_dict()

        super().__init__(judge, ajudge, name="AssayJudge")


class AssayChecker(RunnableLambda[Fields, Json]):
    """Takes `{"answer", "documents"}`, gives the review, whose `status` is passed, failed or unknown.

    `[n]` in the answer stands for the n-th document.
    """

    def __init__(self, engine: Engine) -> None:
        def check(given: Fields) -> Json:
            return review_object(engine.check(_answer(given), _passages(given)))

        async def acheck(given: Fields) -> Json:
            return review_object(await engine.acheck(_answer(given), _passages(given)))

        super().__init__(check, acheck, name="AssayChecker")


class AssayFixer(RunnableLambda[Fields, Json]):
    """Takes `{"answer", "documents"}`, gives the fixed `text`, its `changes` and its `review`.

    What cannot be repaired is marked with ⚠, or taken out where it is to `drop`.
    """

    def __init__(self, engine: Engine, *, drop: bool = False) -> None:
        def fix(given: Fields) -> Json:
            return fix_object(engine.fix(_answer(given), _passages(given), drop=drop))

        async def afix(given: Fields) -> Json:
            return fix_object(await engine.afix(_answer(given), _passages(given), drop=drop))

        super().__init__(fix, afix, name="AssayFixer")


def _documents(evidence: Evidence) -> list[Document]:
    return [
        Document(hit.passage.text, id=hit.passage.passage_id, metadata=metadata_of(hit)) for hit in evidence.hits
    ]


def _answer(given: Fields) -> str:
    return text_of(required_field(given, "answer"))


def _passages(given: Fields) -> tuple[Passage, ...]:
    documents: Iterable[Document] = required_field(given, "documents")
    return passages_of(
        FrameworkDocument(document.page_content, document.id, document.metadata) for document in documents
    )
