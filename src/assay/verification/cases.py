"""What there is to test: the claims of a text, each with the passages that it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.nlp.sentences import sentences
from assay.types import Citation, Passage, SourceSpan, Span
from assay.verification.alignment import Comparison, Reading, compared, read
from assay.verification.arithmetic import as_written
from assay.verification.claims import ENDLESS, Stated
from assay.verification.quotes import said_whole
from assay.verification.sources import Ground, Sources, ground_of, sources_of, words_of

# Sets of sources that are kept taken apart, and their characters in all: a draft that cites two of ten passages a
# sentence has ninety of them, and each character takes about a hundred bytes of memory.
_SCOPES_KNOWN = 256
_CHARACTERS_KNOWN = 2_000_000


@dataclass(frozen=True, slots=True)
class Task:
    """A text to review: source n is `numbered[n - 1]`, None where that passage is gone.

    `cites` says that every claim should cite a source.
    """

    text: str
    marks: tuple[Citation, ...]
    claims: tuple[Stated, ...]
    numbered: tuple[Passage | None, ...]
    passages: tuple[Passage, ...]
    cites: bool

    def has(self, number: int) -> bool:
        """Whether a source of that number was given, be it gone or not."""
        return 1 <= number <= len(self.numbered)

    def cited(self, claim: Stated) -> tuple[Passage, ...]:
        """The passages that a claim cites and that exist."""
        found = [self.numbered[number - 1] for number in claim.numbers if self.has(number)]
        return tuple(passage for passage in found if passage is not None)

    def scope(self, claim: Stated) -> tuple[Passage, ...]:
        """The passages that a claim stands on: those it cites, or all where it cites none."""
        return self.cited(claim) or self.passages


@dataclass(frozen=True, slots=True)
class Case:
    """One claim, `n` from 1, with its sources: those it cites, or all where it cites none.

    `quote` is where a source says the claim word for word; only where none does are `over`, `parts` and `reading`
    set, and `reading` is None too where there is nothing to read. `parts` are the claim's sentences compared one by
    one: a claim that is judged whole may have several. `untested` says why it is neither looked up
    nor compared, "" where it is.
    """

    n: int
    claim: Stated
    cited: tuple[Passage, ...]
    scope: tuple[Passage, ...]
    quote: SourceSpan | None
    over: Comparison | None
    reading: Reading | None
    parts: tuple[Comparison, ...] = ()
    untested: str = ""

    @property
    def spans(self) -> tuple[SourceSpan, ...]:
        """Where the claim's sources say it: its quote, else the two sentences that hold most of it."""
        if self.quote is not None:
            return (self.quote,)
        return tuple(each.sentence.span for each in self.over.nearest[:2]) if self.over else ()


class SourceReader:
    """Reads the sources of claims, and knows those that it read last: a draft comes sentence by sentence."""

    def __init__(self, most_characters: int = _CHARACTERS_KNOWN) -> None:
        self._most_characters = most_characters
        self._known: dict[tuple[tuple[str, int, str, str], ...], tuple[Sources, Ground]] = {}
        self._characters = 0

    def read(self, passages: Sequence[Passage]) -> tuple[Sources, Ground]:
        """The passages taken apart."""
        # An id alone would trust its giver: anyone's passages are checked here.
        key = tuple((each.passage_id, each.start, each.title, each.text) for each in passages)
        found = self._known.get(key)
        if found is None:
            sources = sources_of(passages)
            found = sources, ground_of(sources)
            self._characters += sum(len(each.text) for each in passages)
            self._known[key] = found
            self._forget()
        return found

    def _forget(self) -> None:
        """Let go of those that were read first, where there are too many."""
        while len(self._known) > 1 and (
            len(self._known) > _SCOPES_KNOWN or self._characters > self._most_characters
        ):
            sources, _ = self._known.pop(next(iter(self._known)))
            self._characters -= sum(len(each.text) for each in sources.passages)


def quotes_of(task: Task) -> tuple[SourceSpan | None, ...]:
    """For each claim where one of its sources says it word for word, None where none does."""
    return tuple(None if claim.is_endless else said_whole(claim.text, task.scope(claim)) for claim in task.claims)


def cases_of(
    task: Task, quotes: Sequence[SourceSpan | None], reader: SourceReader, first: int = 1
) -> tuple[Case, ...]:
    """The task's claims with their quotes and sources; sources that several claims share are read once.

    The claims are numbered from `first`.
    """
    cases = []
    for n, (claim, quote) in enumerate(zip(task.claims, quotes, strict=True), first):
        cited, scope = task.cited(claim), task.scope(claim)
        if claim.is_endless:
            cases.append(Case(n, claim, cited, scope, None, None, None, untested=ENDLESS))
        elif quote is not None:
            cases.append(Case(n, claim, cited, scope, quote, None, None))
        else:
            cases.append(_compared(n, claim, cited, scope, *reader.read(scope)))
    return tuple(cases)


def untested_cases(task: Task, cause: str, first: int) -> tuple[Case, ...]:
    """The task's claims, numbered from `first`, none of which is tested."""
    return tuple(
        Case(n, claim, task.cited(claim), task.scope(claim), None, None, None, untested=cause)
        for n, claim in enumerate(task.claims, first)
    )


def _compared(
    n: int, claim: Stated, cited: tuple[Passage, ...], scope: tuple[Passage, ...], sources: Sources, ground: Ground
) -> Case:
    over = compared(n, claim, sources)
    reading = read(as_written(over), ground) if ground.stems and words_of(claim.text) else None
    return Case(n, claim, cited, scope, None, over, reading, parts_of(over))


def parts_of(over: Comparison) -> tuple[Comparison, ...]:
    """Each sentence of a claim beside the sentences nearest to it."""
    claim, spans = over.claim, sentences(over.claim.plain, lowered=True)
    if len(spans) < 2:
        return (over,)
    return tuple(compared(over.n, _part(claim, span), over.sources) for span in spans)


def _part(claim: Stated, span: Span) -> Stated:
    plain = claim.plain[span.start : span.end]
    return Stated(plain, claim.start + span.start, claim.start + span.end, claim.numbers, plain)
