"""Who did what to whom: names that stand the other way round about the same verb in the source sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.text.names import names
from assay.text.tokens import STOP_WORDS, fold, stem, word_spans
from assay.types import Check, FindingKind, Span
from assay.verify.comparison import SAME_STATEMENT, Comparison

# Words between two names, at most, for what stands there to be said of both.
_BETWEEN = 10
# Where one of these stands between the names, the relation may hold both ways, or the names are a list.
_BOTH_WAYS = frozenset(
    """and or nor versus vs v with between both met meet meets together married marry wed share shares shared border
    borders bordered include includes including like such as than against""".split()
)
_BY = frozenset("by from to of".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence: its stem, its folded form and its place."""

    stem: str
    folded: str
    place: Span


def roles(over: Comparison) -> list[Check]:
    """Two names of the claim that have changed places about the same words in a source sentence."""
    near = [each.sentence for each in over.near(SAME_STATEMENT)]
    sentences = [over.copied.sentence] if over.copied else near
    mine = _words(over.claim.plain)
    held = _named(over.claim.plain)
    for sentence in sentences:
        theirs = _words(sentence.text)
        named = held & _named(sentence.text, and_firsts=True) | _named(sentence.text) & _firsts(mine)
        for first, second in _turned(mine, theirs, named):
            cause = (
                f"the source says it of {over.claim.plain[second.place.start : second.place.end]!r} and "
                f"{over.claim.plain[first.place.start : first.place.end]!r} the other way round"
            )
            where = Span(first.place.start, second.place.end)
            return [over.wrong("roles", cause, where, FindingKind.CONTRADICTED, sentence.span)]
    return []


def _words(text: str) -> list[Word]:
    found = []
    for span in word_spans(text):
        folded = fold(text[span.start : span.end])
        found.append(Word(stem(folded), folded, span))
    return found


def _named(text: str, *, and_firsts: bool = False) -> frozenset[str]:
    """The stems of the last words of a text's names."""
    return frozenset(stem(each.words[-1]) for each in names(text) if and_firsts or not each.opens)


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
