"""From a collection to cases: facts are drawn, asked, read, and joined into the kinds that are wanted."""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import TypeVar

from assay.core.stages import Embedder
from assay.engine import Engine
from assay.evals.cases import Answerability, Case, WantedQuote
from assay.evals.make.fact import Fact, Kind
from assay.evals.make.facts import facts_in_statements
from assay.evals.make.filter import ABSENT, QuestionFilter, is_sure
from assay.evals.make.instructions import facts_in_acronyms, facts_in_headings, facts_in_instructions
from assay.evals.make.tables import facts_in_tables
from assay.evals.make.unanswerable import Swap, Swaps, is_unanswered, open_swaps, unexplained
from assay.evals.make.wording import Wording, misspelt, reworded
from assay.evals.make.written import QuestionWriter
from assay.nlp.language import language_of
from assay.nlp.tokens import fold, terms
from assay.types import Document, Value

# Documents are told apart in language by their beginning.
_LANGUAGE_SAMPLE = 2000
_DIGITS = 10
# Chosen: the share of the unanswerable questions that ask for an acronym where the others suffice, the share of all
# that ask the same of different things, and the words of an answer that can be compared with another.
_ACRONYMS, _ALIKE, _LONGEST_ANSWER = 0.25, 0.05, 40
# Chosen: a model is asked for at most so many times as many questions as are wanted of it.
_PASSAGES_A_QUESTION = 3
Item = TypeVar("Item")
Progress = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Shares(Value):
    """The shares of the questions that are of a special kind, each 0 to 1, together below 1; the rest is plain."""

    unanswerable: float = 0.2
    half: float = 0.1
    contradictory: float = 0.05
    typos: float = 0.1
    reworded: float = 0.15


