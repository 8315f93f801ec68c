"""A LangChain chain: retrieve, judge, answer, check, fix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from scenario import SEARCH, Direct, Seen, main

from assay import Engine
from assay.integrations.langchain import AssayChecker, AssayFixer, AssayJudge, AssayRetriever


@dataclass(frozen=True)
class Chain:
    """The chain; its model says the draft, as a message."""

    engine: Engine

    def _chain(self, draft: str) -> Any:
        retriever = AssayRetriever(engine=self.engine, search=SEARCH)
        model = RunnableLambda(lambda _given: AIMessage(draft))
        return (
            {"documents": retriever, "question": RunnablePassthrough()}
            | RunnablePassthrough.assign(judgement=AssayJudge(self.engine), answer=model)
            | RunnablePassthrough.assign(review=AssayChecker(self.engine), fixed=AssayFixer(self.engine))
        )

    def run(self, question: str, draft: str) -> Seen:
        """By invoke."""
        return _seen(self._chain(draft).invoke(question))

    async def arun(self, question: str, draft: str) -> Seen:
        """By ainvoke."""
        return _seen(await self._chain(draft).ainvoke(question))

    def unknowns(self) -> list[str | None]:
        """No documents; one without text; an answer that claims nothing."""
        check, rain = AssayChecker(self.engine), Document("It rained in May.")
        cases = (("It rained.", []), ("It rained.", [Document("")]), ("", [rain]))
        return [each["status"] for each in check.batch([{"answer": a, "documents": d} for a, d in cases])]


def _seen(state: dict[str, Any]) -> Seen:
    return Seen(
        tuple(document.id for document in state["documents"]),
        state["judgement"]["recommendation"] == "ANSWER",
        state["review"]["status"],
        tuple(claim["verdict"] for claim in state["review"]["claims"]),
        state["fixed"]["text"],
    )


if __name__ == "__main__":
    main("langchain-core", "langchain", Chain, Direct)
