"""Answers written by a language model, each sentence with its cited passages."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from assay.core.profiles import is_simple
from assay.core.stages import LLM, Abstainer, Writer
from assay.errors import AssayError, BudgetSpent, PromptTooLong, ProviderError
from assay.nlp.citations import citations
from assay.nlp.cited_sentences import Numbered, SentenceCutter
from assay.nlp.lexicon import word_class
from assay.nlp.markup import addresses, strip_links
from assay.nlp.tokens import estimated_tokens, terms, words
from assay.prompting import Count, FenceSource, random_fence, sources_line
from assay.types import (
    Evidence,
    Finding,
    Finish,
    Finished,
    Gathered,
    ModelReply,
    Passage,
    Question,
    Refusal,
    Sentence,
    WriterPrompt,
)
from assay.writing.prompt import Extra, Prompt, Style, writer_prompt

# The source of a sentence without a citation: the passage that clearly holds its words.


# Fewer content words match almost any passage.
LEAST_TERMS = 3
# The least share of a sentence's terms in its source (chosen): a long passage on the topic may hold half of an
# unrelated sentence's words. Its numbers must all be in the source.
LEAST_SHARE = 0.6


def with_attribution(sentence: Sentence, passages: Sequence[Passage]) -> Sentence:
    """The sentence; if it cites nothing, with the passage that holds most of its words, if enough.

    >>> tower = Passage("p7", "d", "r", 0, 40, "The harbour tower was opened in 1932.")
    >>> with_attribution(Sentence(1, "The tower opened in 1932."), [tower]).passage_ids
    ('p7',)
    >>> with_attribution(Sentence(1, "The tower opened in 1933."), [tower]).passage_ids
    ()
    """
    if sentence.passage_ids or sentence.unknown_marks:
        return sentence
    wanted = frozenset(terms(sentence.text))
    if len(wanted) < LEAST_TERMS or not passages:
        return sentence
    numbers = {term for term in wanted if term[0].isdigit()}
    held = [wanted.intersection(terms(f"{passage.title}\n{passage.text}")) for passage in passages]
    best = max(range(len(passages)), key=lambda place: len(held[place]))
    if len(held[best]) < LEAST_SHARE * len(wanted) or not numbers <= held[best]:
        return sentence
    return replace(sentence, passage_ids=(passages[best].passage_id,))


# The sentences of a model's reply with their sources, without anything that is not part of the answer.


# In capitals, as instructed: "No answer was given" is an ordinary sentence.
_NO_ANSWER = re.compile(r"\W*NO[ _]ANSWER\b")
_SOURCES_HEADING = re.compile(
    r"[\s#*_-]*(?:sources?|references?|citations?|bibliography|works cited|quellen|références|fuentes|来源|出典)"
    r"(?:[ \t]+(?:used|cited))?[\s*_]*(?:[:：]|\Z|\n)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"\s*\[\^?\d{1,3}\]:")
_THOUGHT = "<think>"
_THOUGHT_ENDS = "</think>"
# A sentence repeated this often means that the model is in a loop (chosen).
REPEATS = 3
# A complete sentence: full stop and mark are both there; otherwise more may follow.
_FINISHED = re.compile(r"(?:[.!?…。！？]\s*(?:\[\d{1,3}\]\s*)+|\[\d{1,3}\]\s*[.!?…。！？]\s*)\Z")
_LISTING = word_class("citations.listing")


@dataclass(slots=True)
class DraftReader:
    """Read one reply as it streams; sentences are withheld until one of them cites something.

    So a draft without any citation can still be asked for again: nobody has seen it. `declined` tells that the
    reply says that the sources do not answer. A list of sources beside the answer is dropped, and a sentence that
    was said before; so is the prompt's own list of sources, beside an answer or instead of one. `strayed` says why
    the rest of the reply is not worth reading: the model repeats itself, or writes the prompt's fences with their
    `code`. `unfinished` tells that the last sentence of a reply that was cut off is left out.

    >>> passage = Passage("p7", "d", "r", 0, 1, "x", title="Weather")
    >>> reader = DraftReader((passage,))
    >>> [sentence.text for sentence in reader.feed("It rained. It snowed [1]. The sun ")]
    ['It rained.', 'It snowed.']
    >>> [sentence.text for sentence in reader.end()], reader.cited
    (['The sun'], True)
    """

    passages: tuple[Passage, ...]
    code: str = ""
    strayed: str | None = field(default=None, init=False)
    cited: bool = field(default=False, init=False)
    declined: bool = field(default=False, init=False)
    unfinished: bool = field(default=False, init=False)
    _cutter: SentenceCutter = field(init=False)
    _numbered: Numbered = field(init=False)
    _thought: str | None = field(default="", init=False)
    _listing: list[str] = field(default_factory=list, init=False)
    _in_listing: bool = field(default=False, init=False)
    _copied: list[str] = field(default_factory=list, init=False)
    _kept_back: list[Sentence] = field(default_factory=list, init=False)
    _number: int = field(default=0, init=False)
    _said: set[str] = field(default_factory=set, init=False)
    _repeats: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._numbered = Numbered(self.passages)
        self._cutter = SentenceCutter(self._numbered.titles)

    @property
    def silent(self) -> bool:
        """True if the reply is empty so far: no sentence, no list, and no statement that there is no answer."""
        return not (self._number or self._listing or self._copied or self.declined or self.strayed)

    def feed(self, piece: str) -> list[Sentence]:
        """The sentences that can be shown now."""
        self._read(self._cutter.feed(self._without_thought(piece)))
        return self._shown() if self.cited else []

    def end(self, *, cut: bool = False) -> list[Sentence]:
        """The remaining sentences at the end of the reply, cited or not.

        Of a reply that was `cut` off the last sentence is left out, unless it is plainly whole.
        """
        # An unclosed thought is not an answer; the beginning of another tag is text.
        unread = self._thought or ""
        rest = self._cutter.feed("" if unread.lstrip().startswith(_THOUGHT) else unread) + self._cutter.end()
        if cut and rest and rest[-1].strip() and not _FINISHED.search(rest[-1]):
            rest, self.unfinished = rest[:-1], True
        self._read(rest)
        if self._number == 0:  # there is nothing but a list, so that is what it answers
            # A single source may be the answer; several are the list copied from the prompt.
            for line in self._listing or (self._copied if len(self._copied) == 1 else []):
                self._add(line)
        return self._shown()

    def _without_thought(self, piece: str) -> str:
        """The piece without the thoughts of a reasoning model."""
        if self._thought is None:
            return piece
        text = self._thought + piece
        if _THOUGHT.startswith(text.lstrip()[: len(_THOUGHT)]) and _THOUGHT_ENDS not in text:
            self._thought = text
            return ""
        self._thought = None
        return text.partition(_THOUGHT_ENDS)[2].lstrip() if text.lstrip().startswith(_THOUGHT) else text

    def _read(self, written: list[str]) -> None:
        for sentence in written:
            if self.strayed or self._strays(sentence):
                continue
            if self._number == 0 and not self._listing and _NO_ANSWER.match(sentence):
                self.declined = True
            elif self.declined or not sentence.strip() or _NO_ANSWER.fullmatch(sentence.rstrip(" \n.*_")):
                continue
            elif copied := _lines_of_the_prompt(sentence, self.passages):
                self._copied += copied
            elif (self._in_listing or _opens_listing(sentence)) and _only_lists(sentence, self.passages):
                self._in_listing = True
                self._listing.append(sentence)
            else:
                self._in_listing = False
                self._add(sentence)

    def _strays(self, written: str) -> bool:
        """True if a sentence is not part of the answer: a fence of the prompt, or a repetition."""
        if self.code and self.code in written:
            self.strayed = "the model went on to repeat the prompt; what followed was not read"
            return True
        bare = " ".join(words(written))
        if not bare or bare not in self._said:
            self._said.add(bare)
            return False
        self._repeats += 1
        if self._repeats >= REPEATS:
            self.strayed = "the model repeated itself; what followed was not read"
        return True

    def _add(self, written: str) -> None:
        self._number += 1
        sentence = self._numbered.sentence(self._number, written)
        self.cited = self.cited or bool(sentence.passage_ids or sentence.unknown_marks)
        self._kept_back.append(sentence)

    def _shown(self) -> list[Sentence]:
        shown, self._kept_back = self._kept_back, []
        return shown


def _lines_of_the_prompt(written: str, passages: tuple[Passage, ...]) -> list[str]:
    """The lines, if all of them are lines of the prompt's list of sources."""
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    given = {sources_line(n, passage) for n, passage in enumerate(passages, 1)}
    return lines if given.issuperset(lines) else []


