"""Who did what to whom: names that stand the other way round about the same verb in the source sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from assay.nlp.tokens import STOP_WORDS, fold, stem, word_spans, words
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.alignment import SAME_STATEMENT, Comparison, Copied, kept, names_in, within
from assay.verification.comparatives import ranked
from assay.verification.negation import clause_end, clause_start
from assay.verification.sources import SourceSentence, lexicon

# Whether what stands before a verb in the claim stands behind it in the source, in the same voice.


# "In the tower hangs a bell": what comes first need not be the subject.
_PREPOSITIONS = frozenset(
    "in on at by with from for of to during after before under over since until behind near as through".split()
)
# Verbs that hold both ways, and words that join two subjects.
_BOTH_WAYS = frozenset(
    map(
        stem,
        """and or nor both each other versus vs equal equals resemble resembles border borders adjoin adjoins meet
        meets met marry married differ differs match matches join joined include includes mean means
        accompany accompanied correlate correlated associate associated link linked relate related connect
        connected mix mixed collide collided become became remain call called name named know known""".split(),
    )
)
_BE = frozenset("is are was were be been being".split())
_BY_WITHIN = 3


@dataclass(frozen=True, slots=True)
class _Sides:
    """The clause about a verb: the content stems before and behind it, whether it is passive, and its place."""

    before: frozenset[str]
    behind: frozenset[str]
    passive: bool
    place: Span


def about_turned(claim: str, source: str) -> tuple[Span, Span] | None:
    """The claim's two sides of a verb where they have changed places; None where they have not.

    What the claim says first stands behind the verb in the source, and the other way round.

    >>> about_turned("The expired key was caused by the outage.", "The outage was caused by an expired key.")
    (Span(start=0, end=20), Span(start=26, end=40))
    >>> about_turned("The expired key caused the outage.", "The outage was caused by an expired key.") is None
    True
    """
    theirs = _verbs(source)
    for verb, mine in _verbs(claim).items():
        other = theirs.get(verb)
        if other is None or mine.passive != other.passive or not mine.before or not other.before:
            continue
        if _crossed(mine, other):
            start, end = clause_start(claim, mine.place.start), clause_end(claim, mine.place.end)
            return Span(start, mine.place.start), Span(mine.place.end, end)
    return None


def _crossed(mine: _Sides, other: _Sides) -> bool:
    """Whether what is before the one is behind the other; what is on both sides ("version 2") tells nothing.

    A number, as of a year, may stand on either side, unless it tells two of a kind apart.
    """
    shared = mine.before & mine.behind
    before, behind = mine.before - shared, other.behind - shared
    theirs = (other.before & mine.behind) - shared
    named = bool(shared) or any(not each[0].isdigit() for each in theirs)
    return bool(before) and before <= behind and bool(theirs) and named and not before & other.before


def _verbs(text: str) -> dict[str, _Sides]:
    """The sides of each word of a text that may be a verb and stands in it once."""
    spans = list(word_spans(text))
    folded = words(text)
    stems = [stem(each) for each in folded]
    found = {}
    for at, word in enumerate(stems):
        if 0 < at < len(stems) - 1 and stems.count(word) == 1 and _is_verb(word, folded[at]):
            sides = _sides(text, spans, folded, stems, at)
            if sides is not None:
                found[word] = sides
    return found


def _sides(text: str, spans: Sequence[Span], folded: Sequence[str], stems: Sequence[str], at: int) -> _Sides | None:
    """What stands before and behind a verb in its clause; None where what comes first may not be its subject."""
    start, end = clause_start(text, spans[at].start), clause_end(text, spans[at].end)
    within = [n for n, each in enumerate(spans) if start <= each.start and each.end <= end]
    before, behind = [n for n in within if n < at], [n for n in within if n > at]
    if not before or not behind or folded[before[0]] in _PREPOSITIONS or _BOTH_WAYS & {stems[n] for n in within}:
        return None
    passive = "by" in folded[at + 1 : at + 1 + _BY_WITHIN] or (folded[at - 1] in _BE and folded[at][-3:] != "ing")
    first, second = ({stems[n] for n in some if folded[n] not in STOP_WORDS} for some in (before, behind))
    return _Sides(frozenset(first), frozenset(second), passive, spans[at])


def _is_verb(word: str, folded: str) -> bool:
    entry = lexicon().get(word)
    if folded in STOP_WORDS or entry is None or not entry.counts[1]:
        return False
    return folded.endswith("ed") or entry.counts[1] >= entry.counts[0]


# Words between two names, at most, for what stands there to be said of both.
_BETWEEN = 10
# One word that has moved is an adverb more often than a name; of several stretches two must say something.
_LEAST_MOVED = 2
# Of a claim with more names than this, pairs of the first are looked at.
_MOST_NAMES = 8
# Where one of these stands between the names, the relation may hold both ways, or the names are a list.
_SYMMETRIC = frozenset(
    """and or nor versus vs v with between both met meet meets together married marry wed share shares shared border
    borders bordered include includes including like such as than against""".split()
)
_JOINS = frozenset(("and", "or"))
_BY = frozenset("by from to of".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence: its stem, its folded form and its place."""

    stem: str
    folded: str
    place: Span


