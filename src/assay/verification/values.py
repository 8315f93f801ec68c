"""Checks of the numbers and dates of a claim against those of its sources.

Failed means that the sources have another value or none, unknown that the two cannot be compared. A value that no
source has passes where it follows from values near it, with its formula (`assay.nlp.arithmetic`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.nlp import dates as date_text
from assay.nlp import quantities as quantity_text
from assay.nlp.alignment import SAME_MATTER, SAME_STATEMENT, Alignment
from assay.nlp.analysis import analyse, overlaps
from assay.nlp.arithmetic import (
    ANNOUNCED,
    IN_OTHER_UNITS,
    RESTATING,
    Derivation,
    Near,
    derive_date,
    derive_number,
    near_of,
)
from assay.nlp.bounds import BOUND, PERIODS, bound_of, differs_by_point, lacks_unit, period_of, undated
from assay.nlp.dates import Date
from assay.nlp.quantities import Quantity
from assay.nlp.sources import SourceSentence
from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, word_spans
from assay.types import Check, FindingKind, Passage, Severity, SourceSpan, Span, Status
from assay.verification.claims import MOST_COMPARED, failure, result, uncompared

# Bounds and periods, as causes name them.
_WORDED = {"from": "as the least", "to": "as the most", **{one: f"by the {one}" for one in PERIODS}}


def bound_checks(claim: Alignment) -> list[Check]:
    """Failed checks of numbers that are a lower bound in the claim and an upper one in its source, or reversed.

    Where only one of the two sentences has a denial, "not over" may mean "up to", and nothing is checked.
    """
    return _differing(claim, "comparison", bound_of, FindingKind.CONTRADICTED, may_deny=False)


def period_checks(claim: Alignment) -> list[Check]:
    """A failed check for each number that the source gives by another unit of time: a year, not a month."""
    return _differing(claim, "numbers", period_of, FindingKind.WRONG_NUMBER, may_deny=True)


def _differing(
    claim: Alignment, name: str, read: Callable[[str, Quantity], str | None], kind: FindingKind, *, may_deny: bool
) -> list[Check]:
    checks = []
    for stated in claim.analysis.quantities:
        own = read(claim.plain, stated)
        beside = _sentence_with(claim, stated) if own else None
        if beside is None or not (may_deny or _denies(beside[0].text) == _denies(claim.plain)):
            continue
        sentence, stored = beside
        found = [value for one in stored if (value := read(sentence.text, one)) is not None]
        if own is None or len(found) < len(stored) or own in found:
            continue
        place = sentence.part(stored[0])
        number = claim.plain[stated.start : stated.end]
        cause = f"the answer gives {number!r} {_WORDED[own]}, the source {_WORDED[found[0]]}"
        checks.append(failure(claim, name, cause, Span(stated.start, stated.end), kind, place))
    return checks


def _sentence_with(claim: Alignment, stated: Quantity) -> tuple[SourceSentence, list[Quantity]] | None:
    """The nearest sentence with the number, and the number at each of its places there."""
    for near in claim.near(SAME_MATTER):
        found = [
            quantity for quantity in near.sentence.analysis.quantities if quantity_text.agree(stated, quantity)
        ]
        if found:
            return near.sentence, found
    return None


def _denies(text: str) -> bool:
    """Tell whether a text has a denial, other than "no more than" and the like."""
    return any(not BOUND.match(text[one.start :]) for one in analyse(text).negations)


# Numbers that may be counted from the sources without being written there ("three reasons"); chosen.
COUNTABLE = 12
_CHANGED_BY = re.compile(r"\b(?:by|difference of|another)\s+(?:about\s+)?\Z", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;]\s|\s(?:and|but|while|whereas)\s")
# Words behind a number that may say what is counted: "25 machines", "5 large ships"; chosen.
_COUNTED_WITHIN = 3


@dataclass(frozen=True, slots=True)
class Rival:
    """A source's value in the place of the claim's; `certain` where both certainly answer the same question."""

    place: SourceSpan
    certain: bool

    @property
    def expected(self) -> str | None:
        """The source's own words, where they may replace the claim's."""
        return self.place.quote if self.certain else None


def numbers(claim: Alignment) -> list[Check]:
    """The checks of the claim's numbers: the sources have the same dimension, rounded value and period."""
    found = undated(claim.plain)
    compared = (_number(claim, one) for one in found[:MOST_COMPARED])
    return [*compared, *period_checks(claim), *uncompared(claim, "numbers", found)]


