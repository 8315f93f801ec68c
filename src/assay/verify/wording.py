"""Words of a changed copy that stand in the place of others: they must say the same, or less."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.text.negation import comparisons, opposite
from assay.text.tokens import STOP_WORDS, fold, stem, word_spans
from assay.types import Check, Severity, Span, Status
from assay.verify.amounts import AMOUNTS
from assay.verify.comparison import Comparison, dates_in, names_in, negations_in, overlaps, quantities_in
from assay.verify.edits import Edit
from assay.verify.lexicon import kinship, part_of_speech
from assay.verify.sources import SourceSentence

# What stands in the place of more words than this is worded anew as a whole.
_MOST_WORDS = 3
# Verbs that say little by themselves: "takes place", "is going to", "has said that".
_LIGHT = frozenset(
    map(
        stem,
        "go going take takes place give get make hold holds say said state stated come lie stand total".split(),
    )
)
_STANDS_FOR = re.compile(r"\b(?:it|its|he|his|she|her|they|their|them|this|these|both)\b", re.IGNORECASE)
# Stems that begin with as many letters are of one family: "photograph", "photography".
_SAME_BEGINNING = 5
# An abbreviation has its word's first letter, and no letter that the word lacks.
_SHORT = 4
# What these two are to each other may be told by other checks: numbers, dates, names, directions.
_AS_GOOD = frozenset(("same", "broader", "narrower", "opposite"))


def replaced(over: Comparison) -> list[Check]:
    """An open check for each word of which cannot be told that it says what the word in its place says.

    Unknown rather than failed: what no dictionary holds together may still mean the same.
    """
    if over.copied is None:
        return []
    sentence, claim = over.copied.sentence, over.claim.plain
    checks = []
    for edit in over.copied.copy.edits:
        word = _unlike(over, sentence, edit)
        if word is not None:
            said, there = claim[word.start : word.end], sentence.text[edit.theirs.start : edit.theirs.end]
            cause = f"the answer says {said!r} where the source says {there!r}"
            place = over.copied.span(edit.theirs)
            checks.append(over.check("wording", Status.UNKNOWN, Severity.BLOCK, cause, word, place))
    return checks or _put_in(over, sentence)


def _put_in(over: Comparison, sentence: SourceSentence) -> list[Check]:
    """An open check of a word or three that nothing in the copied sentence is akin to: "died", of who "stopped".

    What a sentence with a pronoun speaks of may stand in the sentence before it.
    """
    said = over.claim.plain
    theirs = [word for word, _ in _content(sentence.text, Span(0, len(sentence.text)))]
    known = over.sources.terms if _STANDS_FOR.search(sentence.text) else frozenset[str](sentence.terms)
    found = [
        (word, place)
        for word, place in _content(said, Span(0, len(said)))
        if not (stem(word) in known | _LIGHT or stem(word) in sentence.terms or _measured(said, place))
        if not any(_akin(word, other) for other in theirs)
    ]
    if not 0 < len(found) <= _MOST_WORDS:
        return []
    word, place = found[0]
    cause = f"the source does not say {word!r} of this"
    return [over.check("wording", Status.UNKNOWN, Severity.BLOCK, cause, place, sentence.span)]


def _unlike(over: Comparison, sentence: SourceSentence, edit: Edit) -> Span | None:
    """The first word of an edit's claim that is akin to none in whose place it stands; None where all are."""
    mine, theirs = list(_content(over.claim.plain, edit.mine)), list(_content(sentence.text, edit.theirs))
    if not (0 < len(mine) <= _MOST_WORDS and 0 < len(theirs) <= _MOST_WORDS):
        return None
    for word, place in mine:
        if _measured(over.claim.plain, place) or stem(word) in sentence.terms:
            continue
        if not any(_akin(word, other) for other, _ in theirs):
            return place
    return None


def _content(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """The content words of a stretch, folded, each with its place; denials have a check of their own."""
    denying = [Span(each.start, each.end) for each in negations_in(text)]
    for each in word_spans(text[span.start : span.end]):
        place = Span(span.start + each.start, span.start + each.end)
        word = fold(text[place.start : place.end])
        if word not in STOP_WORDS and word not in AMOUNTS and place not in denying:
            yield word, place


def _measured(text: str, place: Span) -> bool:
    """Whether a word belongs to a number, a date or a name, which have checks of their own."""
    # "First class" is no number where the source has "business class".
    counted = (each for each in quantities_in(text) if not (each.spelled and each.dimension == "ordinal"))
    if any(overlaps(place, each) for each in counted) or any(overlaps(place, each) for each in dates_in(text)):
        return True
    return any(overlaps(place, each) for each in names_in(text) if not each.opens)


def _akin(word: str, other: str) -> bool:
    """Whether a folded word may say what another says, or is its opposite, which is told elsewhere."""
    mine, theirs = stem(word), stem(other)
    kind = kinship(mine, theirs)
    if kind in _AS_GOOD or (kind == "sister" and part_of_speech(mine, word) == "verb"):
        return True
    return opposite(word, other) or _directed(word) & _directed(other) != set() or _alike(mine, theirs)


def _directed(word: str) -> set[str]:
    return {each.direction for each in comparisons(word)}


def _alike(mine: str, theirs: str) -> bool:
    """Whether two stems are of one family, or one is short for the other: "Sept", "mi" for "mile"."""
    short, long = sorted((mine, theirs), key=len)
    if len(short) <= _SHORT:
        rest = iter(long)
        return short[0] == long[0] and all(letter in rest for letter in short)
    return long.startswith(short) or mine[:_SAME_BEGINNING] == theirs[:_SAME_BEGINNING]
