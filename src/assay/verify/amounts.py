"""All, most, some, few: how much of something a claim speaks of, beside its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.tokens import STOP_WORDS, fold, stem, word_spans
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import SAME_STATEMENT, Comparison
from assay.verify.sources import SourceSentence

_FEW, _SOME, _MANY, _MOST, _ALL = range(5)
_WORDS = (
    (_FEW, "few little rarely seldom scarce scarcely hardly minority"),
    (_SOME, "some several sometimes partly partially occasionally"),
    (_MANY, "many much numerous often frequently widely"),
    (_MOST, "most mostly mainly usually generally typically primarily chiefly largely majority normally"),
    (
        _ALL,
        "all every everyone everybody each always entire entirely whole wholly completely fully only solely",
    ),
)
AMOUNTS = {word: amount for amount, words in _WORDS for word in words.split()}
# Words that say as much as "all" or "only" does, in another way.
_AS_MUCH = frozenset(
    "just sole exclusive unique except both throughout any none no never unanimous nothing".split()
)
# "Not all", "a few", "nearly all", "after all".
_OTHERWISE = frozenset("not a nearly almost about at in after above".split())
_REACH_WORDS = 6
_OF_THE = re.compile(r"\s+of\s+(?:the|its|their|his|her|our|these|those)\b")
_THE = re.compile(r"\b(?:the|its|their|his|her|our|these|those)\s+(?P<what>[^\W\d_]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """How much a word at `place` says, and the next content stems that it is said of."""

    place: Span
    much: int
    of: frozenset[str]


@lru_cache(maxsize=256)
def amounts(text: str) -> tuple[Amount, ...]:
    """The amounts of a text in words.

    >>> [(each.much, sorted(each.of)) for each in amounts("Most houses burned, but all of the mills stood.")]
    [(3, ['hous']), (4, ['mill'])]
    """
    spans = list(word_spans(text))
    folded = [fold(text[each.start : each.end]) for each in spans]
    return tuple(_amounts(spans, folded))


def _amounts(spans: Sequence[Span], folded: Sequence[str]) -> Iterator[Amount]:
    for at, word in enumerate(folded):
        if word in AMOUNTS and (at == 0 or folded[at - 1] not in _OTHERWISE):
            following = (each for each in folded[at + 1 : at + 1 + _REACH_WORDS] if _says(each))
            yield Amount(spans[at], AMOUNTS[word], frozenset(stem(each) for each in list(following)[:1]))


def _says(word: str) -> bool:
    return word not in STOP_WORDS and word not in AMOUNTS and not word[0].isdigit()


def amounted(over: Comparison) -> list[Check]:
    """Amounts that the claim says in words, of which the source says another amount or none."""
    if over.copied is not None:
        sentence = over.copied.sentence
    elif close := over.near(SAME_STATEMENT):
        sentence = close[0].sentence
    else:
        return []
    theirs, checks = amounts(sentence.text), []
    for mine in amounts(over.claim.plain):
        same = [each for each in theirs if each.of & mine.of]
        said = over.claim.plain[mine.place.start : mine.place.end]
        if same and not any(_follows(mine.much, each.much) for each in same):
            other = sentence.text[same[0].place.start : same[0].place.end]
            cause = f"the answer says {said!r} where the source says {other!r}"
            checks.append(over.wrong("amounts", cause, mine.place, FindingKind.CONTRADICTED, sentence.span))
        elif not same and mine.much == _ALL and mine.of and not _everywhere(said, sentence.text):
            cause = f"the source does not say {said!r}"
            checks.append(over.check("amounts", Status.UNKNOWN, Severity.BLOCK, cause, mine.place, sentence.span))
    return checks or _all_for_a_part(over, sentence)


def _all_for_a_part(over: Comparison, sentence: SourceSentence) -> list[Check]:
    """An open check of "the warehouses" where the source says it of some of them."""
    if amounts(over.claim.plain):
        return []
    for theirs in amounts(sentence.text):
        if theirs.much == _ALL or not _OF_THE.match(sentence.text, theirs.place.end):
            continue
        for match in _THE.finditer(over.claim.plain):
            if stem(fold(match["what"])) in theirs.of:
                said = sentence.text[theirs.place.start : theirs.place.end]
                cause = f"the source says it of {said!r} of them"
                part, place = Span(match.start(), match.end()), sentence.span
                return [over.check("amounts", Status.UNKNOWN, Severity.BLOCK, cause, part, place)]
    return []


def _everywhere(said: str, source: str) -> bool:
    """Whether a source sentence leaves no exception either, in whatever words."""
    held = {fold(source[each.start : each.end]) for each in word_spans(source)}
    return fold(said) in held or bool(held & _AS_MUCH) or any(each.much == _ALL for each in amounts(source))


def _follows(mine: int, theirs: int) -> bool:
    """Whether what is true of as much as theirs is true of as much as mine; few is apart from all others."""
    return mine == theirs or (mine < theirs and mine != _FEW and theirs != _FEW)