def _number(claim: Alignment, stated: Quantity) -> Check:
    """The check of a number: written in the sources, or derived from their values."""
    check = _written_number(claim, stated)
    if not _stands_against(check):
        return check
    sentences, near = near_values(claim)
    tells_change = _CHANGED_BY.search(claim.plain[: stated.start]) is not None
    found = derive_number(claim.plain, stated, near, None if tells_change else _own_words(claim))
    if found is None:
        return check
    if claim.copied is None or (found.kind in RESTATING and _takes_place_of(claim, stated, found, sentences)):
        return _computed(claim, "numbers", stated, found, sentences)
    # In a copy the number in its place decides, unless the claim's own words compute.
    if not tells_change and found.kind not in ANNOUNCED | IN_OTHER_UNITS - RESTATING:
        return check
    return result(claim, "numbers", Status.UNKNOWN, Severity.BLOCK, f"no source writes it: {found.formula}", stated)


def _takes_place_of(
    claim: Alignment, stated: Quantity, found: Derivation, sentences: Sequence[SourceSentence]
) -> bool:
    """Tell whether a copy has a converted value in the place of the original."""
    first = found.operands[0]
    if claim.copied is None or sentences[first.sentence] is not claim.copied.sentence:
        return False
    stored = claim.copied.copy.instead_of(stated)
    return stored is not None and overlaps(first.value, stored)


def _own_words(claim: Alignment) -> str | None:
    """The words that a copy inserts or changes; None of a claim that is no copy."""
    if claim.copied is None:
        return None
    return " … ".join(claim.plain[edit.claim.start : edit.claim.end] for edit in claim.copied.copy.edits)


def _stands_against(check: Check) -> bool:
    """Tell whether a check failed, or keeps its claim from being supported."""
    return check.status is Status.FAILED or (check.status is Status.UNKNOWN and check.severity is Severity.BLOCK)


def near_values(claim: Alignment) -> tuple[list[SourceSentence], Near]:
    """The sentences nearest to a claim with their values, and their neighbours with their dates only.

    The neighbours are the sentences around the nearest, and the first of its passage, which says who "he" is.
    """
    nearest = [near.sentence for near in claim.nearest]
    around: list[SourceSentence] = []
    if nearest:
        every = claim.sources.sentences
        at = next(n for n, sentence in enumerate(every) if sentence is nearest[0])
        of_passage = [n for n, sentence in enumerate(every) if sentence.passage is nearest[0].passage]
        places = dict.fromkeys((of_passage[0], max(at - 1, of_passage[0]), min(at + 1, of_passage[-1])))
        around = [every[n] for n in places if not any(every[n] is near for near in nearest)]
    return [*nearest, *around], near_of([near.text for near in nearest], [one.text for one in around])


def _computed(
    claim: Alignment, name: str, stated: Quantity | Date, found: Derivation, sentences: Sequence[SourceSentence]
) -> Check:
    """A passed check of a derived value, with its formula and the place of the first operand."""
    first = found.operands[0]
    sentence = sentences[first.sentence]
    end = max(operand.value.end for operand in found.operands if operand.sentence == first.sentence)
    start = min(operand.value.start for operand in found.operands if operand.sentence == first.sentence)
    place = sentence.part(Span(start, end))
    return result(claim, name, Status.PASSED, Severity.BLOCK, f"it follows: {found.formula}", stated, place)


