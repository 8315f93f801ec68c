"""LlamaIndex: a retriever, a gate that lets nodes through only where they suffice, and an evaluator of answers.

What an engine raises goes through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from assay.engine import Engine
from assay.errors import MissingExtra
from assay.integrations.passages import (
    Given,
    Json,
    afound,
    excused,
    found,
    metadata_of,
    passages_of,
    passing_of,
    reasons_of,
    reviewed,
    wanted,
    written,
)
from assay.types import Action, Evidence, Hit, Judgement, Passage, Review, SearchSettings

try:
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.prompts.mixin import PromptDictType
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
except ImportError as error:
    raise MissingExtra(
        f"the pieces for LlamaIndex need a package that is not installed, or too old: {error.name}",
        hint='pip install "llama-index-core>=0.14"',
    ) from error

Nodes = list[NodeWithScore]
Text = str | None


class AssayRetriever(BaseRetriever):
    """Nodes from an engine's collection, best first, under `search` or the engine's own settings."""

    def __init__(self, engine: Engine, search: SearchSettings | None = None) -> None:
        super().__init__()
        self._engine = engine
        self._search = search

    def _retrieve(self, query_bundle: QueryBundle) -> Nodes:
        return _nodes(found(self._engine, query_bundle.query_str, self._search))

    async def _aretrieve(self, query_bundle: QueryBundle) -> Nodes:
        return _nodes(await afound(self._engine, query_bundle.query_str, self._search))


class AssayGate(BaseNodePostprocessor):
    """The nodes as they are where they suffice to answer the question, else none of them."""

    engine: Engine = Field(exclude=True, repr=False)

    def _postprocess_nodes(self, nodes: Nodes, query_bundle: QueryBundle | None = None) -> Nodes:
        return _let_through(nodes, self.engine.judge(_question(query_bundle), _passages(nodes)))

    async def _apostprocess_nodes(self, nodes: Nodes, query_bundle: QueryBundle | None = None) -> Nodes:
        return _let_through(nodes, await self.engine.ajudge(_question(query_bundle), _passages(nodes)))


class Evaluated(EvaluationResult):
    """An evaluation with the whole review: each claim with its spans, every check with its cause."""

    review: Json


class AssayEvaluator(BaseEvaluator):
    """Tests every claim of a response against its contexts, in the place of a FaithfulnessEvaluator.

    `passing` is True where all passed (score 1.0), False where something failed (0.0). Where it could not be tested
    both are None, and the result is invalid, with the reason. `[n]` in the response stands for the n-th context.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        """There are none."""

    def evaluate(
        self, query: Text = None, response: Text = None, contexts: Sequence[str] | None = None, **kwargs: Any
    ) -> Evaluated:
        """The evaluation; raises UsageError without a response."""
        text, passages = written(response), _contexts(contexts)
        return _evaluated(query, text, passages, self._engine.check(text, passages))

    async def aevaluate(
        self, query: Text = None, response: Text = None, contexts: Sequence[str] | None = None, **kwargs: Any
    ) -> Evaluated:
        """As `evaluate`."""
        text, passages = written(response), _contexts(contexts)
        return _evaluated(query, text, passages, await self._engine.acheck(text, passages))


def _nodes(evidence: Evidence) -> Nodes:
    return [NodeWithScore(node=_node(hit), score=hit.score) for hit in evidence.hits]


def _node(hit: Hit) -> TextNode:
    metadata = metadata_of(hit)
    return TextNode(
        id_=hit.passage.passage_id,
        text=hit.passage.text,
        metadata=metadata,
        excluded_llm_metadata_keys=excused(metadata),
        excluded_embed_metadata_keys=excused(metadata),
        start_char_idx=hit.passage.start,
        end_char_idx=hit.passage.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.passage.document_id)},
    )


def _passages(nodes: Nodes) -> tuple[Passage, ...]:
    return passages_of(Given(hit.node.get_content(), hit.node.node_id, hit.node.metadata) for hit in nodes)


def _question(query: QueryBundle | None) -> str:
    question: str = wanted({"query_bundle": query}, "query_bundle").query_str
    return question


def _let_through(nodes: Nodes, judgement: Judgement) -> Nodes:
    return nodes if judgement.recommendation is Action.ANSWER else []


def _contexts(texts: Sequence[str] | None) -> tuple[Passage, ...]:
    return passages_of(Given(text, None, {}) for text in texts or ())


def _evaluated(query: Text, text: str, passages: tuple[Passage, ...], review: Review) -> Evaluated:
    passing, reasons = passing_of(review), reasons_of(review)
    return Evaluated(
        query=query,
        response=text,
        contexts=[passage.text for passage in passages],
        passing=passing,
        score=None if passing is None else float(passing),
        feedback=reasons,
        invalid_result=passing is None,
        invalid_reason=reasons if passing is None else None,
        review=reviewed(review),
    )
