"""Answers in a language model's own words, each sentence with the passages that it cites."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from assay.errors import AssayError, BudgetSpent, PromptTooLong, ProviderError
from assay.prompting.fences import FenceSource, random_fence
from assay.prompting.tokens import Count, estimated_tokens
from assay.stages import LLM
from assay.types import Evidence, Finding, Finish, Finished, ModelReply, Question, Sentence
from assay.write.attribution import attributed
from assay.write.draft_reader import DraftReader
from assay.write.prompt import Extra, Prompt, Style, writer_prompt

# What a reply that says nothing ended with: it thought aloud, or wrote white space.
_SILENT: Mapping[Finish, Finish] = MappingProxyType({"stop": "empty", "length": "thinking"})
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
    attributed: set[int] = field(default_factory=set)

    def begin(self, prompt: Prompt) -> None:
        """Read a reply to this prompt from its beginning."""
        self.prompt, self.reader = prompt, DraftReader(prompt.packed.passages, prompt.code)

    @property
    def whole(self) -> bool:
        """Whether the reply ended by itself and said something."""
        return self.finish == "stop" and (bool(self.rest) or self.shown or self.reader.declined)

    @property
    def uncited(self) -> bool:
        """Whether this is a whole draft that cites nothing, and not each of its sentences has a clear source."""
        return self.finish == "stop" and not all(self.sourced(each).passage_ids for each in self.rest)

    def sourced(self, sentence: Sentence) -> Sentence:
        """The sentence, citing its source where the model named none and one is clear."""
        found = attributed(sentence, self.prompt.packed.passages) if self.prompt else sentence
        self.attributed |= {found.number} if found is not sentence else set()
        return found

    def ended(self) -> Finished:
        """The draft's end, with what the reader should know; a reply that says nothing is no whole draft."""
        finish = self.finish
        if self.reader.silent and not self.reader.unfinished:
            finish = _SILENT.get(finish, finish)
        cut = self._cut() if finish == "length" else []
        return Finished(finish, (*self.notes, *cut, *self._attribution(), *self._packing()))

    def _cut(self) -> list[str]:
        assert self.prompt is not None  # noqa: S101 - a draft that ended was begun
        last = "; its unfinished last sentence is left out" if self.reader.unfinished else ""
        limit = f"its limit of {self.prompt.request.max_tokens} tokens"
        return [f"the answer was cut off at {limit}{last}: allow more with --reply-tokens"]

    def _attribution(self) -> list[str]:
        count = len(self.attributed)
        return [f"the source of {count} sentence{'s' * (count > 1)} was found by assay, not named by the model"] * (
            count > 0
        )

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

    Nothing is handed on until a sentence cites something. A sentence without a mark cites the passage that holds
    its words, where one clearly does; the draft's notes say of how many that was done. A whole draft without any
    citation, whose sentences have no clear source either, is asked for once more with a reminder.

    Where the model finds the prompt too long, the evidence is halved, at most three times. A model that says that
    the sources do not answer ends a draft without sentences. `fence` is the source of fences, `count` the model's
    own token counter where there is one.
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
            yield draft.sourced(sentence)
        yield draft.ended()

    async def _written(
        self, question: Question, evidence: Evidence, draft: _Draft
    ) -> AsyncGenerator[Sentence, None]:
        """The sentences of one draft, with less evidence where the prompt was too long; `draft` keeps the rest."""
        refused: PromptTooLong | None = None
        for shrinks_left in reversed(range(SHRINKS + 1)):
            try:
                prompt = writer_prompt(question, evidence, self.style, self.fence, draft.extra, self.count)
            except PromptTooLong as error:
                raise refused or error from None  # what the service said is nearer to the truth
            draft.begin(prompt)
            try:
                async with aclosing(self._read(prompt, draft)) as sentences:
                    async for sentence in sentences:
                        draft.shown = True
                        yield sentence
                return
            except PromptTooLong as error:
                if draft.shown or not shrinks_left:
                    raise
                refused = error
                draft.extra = replace(draft.extra, evidence_tokens=prompt.packed.tokens // 2)

    async def _read(self, prompt: Prompt, draft: _Draft) -> AsyncGenerator[Sentence, None]:
        """The sentences of one reply, as soon as one of them cites something."""
        async with aclosing(self.llm.stream(prompt.request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    draft.finish = part.finish
                    continue
                for sentence in draft.reader.feed(part):
                    yield draft.sourced(sentence)
                if draft.reader.strayed:
                    draft.finish = "stop"
                    break
        last = draft.reader.end(cut=draft.finish == "length")
        if draft.reader.strayed:
            draft.notes.append(draft.reader.strayed)
        if draft.reader.declined:
            draft.notes.append("the model found no answer in the sources")
        if not draft.reader.cited:
            draft.rest = last
            return
        for sentence in last:
            yield draft.sourced(sentence)


def _not_again(error: AssayError) -> str:
    return f"the answer cites no source, and it could not be asked for again: {error}"