def _written_number(claim: Alignment, stated: Quantity) -> Check:
    said, stored = claim.plain[stated.start : stated.end], claim.sources.quantities
    agreeing = [quantity for quantity in stored if quantity_text.agree(stated, quantity[0])]
    unclear = next((quantity for quantity in stored if quantity_text.may_agree(stated, quantity[0])), None)
    if unclear is not None and not agreeing:
        place = _place(*unclear)
        cause = f"the spaces in {said!r} or {place.quote!r} may separate thousands or numbers"
        return result(claim, "numbers", Status.UNKNOWN, Severity.BLOCK, cause, stated, place)
    instead = _number_in_its_place(claim, stated)
    if instead is not None:
        return _wrong(claim, "numbers", stated, instead)
    if agreeing and not (claim.misplaced(agreeing) and _other_number(claim, stated, SAME_STATEMENT)):
        place = _place(*claim.nearest_first(agreeing))
        return result(claim, "numbers", Status.PASSED, Severity.BLOCK, None, stated, place)
    other = _other_number(claim, stated, SAME_MATTER)
    if other is not None and other.certain:
        return _wrong(claim, "numbers", stated, other)
    if stated.dimension == "ordinal" or (
        stated.spelled and stated.high <= COUNTABLE and stated.dimension in ("", "times")
    ):
        cause = f"the sources do not contain {said!r}; it may be counted from them"
        return result(claim, "numbers", Status.UNKNOWN, Severity.WARN, cause, stated)
    bare = next((quantity for quantity in stored if lacks_unit(stated, quantity[0])), None)
    if bare is not None:
        cause = f"the source gives the number of {said!r} without that unit"
        return result(claim, "numbers", Status.UNKNOWN, Severity.WARN, cause, stated, _place(*bare))
    pointed = next((quantity for quantity in stored if differs_by_point(stated, quantity[0])), None)
    if pointed is not None:
        cause = f"{said!r} is what the source says if its point separates thousands"
        return result(claim, "numbers", Status.UNKNOWN, Severity.BLOCK, cause, stated, _place(*pointed))
    if other is not None:
        return _wrong(claim, "numbers", stated, other)
    return failure(claim, "numbers", f"no source of this claim says {said!r}", stated, FindingKind.WRONG_NUMBER)


def _wrong(claim: Alignment, name: Literal["numbers", "dates"], stated: Quantity | Date, rival: Rival) -> Check:
    cause = f"the answer says {claim.plain[stated.start : stated.end]!r}, the source {rival.place.quote!r}"
    kind = FindingKind.WRONG_NUMBER if name == "numbers" else FindingKind.WRONG_DATE
    return failure(claim, name, cause, stated, kind, rival.place, rival.expected)


def _number_in_its_place(claim: Alignment, stated: Quantity) -> Rival | None:
    """The number in its place in the copied sentence."""
    stored = claim.copied and claim.copied.copy.instead_of(Span(stated.start, stated.end))
    if not claim.copied or not stored:
        return None
    every = undated(claim.copied.sentence.text)
    found = [value for value in every if overlaps(value, stored)]
    tight = all(edit.tight for edit in claim.copied.copy.edits_at(Span(stated.start, stated.end)))
    if not found or any(quantity_text.agree(stated, value) for value in (found if tight else every)):
        return None
    alone = sum(quantity_text.comparable(stated, quantity) for quantity in undated(claim.plain)) == 1
    if alone and any(quantity_text.agree(stated, value) and _meant(claim, value, found[0]) for value in every):
        return None
    return Rival(claim.copied.sentence.part(Span(found[0].start, found[0].end)), len(found) == 1)


def _meant(claim: Alignment, one: Quantity, other: Quantity) -> bool:
    """Tell whether the claim has a word that only the clause of the first number has: "in London 190"."""
    assert claim.copied is not None  # noqa: S101 - asked for only where there is one
    text = claim.copied.sentence.text
    first, second = (frozenset(terms(_clause_of(text, number))) for number in (one, other))
    words = {term for term in first - second if not term[0].isdigit()}
    return not words.isdisjoint(terms(claim.plain))


def _clause_of(text: str, quantity: Quantity) -> str:
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, quantity.start)), default=0)
    end = _CLAUSE.search(text, quantity.end)
    return text[start : end.start() if end else len(text)]


def _other_number(claim: Alignment, stated: Quantity, share: float) -> Rival | None:
    """A number of the same dimension that the claim lacks, in a sentence that holds that share of the claim.

    One that counts the same thing comes first, and is certain.
    """
    counted = _counted(claim.plain, stated)
    other = None
    for sentence, stored in _rivals(claim, stated, share):
        place = sentence.part(stored)
        if counted & _counted(sentence.text, stored):
            return Rival(place, True)
        if other is None and not stored.spelled:
            other = Rival(place, False)
    return other


def _rivals(claim: Alignment, stated: Quantity, share: float) -> Iterator[tuple[SourceSentence, Quantity]]:
    claimed = claim.analysis.quantities
    for near in claim.near(share):
        for stored in undated(near.sentence.text):
            if _answer_the_same(stated, stored) and not any(quantity_text.agree(one, stored) for one in claimed):
                yield near.sentence, stored