@dataclass(frozen=True, slots=True)
class Made(Value):
    """The cases that were made, how many of each kind, and what is to be said of them.

    `facts` counts the facts found, `read` the questions that the reader was asked, `kept` those that it was sure
    of.
    """

    cases: tuple[Case, ...]
    counts: Mapping[str, int]
    facts: int
    read: int
    kept: int
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class QuestionMaker:
    """Makes cases of a collection; the same for the same collection, seed and shares."""

    engine: Engine
    reads: QuestionFilter
    embedder: Embedder
    seed: int = 0
    on_case: Progress = lambda: None
    writer: QuestionWriter | None = None
    _documents: dict[str, Document] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)
    _read: int = 0
    _kept: int = 0
    _most_alike: int = 1
    _asked: Counter[str] = field(default_factory=Counter)

    async def make(self, count: int, shares: Shares) -> Made:
        """At most `count` cases."""
        chance = random.Random(self.seed)  # noqa: S311 - a draw that can be repeated
        self._most_alike = max(1, round(count * _ALIKE))
        notes = await self._load()
        facts = unique_facts(chain.from_iterable(map(facts_of, self._documents.values())))
        drawn = _drawn(facts.certain, chance)
        wanted = {name: round(count * share) for name, share in shares.to_dict().items()}
        plain = count - sum(wanted.values())
        cases: dict[str, Case] = {}
        kept: list[Fact] = []
        sure = self._sure(self._candidates(drawn, plain, chance))
        await self._contradictory(facts.disagreeing, wanted["contradictory"], cases)
        async for fact in _first(sure, plain):
            self._keep(cases, self._plain(fact))
            kept.append(fact)
        swaps = await open_swaps(facts.certain, self.embedder)
        await self._halves(kept, wanted["half"], swaps, cases)
        await self._unanswerable(facts.certain, wanted["unanswerable"], swaps, cases, chance)
        self._variants(kept, wanted, cases, chance)
        async for fact in _first(sure, count - len(cases)):
            self._keep(cases, self._plain(fact))
        made = tuple(cases.values())
        counts = Counter(case.slices["form"] for case in made)
        notes += self.writer.notes() if self.writer is not None else ()
        return Made(made, dict(counts), len(facts.certain), self._read, self._kept, notes)

    async def _load(self) -> tuple[str, ...]:
        records = await self.engine.adocuments()
        skipped = 0
        for record in records:
            document = await self.engine.adocument(record.document_id)
            if document is None:
                continue  # removed meanwhile
            if language_of(document.text[:_LANGUAGE_SAMPLE]) not in ("en", None):
                skipped += 1
                continue
            self._documents[record.document_id] = document
        self._sources = short_names({key: document.source for key, document in self._documents.items()})
        return (f"{skipped} of {len(records)} documents are not in English and were left out",) if skipped else ()

    async def _candidates(self, drawn: Sequence[Fact], plain: int, chance: random.Random) -> AsyncIterator[Fact]:
        """Facts that a model writes, if there is one, then those that rules find."""
        if self.writer is not None:
            async for fact in self.writer.facts(self._documents.values(), chance, plain * _PASSAGES_A_QUESTION):
                yield fact
        for fact in drawn:
            yield fact

    async def _sure(self, facts: AsyncIterator[Fact]) -> AsyncIterator[Fact]:
        """The facts whose question the reader is sure of."""
        async for fact in facts:
            self._read += 1
            if is_sure(await self.reads.read(fact.wording.question, fact)):
                self._kept += 1
                yield fact

    async def _contradictory(self, found: Sequence[Disagreement], most: int, cases: dict[str, Case]) -> None:
        made = 0
        for disagreement in found:
            if made == most:
                return
            if await is_contradictory(disagreement, self.engine):
                first = disagreement.facts[0]
                case = Case(
                    _id(first.wording.question),
                    first.wording.question,
                    answers=tuple(dict.fromkeys(fact.answer_text for fact in disagreement.facts)),
                    relevant={self._sources[fact.document_id]: 1.0 for fact in disagreement.facts},
                    quotes=tuple(self._quote(fact) for fact in disagreement.facts),
                    answerability=Answerability.FULL,
                    conflicting=True,
                    slices={"form": "contradictory", "kind": first.kind.value},
                    synthetic=True,
                )
                made += self._keep(cases, case)

    async def _halves(self, kept: Sequence[Fact], most: int, swaps: Swaps, cases: dict[str, Case]) -> None:
        """Questions that the reader was sure of, each joined to one about the same thing that nothing answers."""
        made = 0
        for fact in kept:
            open_ = made < most and fact.kind not in (Kind.HEADING, Kind.WRITTEN)
            swap = await self._unanswered_swap(fact, swaps, "half") if open_ else None
            if swap is not None:
                made += self._keep(cases, self._half(fact, swap))

    async def _unanswerable(
        self, facts: Sequence[Fact], most: int, swaps: Swaps, cases: dict[str, Case], chance: random.Random
    ) -> None:
        """Questions that nothing answers: by what is told of other things, and what acronyms stand for."""
        explained = [fact.wording.thing for fact in facts if fact.kind is Kind.ACRONYM]
        unknown = _shuffled(unexplained(self._documents.values(), explained), chance)
        swapped = acronyms = 0
        for fact in _drawn(facts, chance):
            if swapped >= most - min(len(unknown), round(most * _ACRONYMS)):
                break
            swap = await self._unanswered_swap(fact, swaps, "unanswerable")
            if swap is not None:
                swapped += self._keep(cases, _unanswered(swap.wording, swap.kind))
        for word in unknown:
            if swapped + acronyms >= most or acronyms >= max(most // 2, 1):
                return
            wording = Wording("What", "does", "", word, "stand for")
            self._read += 1
            if await self.reads.likeliest(wording.question) < ABSENT:
                acronyms += self._keep(cases, _unanswered(wording, Kind.ACRONYM))

    async def _unanswered_swap(self, fact: Fact, swaps: Swaps, form: str) -> Swap | None:
        """The first swap of a fact that nothing answers; questions of one form ask the same of few things."""
        for swap in swaps.of(fact):
            alike = f"{form} {swap.wording.attribute}"
            if self._asked[alike] >= self._most_alike:
                continue
            self._read += 1
            if await is_unanswered(swap, self.reads):
                self._asked[alike] += 1
                return swap
        return None

    def _variants(
        self, kept: Sequence[Fact], wanted: Mapping[str, int], cases: dict[str, Case], chance: random.Random
    ) -> None:
        """Kept questions again, with a slip or in other words."""
        for form, most, change in (
            ("typo", wanted["typos"], _misspelt),
            ("reworded", wanted["reworded"], _reworded),
        ):
            made = 0
            for fact in _shuffled(kept, chance):
                fixed = form == "typo" and fact.kind is Kind.ACRONYM  # its ordinary words are always the same
                question = change(fact, chance) if made < most and not fixed else None
                if question is not None:
                    made += self._keep(cases, self._plain(fact, question, form))

    def _plain(self, fact: Fact, question: str | None = None, form: str = "plain") -> Case:
        asked = question or fact.wording.question
        return Case(
            _id(asked),
            asked,
            answers=_answers(fact),
            relevant={self._sources[fact.document_id]: 1.0},
            quotes=(self._quote(fact),),
            answerability=Answerability.FULL,
            slices={"form": form, "kind": fact.kind.value},
            synthetic=True,
        )

    def _half(self, fact: Fact, swap: Swap) -> Case:
        """Both questions in one; the second calls the thing of the first by a pronoun."""
        second = swap.wording
        if (
            second.thing == fact.wording.thing
            and "“" not in second.thing
            and fact.kind is not Kind.HOW_TO
            and fact.wording.asks != "Who"
        ):
            second = replace(
                second, thing="they" if fact.wording.verb in ("are", "were", "do") else "it", context=""
            )
        asked = second.question
        question = f"{fact.wording.question.removesuffix('?')}, and {asked[0].lower()}{asked[1:]}"
        answers = _answers(fact)
        return Case(
            _id(question),
            question,
            answers=answers,
            nuggets=(answers,) if answers else (),
            relevant={self._sources[fact.document_id]: 1.0},
            quotes=(self._quote(fact),),
            answerability=Answerability.HALF,
            missing=(swap.wording.question,),
            slices={"form": "half", "kind": fact.kind.value},
            synthetic=True,
        )

    def _quote(self, fact: Fact) -> WantedQuote:
        document = self._documents[fact.document_id]
        quote = document.text[fact.quote.start : fact.quote.end]
        return WantedQuote(self._sources[fact.document_id], quote, document.location_at(fact.quote.start).page)

    def _keep(self, cases: dict[str, Case], case: Case) -> bool:
        if case.id in cases:
            return False
        cases[case.id] = case
        self.on_case()
        return True


def facts_of(document: Document) -> Iterator[Fact]:
    """All facts of a document that a question can be made of."""
    yield from facts_in_statements(document)
    yield from facts_in_tables(document)
    yield from facts_in_instructions(document)
    yield from facts_in_headings(document)
    yield from facts_in_acronyms(document)


@dataclass(frozen=True, slots=True)
class UniqueFacts:
    """Facts whose question has one answer, each question once, and those of which documents differ."""

    certain: tuple[Fact, ...]
    disagreeing: tuple[Disagreement, ...]


def unique_facts(facts: Iterable[Fact]) -> UniqueFacts:
    """Group the facts by their question; one that has several answers within a document is dropped."""
    asked: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        asked[fold(fact.wording.question)].append(fact)
    certain = [group[0] for group in asked.values() if len({fold(fact.answer_text) for fact in group}) == 1]
    return UniqueFacts(tuple(certain), disagreements(asked.values()))


def short_names(sources: Mapping[str, str]) -> dict[str, str]:
    """For each document id the end of its path that no other document has; the id where paths are the same.

    >>> short_names({"1": "/a/x/tea.md", "2": "/a/y/tea.md", "3": "/a/y/mug.md"})
    {'1': 'x/tea.md', '2': 'y/tea.md', '3': 'mug.md'}
    """
    ends: Counter[str] = Counter(chain.from_iterable(_ends(source) for source in sources.values()))
    return {key: next((end for end in _ends(source) if ends[end] == 1), key) for key, source in sources.items()}


def _ends(source: str) -> list[str]:
    parts = source.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]