def _opens_listing(written: str) -> bool:
    """True if a list of sources may begin here: with a heading, or a footnote."""
    return bool(_SOURCES_HEADING.match(written) or _FOOTNOTE.match(written))


def _only_lists(written: str, passages: tuple[Passage, ...]) -> bool:
    """True if the words are only marks, titles and places."""
    heading = _SOURCES_HEADING.match(written)
    rest = written[heading.end() :] if heading else written
    for mark in reversed(citations(rest, tuple(passage.title for passage in passages))):
        rest = rest[: mark.start] + " " + rest[mark.end :]
    known = {word for n, passage in enumerate(passages, 1) for word in words(sources_line(n, passage))}
    return known.union(_LISTING).issuperset(word for word in words(rest) if not word.isdigit())


# The finish reasons of an empty reply: only thoughts, or white space.
_SILENT: Mapping[Finish, Finish] = MappingProxyType({"stop": "empty", "length": "thinking"})
# The room for evidence is halved at most this often if the prompt is too long (chosen).
SHRINKS = 3


@dataclass(slots=True)
class _Draft:
    """The state of one reply; `rest` are sentences withheld because the whole draft cites nothing."""

    extra: Extra
    prompt: Prompt | None = None
    reader: DraftReader = field(default_factory=lambda: DraftReader(()))
    finish: Finish = "incomplete"
    shown: bool = False
    rest: list[Sentence] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cited_by_rules: set[int] = field(default_factory=set)

    def begin(self, prompt: Prompt) -> None:
        """Start reading a reply to this prompt."""
        self.prompt, self.reader = prompt, DraftReader(prompt.packed.passages, prompt.code)

    @property
    def whole(self) -> bool:
        """True if the reply ended by itself and is not empty."""
        return self.finish == "stop" and (bool(self.rest) or self.shown or self.reader.declined)

    @property
    def uncited(self) -> bool:
        """True if a complete draft cites nothing, and some of its sentences have no clear source."""
        return self.finish == "stop" and not all(self.sourced(sentence).passage_ids for sentence in self.rest)

    def sourced(self, sentence: Sentence) -> Sentence:
        """The sentence, with its clear source if the model cited none."""
        found = with_attribution(sentence, self.prompt.packed.passages) if self.prompt else sentence
        self.cited_by_rules |= {found.number} if found is not sentence else set()
        return found

    def ended(self) -> Finished:
        """The end of the draft with its notes; an empty reply is not a complete draft."""
        finish = self.finish
        if self.reader.silent and not self.reader.unfinished:
            finish = _SILENT.get(finish, finish)
        cut = self._cut() if finish == "length" else []
        return Finished(finish, (*self.notes, *cut, *self._attribution(), *self._packing()), self._given())

    def _given(self) -> WriterPrompt | None:
        if self.prompt is None:
            return None
        return WriterPrompt(
            self.prompt.request.messages, tuple(passage.passage_id for passage in self.prompt.packed.passages)
        )

    def _cut(self) -> list[str]:
        assert self.prompt is not None  # noqa: S101 - a draft that ended was begun
        last = "; its unfinished last sentence is left out" if self.reader.unfinished else ""
        limit = f"its limit of {self.prompt.request.max_tokens} tokens"
        return [f"the answer was cut off at {limit}{last}: allow more with --reply-tokens"]

    def _attribution(self) -> list[str]:
        count = len(self.cited_by_rules)
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
class ModelWriter:
    """Have a language model write prose with `[n]` marks, and yield its sentences as they arrive.

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
        """The answer's sentences in order, then how the reply ended; the model is not asked without evidence.

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
        """The sentences of one draft, with less evidence if the prompt was too long; `draft` holds the state."""
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
        """The sentences of one reply, once one of them cites something."""
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


