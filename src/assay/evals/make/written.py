"""Questions that a language model writes for passages; each answer must be copied from its passage."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from assay.core.stages import LLM
from assay.errors import UnusableReply
from assay.evals.make.fact import Fact, Kind
from assay.evals.make.wording import Wording
from assay.judging.model_verdict import DATA_RULE
from assay.nlp.blocks import BlockKind, blocks
from assay.nlp.sentences import sentences
from assay.prompting import FenceSource, absent_from, fenced, random_fence
from assay.types import Document, ModelRequest, PromptMessage, Span

# Constant, so that providers can cache it.
PROMPT = f"""You write one question that a passage answers, as a person would ask it who has not seen the passage.
{DATA_RULE}
The question names the thing that it is about, can be understood without the passage, and asks for one fact.
Reply with one JSON object and nothing else:
- "question": the question, one sentence that ends with a question mark.
- "answer": the answer, copied from the passage letter for letter; as short as it can be."""
_REPLY_TOKENS = 300
# Chosen: shorter paragraphs seldom tell a fact, longer ones are cut there; longer questions and answers are texts.
_SHORTEST, _LONGEST, _LONGEST_QUESTION, _LONGEST_ANSWER = 120, 1500, 300, 300
# Chosen: after so many unusable replies in a row from the first on, the model is not asked again.
_GIVE_UP = 5


class WrittenReply(BaseModel):
    """The model's reply; its answer stands in the passage, and its question does not give it away."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(description="one question", min_length=8, max_length=_LONGEST_QUESTION)
    answer: str = Field(description="copied from the passage", min_length=1, max_length=_LONGEST_ANSWER)

    @model_validator(mode="after")
    def _from_passage(self, info: ValidationInfo) -> Self:
        passage = str((info.context or {}).get("passage", ""))
        if not self.answer.strip() or self.answer.strip() not in passage:
            raise ValueError("the answer must be copied from the passage letter for letter")
        if not self.question.strip().endswith("?") or "\n" in self.question.strip():
            raise ValueError("the question must be one line that ends with a question mark")
        if self.answer.strip().casefold() in self.question.casefold():
            raise ValueError("the question must not hold its answer")
        return self


@dataclass(slots=True)
class QuestionWriter:
    """Asks a model for a question a passage; `calls` counts the passages, `failed` those without a usable reply."""

    llm: LLM
    fence: FenceSource = random_fence
    calls: int = 0
    failed: int = 0
    last_failure: str = ""

    async def facts(self, documents: Iterable[Document], chance: random.Random, most: int) -> AsyncIterator[Fact]:
        """The facts that the model finds in at most `most` paragraphs, drawn from all documents.

        Raises ProviderError if the model cannot be asked.
        """
        paragraphs = [(document, span) for document in documents for span in _paragraphs(document)]
        for document, span in chance.sample(paragraphs, min(most, len(paragraphs))):
            if self.calls == self.failed == _GIVE_UP:
                return
            self.calls += 1
            try:
                reply = await self._ask(document, span)
            except UnusableReply as error:
                self.failed += 1
                self.last_failure = str(error)
                continue
            yield _fact(document, span, reply)

    async def _ask(self, document: Document, span: Span) -> WrittenReply:
        passage = document.text[span.start : span.end]
        code = absent_from((passage, document.title), self.fence)
        shown = f"{fenced('title', code, document.title)}\n{fenced('passage', code, passage)}"
        request = ModelRequest(
            role="writer",
            messages=(PromptMessage("system", PROMPT), PromptMessage("user", shown)),
            schema=WrittenReply,
            given={"passage": passage},
            max_tokens=_REPLY_TOKENS,
            temperature=0.0,
        )
        parsed = (await self.llm.complete(request)).parsed
        assert isinstance(parsed, WrittenReply)  # noqa: S101 - the LLM validates, or raises
        return parsed

    def notes(self) -> tuple[str, ...]:
        """Notes on what went wrong, for people."""
        if not self.failed:
            return ()
        given_up = "; it was not asked again" if self.calls == self.failed == _GIVE_UP else ""
        return (
            f"{self.failed} of {self.calls} replies of the model could not be used{given_up}: {self.last_failure}",
        )


def _paragraphs(document: Document) -> Sequence[Span]:
    found = []
    for block in blocks(document.text, document.format):
        if block.kind is BlockKind.PARAGRAPH and block.end - block.start >= _SHORTEST:
            found.append(Span(block.start, min(block.end, block.start + _LONGEST)))
    return found


def _fact(document: Document, span: Span, reply: WrittenReply) -> Fact:
    said = reply.answer.strip()
    passage = document.text[span.start : span.end]
    start = passage.index(said)
    held = [one for one in sentences(passage) if one.start < start + len(said) and start < one.end]
    quote = Span(span.start + held[0].start, span.start + held[-1].end)
    answer = Span(span.start + start, span.start + start + len(said))
    asked = Wording(" ".join(reply.question.split()).rstrip("?").rstrip(), "", "", "")
    return Fact(Kind.WRITTEN, document.document_id, quote, answer, " ".join(said.split()), asked)