def _answer_the_same(stated: Quantity, stored: Quantity) -> bool:
    """Tell whether two numbers may answer the same question; a percentage and percentage points do, wrongly."""
    return {stated.dimension, stored.dimension} == {"percent", "point"} or quantity_text.comparable(stated, stored)


def _counted(text: str, quantity: Quantity) -> frozenset[str]:
    """The content words behind a number, which say what it counts; none behind a unit other than percent."""
    if quantity.dimension not in ("", "percent"):
        return frozenset()
    behind = text[quantity.end : quantity.end + 60]
    words = [fold(behind[span.start : span.end]) for span in word_spans(behind)][:_COUNTED_WITHIN]
    return frozenset(stem(word) for word in words if word not in STOP_WORDS and not word[0].isdigit())


def dates(claim: Alignment) -> list[Check]:
    """The checks of the claim's dates: the sources have the same, or one within it."""
    found = claim.analysis.dates
    return [*(_date(claim, one) for one in found[:MOST_COMPARED]), *uncompared(claim, "dates", found)]


def _date(claim: Alignment, stated: Date) -> Check:
    """The check of a date: written in the sources, or derived from a date and a time."""
    check = _written_date(claim, stated)
    if not _stands_against(check) or claim.copied is not None:
        return check
    sentences, near = near_values(claim)
    found = derive_date(claim.plain, stated, near)
    return check if found is None else _computed(claim, "dates", stated, found, sentences)


def _written_date(claim: Alignment, stated: Date) -> Check:
    said = claim.plain[stated.start : stated.end]
    instead = _date_in_its_place(claim, stated)
    if instead is not None:
        return _wrong(claim, "dates", stated, instead)
    agreeing = [date for date in claim.sources.dates if date_text.agree(stated, date[0])]
    if agreeing and not (claim.misplaced(agreeing) and _other_date(claim, stated, SAME_STATEMENT)):
        place = _place(*claim.nearest_first(agreeing))
        return result(claim, "dates", Status.PASSED, Severity.BLOCK, None, stated, place)
    wider = [date for date in claim.sources.dates if date_text.relation(stated, date[0]) == "within"]
    if wider and not agreeing:
        place = _place(*claim.nearest_first(wider))
        cause = f"the source says only {place.quote!r}, the answer {said!r}"
        return result(claim, "dates", Status.UNKNOWN, Severity.BLOCK, cause, stated, place)
    other = _other_date(claim, stated, SAME_MATTER)
    if other is None:
        return failure(claim, "dates", f"no source of this claim says {said!r}", stated, FindingKind.WRONG_DATE)
    return _wrong(claim, "dates", stated, other)


def _date_in_its_place(claim: Alignment, stated: Date) -> Rival | None:
    """The date in its place in the copied sentence."""
    stored = claim.copied and claim.copied.copy.instead_of(Span(stated.start, stated.end))
    if not claim.copied or not stored:
        return None
    every = claim.copied.sentence.analysis.dates
    found = [value for value in every if overlaps(value, stored)]
    tight = all(edit.tight for edit in claim.copied.copy.edits_at(Span(stated.start, stated.end)))
    beside = found if tight else every
    if not found or any(date_text.relation(stated, one) in ("same", "contains", "within") for one in beside):
        return None
    return Rival(claim.copied.sentence.part(Span(found[0].start, found[0].end)), len(found) == 1)


def _other_date(claim: Alignment, stated: Date, share: float) -> Rival | None:
    """A date other than the claim's in a sentence that holds that share of the claim.

    It is certain where it is the only other date there, and as exact as the claim's.
    """
    claimed = claim.analysis.dates
    for near in claim.near(share):
        found = [
            stored
            for stored in near.sentence.analysis.dates
            if not any(date_text.agree(one, stored) for one in claimed)
        ]
        different = [stored for stored in found if date_text.relation(stated, stored) == "different"]
        if different:
            first = different[0]
            place = near.sentence.part(first)
            return Rival(place, len(found) == 1 and near.coverage >= share and _as_exact(stated, first))
    return None


def _as_exact(stated: Date, stored: Date) -> bool:
    """Tell whether both dates have the same parts."""
    return all(
        (one is None) == (other is None)
        for one, other in ((stated.year, stored.year), (stated.month, stored.month), (stated.day, stored.day))
    )


def _place(found: Quantity | Date, passage: Passage) -> SourceSpan:
    return passage.span_of(found.start, found.end)