def roles(over: Comparison) -> list[Check]:
    """Parts of the claim that have changed places, in the sentence that it copies or in one that says the same."""
    if (ranking := ranked(over)) is not None and ranking.agrees:
        return []
    mine = _words(over.claim.plain)
    if over.copied is not None:
        sentence = over.copied.sentence
        pair = _swapped(over.copied, over.claim.plain, mine) or _shuffled(over.copied, mine)
        pair = pair or about_turned(over.claim.plain, sentence.text)
        return [_wrong(over, sentence, *pair)] if pair else []
    held = _named(over.claim.plain)
    for each in over.near(SAME_STATEMENT):
        theirs = _words(each.sentence.text)
        named = held & _named(each.sentence.text, and_firsts=True) | _named(each.sentence.text) & _firsts(mine)
        for first, second in _turned(mine, theirs, named):
            return [_wrong(over, each.sentence, first.place, second.place)]
        if (pair := about_turned(over.claim.plain, each.sentence.text)) is not None:
            return [_open(over, each.sentence, *pair)]
    return []


def _wrong(over: Comparison, sentence: SourceSentence, first: Span, second: Span) -> Check:
    one, other = (over.claim.plain[each.start : each.end] for each in (first, second))
    said = f"{other.strip()!r} and {one.strip()!r}" if first != second else f"{one!r}"
    cause = f"the source has {said} the other way round"
    return over.wrong("roles", cause, Span(first.start, second.end), FindingKind.CONTRADICTED, sentence.span)


def _open(over: Comparison, sentence: SourceSentence, first: Span, second: Span) -> Check:
    """In words of its own a claim may turn a sentence about and say the same."""
    cause = "the source may have this the other way round"
    part = Span(first.start, second.end)
    return over.check("roles", Status.UNKNOWN, Severity.BLOCK, cause, part, sentence.span)


def _swapped(copied: Copied, claim: str, mine: Sequence[Word]) -> tuple[Span, Span] | None:
    """Two names that, put back into each other's places, bring the claim back to the sentence."""
    stems, theirs = [each.stem for each in mine], [each.stem for each in _words(copied.sentence.text)]
    held = [each for each in _runs(claim, mine) if set(stems[each.start : each.end]) <= set(theirs)]
    moved = [each for each in held if copied.copy.edits_at(_place(mine, each))]
    for first, second in combinations(held[:_MOST_NAMES], 2):
        between = {each.folded for each in mine[first.end : second.start]}
        if (first not in moved and second not in moved) or not between or between & _SYMMETRIC:
            continue
        back = [
            *stems[: first.start], *stems[second.start : second.end], *stems[first.end : second.start],
            *stems[first.start : first.end], *stems[second.end :],
        ]  # fmt: skip
        moves = first.end - first.start + second.end - second.start
        if kept(back, theirs) >= kept(stems, theirs) + moves:
            return _place(mine, first), _place(mine, second)
    return None


