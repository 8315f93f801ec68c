"""LlamaIndex: a retriever, a gate that passes nodes only if they suffice, and an evaluator of answers.

Errors of the engine are not caught.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from assay.engine import Engine
from assay.errors import MissingExtra
from assay.integrations.passages import (
    FrameworkDocument,
    Json,
    asearch_masked,
    hidden_metadata,
    metadata_of,
    passages_of,
    passing_of,
    reasons_of,
    required_field,
    review_object,
    search_masked,
    text_of,
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
    """Finds nodes of an engine's collection, best first; `search` overrides the engine's settings."""

    def __init__(self, engine: Engine, search: SearchSettings | None = None) -> None:
        super().__init__()
        self._engine = engine
        self._search = search

    def _retrieve(self, query_bundle: QueryBundle) -> Nodes:
        return _nodes(search_masked(self._engine, query_bundle.query_str, self._search))

    async def _aretrieve(self, query_bundle: QueryBundle) -> Nodes:
        return _nodes(await asearch_masked(self._engine, query_bundle.query_str, self._search))


class AssayGate(BaseNodePostprocessor):
    """Passes the nodes on if they suffice to answer the question, else none."""

    engine: Engine = Field(exclude=True, repr=False)

    def _postprocess_nodes(self, nodes: Nodes, query_bundle: QueryBundle | None = None) -> Nodes:
        return _nodes_if_sufficient(nodes, self.engine.judge(_question(query_bundle), _passages(nodes)))

    async def _apostprocess_nodes(self, nodes: Nodes, query_bundle: QueryBundle | None = None) -> Nodes:
        return _nodes_if_sufficient(nodes, await self.engine.ajudge(_question(query_bundle), _passages(nodes)))


class Evaluated(EvaluationResult):
    """An evaluation with the complete review: claims with spans, checks with causes."""

    review: Json


class AssayEvaluator(BaseEvaluator):
    """Checks every claim of a response against its contexts; replaces FaithfulnessEvaluator.

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
        """The evaluation. Raises UsageError without a response."""
        text, passages = text_of(response), _contexts(contexts)
        return _evaluation(query, text, passages, self._engine.check(text, passages))

    async def aevaluate(
        self, query: Text = None, response: Text = None, contexts: Sequence[str] | None = None, **kwargs: Any
    ) -> Evaluated:
        """As `evaluate`."""
        text, passages = text_of(response), _contexts(contexts)
        return _evaluation(query, text, passages, await self._engine.acheck(text, passages))


def _nodes(evidence: Evidence) -> Nodes:
    return [NodeWithScore(node=_node(hit), score=hit.score) for hit in evidence.hits]


def _node(hit: Hit) -> TextNode:
    metadata = metadata_of(hit)
    return TextNode(
        id_=hit.passage.passage_id,
        text=hit.passage.text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden_metadata(metadata),
        excluded_embed_metadata_keys=hidden_metadata(metadata),
        start_char_idx=hit.passage.start,
        end_char_idx=hit.passage.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.passage.document_id)},
    )


def _passages(nodes: Nodes) -> tuple[Passage, ...]:
    return passages_of(
        FrameworkDocument(hit.node.get_content(), hit.node.node_id, hit.node.metadata) for hit in nodes
    )


def _question(query: QueryBundle | None) -> str:
    question: str = required_field({"query_bundle": query}, "query_bundle").query_str
    return question


def _nodes_if_sufficient(nodes: Nodes, judgement: Judgement) -> Nodes:
    return nodes if judgement.recommendation is Action.ANSWER else []


def _contexts(texts: Sequence[str] | None) -> tuple[Passage, ...]:
    return passages_of(FrameworkDocument(text, None, {}) for text in texts or ())


def _evaluation(query: Text, text: str, passages: tuple[Passage, ...], review: Review) -> Evaluated:
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
        review=review_object(review),
    )
