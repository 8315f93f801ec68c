"""A LlamaIndex query engine: retrieve, let through what suffices, answer, evaluate the response."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode
from scenario import SEARCH, Direct, Seen, main

from assay import Engine
from assay.integrations.llama_index import AssayEvaluator, AssayGate, AssayRetriever, Evaluated

_STATUS = {True: "passed", False: "failed", None: "unknown"}


class Scripted(CustomLLM):
    """A model that says the draft."""

    draft: str

    @property
    def metadata(self) -> LLMMetadata:
        """It takes any prompt."""
        return LLMMetadata(context_window=100_000)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The draft."""
        return CompletionResponse(text=self.draft)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """Nobody streams here."""
        raise NotImplementedError


@dataclass(frozen=True)
class Querying:
    """The query engine and the evaluator."""

    engine: Engine

    def _query_engine(self, draft: str) -> RetrieverQueryEngine:
        return RetrieverQueryEngine.from_args(
            AssayRetriever(self.engine, SEARCH),
            llm=Scripted(draft=draft),
            node_postprocessors=[AssayGate(engine=self.engine)],
            response_mode=ResponseMode.SIMPLE_SUMMARIZE,
        )

    def run(self, question: str, draft: str) -> Seen:
        """By query and evaluate_response."""
        response = self._query_engine(draft).query(question)
        if not response.source_nodes:
            return _seen(response, None)
        return _seen(response, AssayEvaluator(self.engine).evaluate_response(question, response))

    async def arun(self, question: str, draft: str) -> Seen:
        """By aquery and aevaluate_response."""
        response = await self._query_engine(draft).aquery(question)
        if not response.source_nodes:
            return _seen(response, None)
        return _seen(response, await AssayEvaluator(self.engine).aevaluate_response(question, response))

    def unknowns(self) -> list[str | None]:
        """No contexts; one without text; a response that claims nothing."""
        cases: tuple[tuple[str, list[str]], ...] = (
            ("It rained.", []),
            ("It rained.", [""]),
            ("", ["It rained in May."]),
        )
        evaluate = AssayEvaluator(self.engine).evaluate
        every = [evaluate(response=text, contexts=contexts) for text, contexts in cases]
        return [_STATUS[each.passing] if each.invalid_result and each.score is None else None for each in every]


def _seen(response: Any, evaluated: Evaluated | None) -> Seen:
    ids = tuple(node.node_id for node in response.source_nodes)
    if evaluated is None:
        return Seen(ids, False, None, (), None)
    verdicts = tuple(claim["verdict"] for claim in evaluated.review["claims"])
    return Seen(ids, True, _STATUS[evaluated.passing], verdicts, None)


if __name__ == "__main__":
    # Contexts are texts without titles; nothing is answered where the nodes do not suffice; no piece fixes.
    main("llama-index-core", "llama_index", Querying, partial(Direct, titled=False, gated=True, fixes=False))