# Only links of cited sources stay in a model's text: a planted link could leak the answer.


@dataclass(frozen=True, slots=True)
class UnlinkedWriter:
    """Replace links in the text of `inner` by words, except addresses of sources that the sentence cites.

    An address that the user's question names stays too, and in code one that stands in a cited passage. What was
    changed is counted in the draft's notes.
    """

    inner: Writer

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The sentences without links, then the end with a note; raises what `inner` raises."""
        changed = 0
        async with aclosing(self.inner.write(question, evidence, advice)) as parts:
            async for part in parts:
                if isinstance(part, Finished):
                    yield replace(part, notes=(*part.notes, *_unlinked_note(changed)))
                    continue
                plain = without_links(part, question, evidence)
                changed += plain != part
                yield plain


@dataclass(frozen=True, slots=True)
class UnlinkedDecliner:
    """Replace links in a refusal of `inner` by words, except addresses in the question.

    A refusal repeats titles, queries and a judge's words, and any of them may come from a document.
    """

    inner: Abstainer

    def decline(self, question: Question, gathered: Gathered) -> Refusal:
        """The refusal without links."""
        refusal, kept = self.inner.decline(question, gathered), addresses(question.text)
        choices = tuple(strip_links(choice, kept).text for choice in refusal.choices)
        return Refusal(strip_links(refusal.text, kept).text, choices)


def without_links(sentence: Sentence, question: Question, evidence: Evidence) -> Sentence:
    """The sentence without links, except to its cited sources and to addresses in the question.

    >>> linked = Sentence(1, "It opened in 1932, see [here](https://evil.example/?q=1932).", ("p7",))
    >>> without_links(linked, Question("When?", "When?"), Evidence()).text
    'It opened in 1932, see here (evil.example/?q=1932).'
    """
    cited = [passage for passage in evidence.passages if passage.passage_id in sentence.passage_ids]
    allowed = [passage.origin.link for passage in cited if passage.origin.link] + list(addresses(question.text))
    in_code = [link for passage in cited for link in addresses(passage.text)] if "`" in sentence.text else []
    plain = strip_links(sentence.text, allowed, in_code)
    return replace(sentence, text=plain.text) if plain.changed else sentence


def _unlinked_note(changed: int) -> tuple[str, ...]:
    """The note with the number of sentences that lost a link."""
    several = "sentences" if changed > 1 else "sentence"
    return (f"a link of {changed} {several} is shown as words: it is no cited source's address",) if changed else ()


# A cheaper writer for simple questions, by the rule of `assay.core.profiles.is_simple`.


@dataclass(frozen=True, slots=True)
class RoutedWriter:
    """Route simple questions to `simple`, others and rewrites after findings to `full`."""

    simple: Writer
    full: Writer

    def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The sentences of the writer in charge; raises what it raises."""
        return self.chosen(question, advice).write(question, evidence, advice)

    def chosen(self, question: Question, advice: tuple[Finding, ...] = ()) -> Writer:
        """The writer in charge of the question."""
        return self.simple if is_simple(question) and not advice else self.full
