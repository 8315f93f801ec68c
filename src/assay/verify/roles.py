"""Who did what to whom: names that stand the other way round about the same verb in the source sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from assay.text.tokens import STOP_WORDS, fold, stem, word_spans
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import SAME_STATEMENT, Comparison, Copied, names_in, within
from assay.verify.edits import kept
from assay.verify.rankings import ranked
from assay.verify.sources import SourceSentence
from assay.verify.turned_about import about_turned

# Words between two names, at most, for what stands there to be said of both.
_BETWEEN = 10
# One word that has moved is an adverb more often than a name; of several stretches two must say something.
_LEAST_MOVED = 2
# Of a claim with more names than this, pairs of the first are looked at.
_MOST_NAMES = 8
# Where one of these stands between the names, the relation may hold both ways, or the names are a list.
_BOTH_WAYS = frozenset(
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
        if (first not in moved and second not in moved) or not between or between & _BOTH_WAYS:
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
    if (first | second) & _BOTH_WAYS or (first & _BY) != (second & _BY):
        return False
    said = {each.stem for each in here if each.folded not in STOP_WORDS}
    return bool(said) and said <= {each.stem for each in there}