def _shuffled(copied: Copied, mine: Sequence[Word]) -> tuple[Span, Span] | None:
    """Where the claim has the sentence's own words in another order, and more than one stretch of it has moved."""
    theirs = [each.stem for each in _words(copied.sentence.text)]
    if Counter(each.stem for each in mine) - Counter(theirs):
        return None
    moved = [edit.mine for edit in copied.copy.edits if edit.mine.start < edit.mine.end]
    stems = [[each.stem for each in mine if within(each.place, span)] for span in moved]
    saying = [any(_says(each) for each in mine if within(each.place, span)) for span in moved]
    if sum(saying) < min(_LEAST_MOVED, len(moved)):
        return None  # "The deposit is 2,300", of "a deposit of 2,300 is held": words that say nothing
    if sum(map(len, stems)) < _LEAST_MOVED or (len(moved) == 1 and _only_moved(stems[0], theirs)):
        return None
    return moved[0], moved[-1]


def _says(word: Word) -> bool:
    """Whether a word says something by itself: "it's" does not."""
    return word.folded not in STOP_WORDS and word.folded.partition("'")[0] not in STOP_WORDS


def _only_moved(some: Sequence[str], every: Sequence[str]) -> bool:
    """Whether some words stand side by side in a sentence, moved as one, or were moved within a list."""
    listed = not _JOINS.isdisjoint((some[0], some[-1]))
    return listed or any(list(every[at : at + len(some)]) == list(some) for at in range(len(every)))


def _runs(claim: str, mine: Sequence[Word]) -> list[Span]:
    """The names of the claim as ranges of its words."""
    found = []
    for name in names_in(claim):
        at = [n for n, each in enumerate(mine) if name.start <= each.place.start < name.end]
        if at:
            found.append(Span(at[0], at[-1] + 1))
    return found


def _place(words: Sequence[Word], run: Span) -> Span:
    return Span(words[run.start].place.start, words[run.end - 1].place.end)


# Many claims are compared with the same few source sentences.
@lru_cache(maxsize=256)
def _words(text: str) -> tuple[Word, ...]:
    folded = ((fold(text[span.start : span.end]), span) for span in word_spans(text))
    return tuple(Word(stem(word), word, span) for word, span in folded)


def _named(text: str, *, and_firsts: bool = False) -> frozenset[str]:
    """The stems of the last words of a text's names."""
    return frozenset(stem(each.words[-1]) for each in names_in(text) if and_firsts or not each.opens)


def _firsts(words: Sequence[Word]) -> frozenset[str]:
    """The stem of a text's first word, which may be a name."""
    return frozenset(each.stem for each in words[:1])


def _turned(mine: Sequence[Word], theirs: Sequence[Word], named: frozenset[str]) -> Iterator[tuple[Word, Word]]:
    """Pairs of names, once in each text, whose order differs though the same words stand between them."""
    once = [
        each for each in mine if each.stem in named and _count(each.stem, mine) == _count(each.stem, theirs) == 1
    ]
    at = {each.stem: n for n, each in enumerate(theirs)}
    for first, second in combinations(once, 2):
        if at[first.stem] < at[second.stem]:
            continue
        here = _between(mine, first.stem, second.stem)
        there = _between(theirs, second.stem, first.stem)
        if _same_verb(here, there):
            yield first, second


def _count(wanted: str, words: Sequence[Word]) -> int:
    return sum(each.stem == wanted for each in words)


def _between(words: Sequence[Word], first: str, second: str) -> list[Word]:
    places = {each.stem: n for n, each in enumerate(words)}
    return list(words[places[first] + 1 : places[second]])


def _same_verb(here: Sequence[Word], there: Sequence[Word]) -> bool:
    """Whether both stretches say the same of their two names, in the same voice and not both ways."""
    if not here or not there or max(len(here), len(there)) > _BETWEEN:
        return False
    first, second = {each.folded for each in here}, {each.folded for each in there}
    if (first | second) & _SYMMETRIC or (first & _BY) != (second & _BY):
        return False
    said = {each.stem for each in here if each.folded not in STOP_WORDS}
    return bool(said) and said <= {each.stem for each in there}