def _drawn(facts: Sequence[Fact], chance: random.Random) -> list[Fact]:
    """The facts in random order, kinds in turn, and within a kind documents in turn."""
    by_kind: dict[Kind, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_kind[fact.kind].append(fact)
    turns = [_in_turn(by_kind[kind], chance) for kind in Kind if kind in by_kind]
    return [fact for turn in zip_longest(*turns) for fact in turn if fact is not None]


def _in_turn(facts: Sequence[Fact], chance: random.Random) -> list[Fact]:
    by_document: dict[str, list[Fact]] = defaultdict(list)
    for fact in _shuffled(facts, chance):
        by_document[fact.document_id].append(fact)
    return [fact for turn in zip_longest(*by_document.values()) for fact in turn if fact is not None]


def _shuffled(items: Sequence[Item], chance: random.Random) -> list[Item]:
    return chance.sample(list(items), len(items))


async def _first(items: AsyncIterator[Item], most: int) -> AsyncIterator[Item]:
    """At most so many of what is left."""
    for _ in range(most):
        try:
            yield await anext(items)
        except StopAsyncIteration:
            return


def _unanswered(wording: Wording, kind: Kind) -> Case:
    return Case(
        _id(wording.question),
        wording.question,
        answerability=Answerability.NONE,
        slices={"form": "unanswerable", "kind": kind.value},
        synthetic=True,
    )


def _misspelt(fact: Fact, chance: random.Random) -> str | None:
    return misspelt(fact.wording.question, chance)


def _reworded(fact: Fact, chance: random.Random) -> str | None:
    return reworded(fact.wording, chance)


def _answers(fact: Fact) -> tuple[str, ...]:
    """The answer's words; none where it is a text that no other answer equals."""
    return (fact.answer_text,) if len(fact.answer_text.split()) <= _LONGEST_ANSWER else ()


def _id(question: str) -> str:
    """The same for the same question, whatever else is made with it."""
    return f"made-{hashlib.sha256(question.encode()).hexdigest()[:_DIGITS]}"


# What two documents may give different values for; two definitions may both be right, and rows of one name
# in two tables are often different things.
_OF_ONE_VALUE = frozenset((Kind.DATE, Kind.PLACE, Kind.MAKER, Kind.NUMBER, Kind.ATTRIBUTE))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Facts of different documents that answer one question differently."""

    facts: tuple[Fact, ...]


def disagreements(groups: Iterable[Sequence[Fact]]) -> tuple[Disagreement, ...]:
    """The groups of facts with one question in which documents differ, and no document with itself."""
    found = []
    for group in groups:
        by_document: dict[str, set[str]] = {}
        for fact in group:
            by_document.setdefault(fact.document_id, set()).add(fold(fact.answer_text))
        if group[0].kind not in _OF_ONE_VALUE or any(len(said) > 1 for said in by_document.values()):
            continue
        first: dict[str, Fact] = {}
        for fact in group:
            first.setdefault(fact.document_id, fact)
        values = [frozenset(terms(fact.answer_text)) for fact in first.values()]
        if len(set(values)) > 1 and not any(one < other for one in values for other in values):
            found.append(Disagreement(tuple(first.values())))
    return tuple(found)


async def is_contradictory(disagreement: Disagreement, engine: Engine) -> bool:
    """True if assay's own comparison of passages finds the disagreement too, by the values of two of the facts."""
    gathered = await engine.agather(disagreement.facts[0].wording.question)
    for contradiction in gathered.judgement.contradictions:
        readings = [frozenset(terms(reading.value)) for reading in contradiction.readings]
        held = {
            fact.document_id
            for fact in disagreement.facts
            if any(read <= frozenset(terms(fact.answer_text)) for read in readings if read)
        }
        if len(held) > 1:
            return True
    return False
