"""The evidence as the checks see it: its sentences, terms, numbers and dates, each with its place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from assay.nlp.dates import Date, dates
from assay.nlp.names import acronyms
from assay.nlp.quantities import Quantity, quantities
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, UNSPACED, bigrams, fold, stem, terms, written_words
from assay.types import Passage, SourceSpan, Span

# The words of a text as the checks read them.


_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its stem, its folded form, whether it is written with a capital, and a stop word."""

    stem: str
    folded: str
    capital: bool
    stop: bool


def words_of(text: str) -> tuple[Word, ...]:
    """The words of `text` in order; a run of an unspaced script becomes its bigrams.

    >>> [(word.stem, word.stop) for word in words_of("The dogs 水素爆")]
    [('the', True), ('dog', False), ('水素', False), ('素爆', False)]
    """
    found: list[Word] = []
    for written in written_words(text):
        if _UNSPACED_RUN.match(written):
            found.extend(Word(pair, pair, False, False) for pair in bigrams(fold(written)))
        else:
            found.append(_word(written))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _word(written: str) -> Word:
    folded = fold(written)
    return Word(stem(folded), folded, written[0].isupper(), folded in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """One sentence of a passage; `start, end` are offsets in the passage's text."""

    passage: Passage
    start: int
    end: int
    words: tuple[Word, ...]
    terms: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentence as stored."""
        return self.passage.text[self.start : self.end]

    @property
    def span(self) -> SourceSpan:
        """The sentence's place in its document."""
        return source_span(self.passage, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Sources:
    """What the sources of a claim say; `rarity` weighs each term by how few sentences hold it, at least 1.

    `holders` are the positions in `sentences` of those that hold a term, in order.
    """

    passages: tuple[Passage, ...]
    sentences: tuple[SourceSentence, ...]
    rarity: Mapping[str, float]
    terms: frozenset[str]
    quantities: tuple[tuple[Quantity, Passage], ...]
    dates: tuple[tuple[Date, Passage], ...]
    acronyms: Mapping[str, tuple[str, ...]]
    holders: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A source sentence, and the rarity-weighted share of the claim's terms that it holds, 0 to 1."""

    sentence: SourceSentence
    coverage: float


def source_span(passage: Passage, start: int, end: int) -> SourceSpan:
    """The place in the document of `passage.text[start:end]`, quoted exactly."""
    return passage.span_of(start, end)


def sources_of(passages: Sequence[Passage]) -> Sources:
    """The passages taken apart once, for all claims that stand on them."""
    cut = tuple(_sentence(each, span) for each in passages for span in sentences(each.text))
    holders: dict[str, list[int]] = {}
    for at, sentence in enumerate(cut):
        for term in dict.fromkeys(sentence.terms):
            holders.setdefault(term, []).append(at)
    known: dict[str, tuple[str, ...]] = {}
    for each in passages:
        known |= acronyms(each.text)
    return Sources(
        passages=tuple(passages),
        sentences=cut,
        rarity={term: rarity(len(places), len(cut)) for term, places in holders.items()},
        terms=frozenset(holders) | {term for each in passages for term in terms(each.title)},
        quantities=tuple((each, passage) for passage in passages for each in quantities(passage.text)),
        dates=tuple((each, passage) for passage in passages for each in dates(passage.text)),
        acronyms=known,
        holders={term: tuple(places) for term, places in holders.items()},
    )


def _sentence(passage: Passage, span: Span) -> SourceSentence:
    words = words_of(passage.text[span.start : span.end])
    stems = tuple(word.stem for word in words if not word.stop)
    return SourceSentence(passage, span.start, span.end, words, stems)


def weight(sources: Sources, term: str) -> float:
    """How much a claim's term counts; one that no source sentence holds counts as the rarest."""
    return sources.rarity.get(term, rarity(1, len(sources.sentences) + 1))


def rarity(holding: int, sentences: int) -> float:
    """How much a word counts that so many of the sentences hold: 1 + ln(sentences / holding), at least 1.

    >>> rarity(4, 4), rarity(1, 4) < rarity(1, 5)
    (1.0, True)
    """
    return 1.0 + math.log(sentences / holding)


def aligned(claim_terms: Sequence[str], sources: Sources, most: int) -> list[Aligned]:
    """The source sentences that hold most of the claim, best first, at most `most`; none that hold nothing."""
    wanted = {term: weight(sources, term) for term in claim_terms}
    total = math.fsum(wanted.values())
    if not total:
        return []
    held: dict[int, list[float]] = {}
    for term, weighs in wanted.items():
        for at in sources.holders.get(term, ()):
            held.setdefault(at, []).append(weighs)
    coverage = {at: math.fsum(weights) / total for at, weights in held.items()}
    best = sorted(coverage, key=lambda at: (-coverage[at], at))[:most]
    return [Aligned(sources.sentences[at], coverage[at]) for at in best]


# The sources of a claim as the support score reads them: words in their order, and where each stands.


GRAM = 4
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Ground:
    """All words of the sources. `places` are positions in `stems`, the stems of all sentences one after another.

    `held` are the stems of each sentence, `holders` the sentences of each stem.

    `rarity` is 1 + ln(sentences / sentences with the stem); `unseen` is what a stem of no sentence counts.
    """

    texts: tuple[str, ...]
    sentences: tuple[tuple[Word, ...], ...]
    held: tuple[frozenset[str], ...]
    holders: Mapping[str, frozenset[int]]
    stems: tuple[str, ...]
    places: Mapping[str, Sequence[int]]
    pairs: frozenset[tuple[str, ...]]
    triples: frozenset[tuple[str, ...]]
    grams: frozenset[str]
    rarity: Mapping[str, float]
    unseen: float
    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]


def ground_of(sources: Sources) -> Ground:
    """The sources read once for all claims that stand on them."""
    texts = tuple(sentence.text for sentence in sources.sentences)
    sentences = tuple(sentence.words for sentence in sources.sentences)
    stems = tuple(word.stem for sentence in sentences for word in sentence)
    places: dict[str, list[int]] = {}
    for position, each in enumerate(stems):
        places.setdefault(each, []).append(position)
    held = tuple(frozenset(word.stem for word in sentence) for sentence in sentences)
    holders: dict[str, set[int]] = {}
    for at, sentence in enumerate(held):
        for word in sentence:
            holders.setdefault(word, set()).add(at)
    return Ground(
        texts=texts,
        sentences=sentences,
        held=held,
        holders={word: frozenset(at) for word, at in holders.items()},
        stems=stems,
        places=places,
        pairs=frozenset(runs(stems, 2)),
        triples=frozenset(runs(stems, 3)),
        grams=frozenset(gram for passage in sources.passages for gram in grams(passage.text)),
        rarity={word: rarity(len(at), len(held)) for word, at in holders.items()},
        unseen=rarity(1, len(held) + 1),
        quantities=tuple(each for each, _ in sources.quantities),
        dates=tuple(each for each, _ in sources.dates),
    )


def shared_with(stems: Iterable[str], ground: Ground) -> dict[int, set[str]]:
    """Which of the stems each sentence holds, by the sentence's number; those that hold none are left out."""
    found: dict[int, set[str]] = {}
    for word in stems:
        for at in ground.holders.get(word, ()):
            found.setdefault(at, set()).add(word)
    return found


def runs(stems: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """All runs of that many stems.

    >>> runs(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(stems[at : at + length]) for at in range(len(stems) - length + 1)]


def grams(text: str) -> list[str]:
    """All runs of four characters, in lower case, white space as one space.

    >>> grams("To be")
    ['to b', 'o be']
    """
    plain = _SPACES.sub(" ", text.lower())
    return [plain[at : at + GRAM] for at in range(len(plain) - GRAM + 1)]


# What English words are to one another, from a cut of WordNet 3.0 (`lexicon.json`, see its `source`).


PartOfSpeech = Literal["noun", "verb", "adjective", "adverb", "other"]
Kinship = Literal["opposite", "same", "broader", "narrower", "sister", "none"]
_PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")


@dataclass(frozen=True, slots=True)
class Entry:
    """A stem's tagged counts as noun, verb, adjective, adverb; its senses, those above them, its opposites."""

    counts: tuple[int, ...]
    senses: frozenset[int]
    above: frozenset[int]
    opposites: frozenset[str]


class Lexicon:
    """Entries by stem; each is read when it is first looked up."""

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._rows = rows
        self._entries: dict[str, Entry] = {}

    def __contains__(self, stem: str) -> bool:
        return stem in self._rows

    def get(self, stem: str) -> Entry | None:
        """The stem's entry, None where there is none."""
        entry = self._entries.get(stem)
        if entry is None and stem in self._rows:
            counts, senses, above, opposites = json.loads(self._rows[stem])
            entry = Entry(tuple(counts), frozenset(senses), frozenset(above), frozenset(opposites))
            self._entries[stem] = entry
        return entry


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """All entries; the file, which has one a line, is cut into lines once.

    >>> entry = lexicon().get("increas")
    >>> sorted(entry.opposites) if entry else None
    ['decreas', 'lower']
    """
    _, *lines, _ = files("assay.verification").joinpath("lexicon.json").read_text(encoding="utf-8").splitlines()
    pairs = (line.removesuffix(",").split(":", 1) for line in lines)
    return Lexicon({stem.strip('"'): row for stem, row in pairs})


def part_of_speech(stem: str, word: str) -> PartOfSpeech:
    """What a word mostly is; "other" where the lexicon does not hold it.

    >>> part_of_speech("increas", "increases"), part_of_speech("quick", "quickly")
    ('verb', 'adverb')
    """
    entry = lexicon().get(stem)
    if entry is None:
        return "other"
    if word.endswith("ly") and len(word) > 4:
        return "adverb"
    most = max(range(len(_PARTS)), key=lambda each: entry.counts[each])
    return _PARTS[most]


@lru_cache(maxsize=1 << 17)
def kinship(stem: str, other: str) -> Kinship:
    """What the first stem's word is to the other's: "broader" means that it says less.

    >>> kinship("buy", "purchas"), kinship("increas", "decreas"), kinship("dog", "book")
    ('same', 'opposite', 'none')
    """
    mine, theirs = lexicon().get(stem), lexicon().get(other)
    if mine is None or theirs is None:
        return "none"
    if other in mine.opposites or stem in theirs.opposites:
        return "opposite"
    if mine.senses & theirs.senses:
        return "same"
    if mine.senses & theirs.above:
        return "broader"
    if mine.above & theirs.senses:
        return "narrower"
    return "sister" if mine.above & theirs.above else "none"
