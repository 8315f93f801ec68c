"""A Haystack pipeline: retrieve, judge, check, fix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from haystack import Document, Pipeline
from haystack.dataclasses import ChatMessage
from scenario import SEARCH, Direct, Seen, main

from assay import Engine
from assay.integrations.haystack import AssayChecker, AssayFixer, AssayJudge, AssayRetriever


@dataclass(frozen=True)
class Piped:
    """The pipeline; the replies are messages, as chat generators give them."""

    engine: Engine

    def _pipeline(self) -> Pipeline:
        pipeline = Pipeline()
        pipeline.add_component("retriever", AssayRetriever(self.engine, SEARCH))
        pipeline.add_component("judge", AssayJudge(self.engine))
        pipeline.add_component("checker", AssayChecker(self.engine))
        pipeline.add_component("fixer", AssayFixer(self.engine))
        for name in ("judge", "checker", "fixer"):
            pipeline.connect("retriever.documents", f"{name}.documents")
        return pipeline

    def run(self, question: str, draft: str) -> Seen:
        """By run."""
        return _seen(self._pipeline().run(_given(question, draft), include_outputs_from={"retriever"}))

    async def arun(self, question: str, draft: str) -> Seen:
        """By run_async."""
        made = await self._pipeline().run_async(_given(question, draft), include_outputs_from={"retriever"})
        return _seen(made)

    def unknowns(self) -> list[str | None]:
        """No documents; one without text; a reply that claims nothing."""
        check = AssayChecker(self.engine)
        cases: tuple[tuple[str, list[Document]], ...] = (
            ("It rained.", []),
            ("It rained.", [Document(content=None)]),
            ("", [Document(content="It rained in May.")]),
        )
        return [
            check.run(replies=[reply], documents=documents)["reviews"][0]["status"] for reply, documents in cases
        ]


def _given(question: str, draft: str) -> dict[str, Any]:
    replies = [ChatMessage.from_assistant(draft)]
    return {
        "retriever": {"query": question},
        "judge": {"query": question},
        "checker": {"replies": replies},
        "fixer": {"replies": replies},
    }


def _seen(made: dict[str, Any]) -> Seen:
    (review,) = made["checker"]["reviews"]
    (fixed,) = made["fixer"]["replies"]
    return Seen(
        tuple(document.id for document in made["retriever"]["documents"]),
        made["judge"]["judgement"]["recommendation"] == "ANSWER",
        review["status"],
        tuple(claim["verdict"] for claim in review["claims"]),
        fixed,
    )


if __name__ == "__main__":
    main("haystack-ai", "haystack", Piped, Direct)
