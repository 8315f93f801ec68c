"""Answers in a language model's own words, each sentence with the passages that it cites."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from assay.errors import AssayError, BudgetSpent, PromptTooLong, ProviderError
from assay.prompting.fences import FenceSource, random_fence
from assay.prompting.tokens import Count, estimated_tokens
from assay.stages import LLM
from assay.types import Evidence, Finding, Finish, Finished, ModelReply, Question, Sentence
from assay.write.draft_reader import DraftReader
from assay.write.prompt import Extra, Prompt, Style, writer_prompt

# How often the room for evidence is halved where the model finds the prompt too long.
SHRINKS = 3


@dataclass(slots=True)
class _Draft:
    """One reply as far as it has come: `rest` are sentences kept back because the whole draft cites nothing."""

    extra: Extra
    prompt: Prompt | None = None
    reader: DraftReader = field(default_factory=lambda: DraftReader(()))
    finish: Finish = "incomplete"
    shown: bool = False
    rest: list[Sentence] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def begin(self, prompt: Prompt) -> None:
        """Read a reply to this prompt from its beginning."""
        self.prompt, self.reader = prompt, DraftReader(prompt.packed.passages)

    @property
    def whole(self) -> bool:
        """Whether the reply ended by itself and said something."""
        return self.finish == "stop" and (bool(self.rest) or self.shown or self.reader.declined)

    @property
    def uncited(self) -> bool:
        """Whether this is a whole draft that cites nothing."""
        return self.finish == "stop" and bool(self.rest)

    def ended(self) -> Finished:
        """The draft's end, with what the reader should know."""
        return Finished(self.finish, (*self.notes, *self._packing()))

    def _packing(self) -> list[str]:
        packed = None if self.prompt is None else self.prompt.packed
        if packed is None:
            return []
        notes = []
        if packed.left_out:
            of = len(packed.left_out) + len(packed.passages)
            notes.append(f"{len(packed.left_out)} of {of} passages did not fit into the prompt and were not read")
        if packed.shortened:
            notes.append("a passage did not fit into the prompt, and only its first sentences were read")
        return notes


@dataclass(frozen=True, slots=True)
class CitedWriter:
    """Has a language model write prose with `[n]` marks, and hands its sentences on as they come.

    Nothing is handed on until a sentence cites something: a whole draft without any citation is asked for once
    more, with a reminder. Where the model finds the prompt too long, the evidence is halved, at most three
    times. A model that says that the sources do not answer ends a draft without sentences. `fence` is the
    source of fences, `count` the model's own token counter where there is one.
    """

    llm: LLM
    style: Style = field(default_factory=Style)
    fence: FenceSource = random_fence
    count: Count = estimated_tokens

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The answer's sentences in order, then how the reply ended; without evidence the model is not asked.

        Raises what the model raises; PromptTooLong where not even a shrunken prompt fits.
        """
        if not evidence.hits:
            yield Finished("stop", ("there is no evidence to write from",))
            return
        draft = _Draft(Extra(advice))
        async with aclosing(self._written(question, evidence, draft)) as sentences:
            async for sentence in sentences:
                yield sentence
        if draft.uncited:
            again = _Draft(replace(draft.extra, cite_more=True))
            try:
                async with aclosing(self._written(question, evidence, again)) as sentences:
                    async for sentence in sentences:
                        yield sentence
            except (BudgetSpent, ProviderError) as error:
                if again.shown:
                    raise
                draft.notes.append(_not_again(error))
            draft = again if again.shown or again.whole else draft
        for sentence in draft.rest:
            yield sentence
        yield draft.ended()

    async def _written(
        self, question: Question, evidence: Evidence, draft: _Draft
    ) -> AsyncGenerator[Sentence, None]:
        """The sentences of one draft, with less evidence where the prompt was too long; `draft` keeps the rest."""
        for shrinks_left in reversed(range(SHRINKS + 1)):
            prompt = writer_prompt(question, evidence, self.style, self.fence, draft.extra, self.count)
            draft.begin(prompt)
            try:
                async with aclosing(self._read(prompt, draft)) as sentences:
                    async for sentence in sentences:
                        draft.shown = True
                        yield sentence
                return
            except PromptTooLong:
                if draft.shown or not shrinks_left:
                    raise
                draft.extra = replace(draft.extra, evidence_tokens=prompt.packed.tokens // 2)

    async def _read(self, prompt: Prompt, draft: _Draft) -> AsyncGenerator[Sentence, None]:
        """The sentences of one reply, as soon as one of them cites something."""
        async with aclosing(self.llm.stream(prompt.request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    draft.finish = part.finish
                    continue
                for sentence in draft.reader.feed(part):
                    yield sentence
        last = draft.reader.end()
        if draft.reader.declined:
            draft.notes.append("the model found no answer in the sources")
        if not draft.reader.cited:
            draft.rest = last
            return
        for sentence in last:
            yield sentence


def _not_again(error: AssayError) -> str:
    return f"the answer cites no source, and it could not be asked for again: {error}"
