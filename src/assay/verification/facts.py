"""Numbers and dates of a claim against those of its sources.

Each check gives one of four states. Failed means that the sources say otherwise or do not say it; unknown, that the
two cannot be compared; nothing is returned where the claim holds nothing of the kind. A value that no source has
passes where it follows from values near it, with a note how (arithmetic.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.nlp import dates as date_text
from assay.nlp import quantities as quantity_text
from assay.nlp.dates import Date
from assay.nlp.negation import negations
from assay.nlp.quantities import Quantity
from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, word_spans
from assay.nlp.units import UNITS
from assay.types import Check, FindingKind, Passage, Severity, SourceSpan, Span, Status
from assay.verification.alignment import (
    MOST_COMPARED,
    SAME_MATTER,
    SAME_STATEMENT,
    Comparison,
    dates_in,
    overlaps,
    quantities_in,
)
from assay.verification.arithmetic import (
    CUED,
    SAYS_THE_SAME,
    WRITTEN_OTHERWISE,
    Derivation,
    Near,
    derived,
    derived_date,
    near_of,
)
from assay.verification.sources import SourceSentence, source_span

# What stands around a number and changes what it says: at least and at most, per month and per year.


Side = Literal["from", "to"]

_MOST = (
    r"(?:at most|up to|(?:no|not|never) (?:more|longer|greater|higher) than|a maximum of|less than|fewer than"
    r"|under|below)"
)
_LEAST = r"(?:at least|(?:no|not|never) (?:less|fewer|lower) than|a minimum of|more than|over|above)"
_BEFORE = re.compile(rf"\b(?:(?P<to>{_MOST})|(?P<from>{_LEAST}))\s+(?:the\s+)?[$€£¥₹]?\Z", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s+(?:[a-z]+\s+)?or\s+(?:(?P<from>more|longer|above)|(?P<to>less|fewer|below))\b", re.IGNORECASE
)
# How far before a number what bounds it is looked for.
_REACH = 40
_UNITS = {
    "second": "second",
    "minute": "minute",
    "hour": "hour hourly",
    "day": "day daily",
    "week": "week weekly",
    "month": "month monthly",
    "quarter": "quarter quarterly",
    "year": "year yearly annum annual annually",
}
_PERIODS = {word: period for period, words in _UNITS.items() for word in words.split()}
_NOUNS = "second|minute|hour|day|week|month|quarter|year|annum"
_ADVERBS = "hourly|daily|weekly|monthly|quarterly|yearly|annually"
_EACH = re.compile(
    rf"(?:\s+per\s+(?!(?:{_NOUNS})\b)[a-z]+)?(?:\s*/\s*|\s+(?:per|an?|each|every|in\s+each)\s+)(?P<noun>{_NOUNS})\b"
    rf"|\s+(?P<adverb>{_ADVERBS})\b",
    re.IGNORECASE,
)
# "The monthly rent is 4,200 euros": the word, a few others, and no other number between.
_SPOKEN = re.compile(
    r"\b(?P<word>hourly|daily|weekly|monthly|quarterly|yearly|annual)\s(?:[^\W\d_]+\s){1,4}[$€£¥₹]?\Z",
    re.IGNORECASE,
)

# How a cause tells them.
_WORDED = {"from": "as the least", "to": "as the most", **{each: f"by the {each}" for each in _UNITS}}


def limited(over: Comparison) -> list[Check]:
    """A failed check for each number that is a least in the claim and a most in its source, or the other way round.

    Where only one of the two sentences denies something, "not over" may well be "up to", and nothing is said.
    """
    return _apart(over, "comparison", _side, FindingKind.CONTRADICTED, may_deny=False)


def timed(over: Comparison) -> list[Check]:
    """A failed check for each number that the source has by another unit of time: 20 euros a year, not a month."""
    return _apart(over, "numbers", _period, FindingKind.WRONG_NUMBER, may_deny=True)


def _apart(
    over: Comparison, name: str, told: Callable[[str, Quantity], str | None], kind: FindingKind, *, may_deny: bool
) -> list[Check]:
    checks = []
    for mine in quantities_in(over.claim.plain):
        said = told(over.claim.plain, mine)
        beside = _beside(over, mine) if said else None
        if beside is None or not (may_deny or _denies(beside[0].text) == _denies(over.claim.plain)):
            continue
        sentence, theirs = beside
        there = [found for each in theirs if (found := told(sentence.text, each)) is not None]
        if said is None or len(there) < len(theirs) or said in there:
            continue
        place = source_span(sentence.passage, sentence.start + theirs[0].start, sentence.start + theirs[0].end)
        number = over.claim.plain[mine.start : mine.end]
        cause = f"the answer gives {number!r} {_WORDED[said]}, the source {_WORDED[there[0]]}"
        checks.append(over.wrong(name, cause, Span(mine.start, mine.end), kind, place))
    return checks


def _beside(over: Comparison, mine: Quantity) -> tuple[SourceSentence, list[Quantity]] | None:
    """The nearest sentence that has the number, and each place where it has it."""
    for near in over.near(SAME_MATTER):
        found = [each for each in quantities_in(near.sentence.text) if quantity_text.agree(mine, each)]
        if found:
            return near.sentence, found
    return None


def _denies(text: str) -> bool:
    """Whether a text denies anything, apart from "no more than" and its like."""
    return any(not re.match(_MOST + "|" + _LEAST, text[each.start :], re.IGNORECASE) for each in negations(text))


def _side(text: str, number: Quantity) -> Side | None:
    """Whether a number is the least or the most of what is said; None where it is the number itself.

    >>> _side("It has up to 64 ports.", quantities_in("It has up to 64 ports.")[0])
    'to'
    """
    match = _BEFORE.search(text[max(0, number.start - _REACH) : number.start]) or _BEHIND.match(text, number.end)
    if match is None:
        return None
    return "from" if match["from"] else "to"


def _period(text: str, number: Quantity) -> str | None:
    """The unit of time by which a number is given; None where none is.

    >>> _period("It costs 20 euros per month.", quantities_in("It costs 20 euros per month.")[0])
    'month'
    """
    match = _EACH.match(text, number.end)
    if match:
        return _PERIODS[(match["noun"] or match["adverb"]).lower()]
    spoken = _SPOKEN.search(text[max(0, number.start - _REACH) : number.start])
    return _PERIODS[spoken["word"].lower()] if spoken else None


# "Three reasons" may be counted from the sources without being written there.
COUNTABLE = 12
_CHANGED_BY = re.compile(r"\b(?:by|difference of|another)\s+(?:about\s+)?\Z", re.IGNORECASE)
_LIST_MARK = re.compile(r"\s*\d{1,3}[.)]\s+")
_CLAUSE = re.compile(r"[,;]\s|\s(?:and|but|while|whereas)\s")
# Words behind a number that say what is counted: "25 machines", "5 large ships".
_COUNTED_WITHIN = 3


@dataclass(frozen=True, slots=True)
class Rival:
    """What a source has where the claim has something else; `certain` where it surely answers the same question."""

    place: SourceSpan
    certain: bool

    @property
    def expected(self) -> str | None:
        """The source's own words, where they may be put in the claim's place."""
        return self.place.quote if self.certain else None


def numbers(over: Comparison) -> list[Check]:
    """Each number of the claim against those of its sources: same dimension, equal within rounding, by one time."""
    found = _undated(over.claim.plain)
    compared = (_number(over, each) for each in found[:MOST_COMPARED])
    return [*compared, *timed(over), *over.rest("numbers", found)]


def _undated(text: str) -> list[Quantity]:
    """The quantities of a text that are no part of a date, and do not count the text itself ("3.", "Third,")."""
    dated, mark = dates_in(text), _LIST_MARK.match(text)
    begins = mark.end() if mark else 0
    found = [each for each in quantities_in(text) if each.start >= begins]
    if found and _counts_sentences(text, found[0], begins):
        del found[0]
    return [each for each in found if not any(overlaps(each, date) for date in dated)]


def _counts_sentences(text: str, first: Quantity, begins: int) -> bool:
    """Whether an ordinal stands alone before the comma that opens the sentence."""
    return first.dimension == "ordinal" and not text[begins : first.start].strip() and text[first.end :][:1] == ","


def _number(over: Comparison, mine: Quantity) -> Check:
    """The number as the sources have it, else as it follows from theirs."""
    check = _written_number(over, mine)
    if not _stands_against(check):
        return check
    sentences, near = near_values(over)
    tells_change = _CHANGED_BY.search(over.claim.plain[: mine.start]) is not None
    found = derived(over.claim.plain, mine, near, None if tells_change else _own_words(over))
    if found is None:
        return check
    if over.copied is None or (found.kind in SAYS_THE_SAME and _takes_place_of(over, mine, found, sentences)):
        return _computed(over, "numbers", mine, found, sentences)
    # In a copy the number in its place decides, unless the claim's own words compute.
    if not tells_change and found.kind not in CUED | WRITTEN_OTHERWISE - SAYS_THE_SAME:
        return check
    return over.check("numbers", Status.UNKNOWN, Severity.BLOCK, f"no source writes it: {found.told}", mine)


def _takes_place_of(
    over: Comparison, mine: Quantity, found: Derivation, sentences: Sequence[SourceSentence]
) -> bool:
    """Whether what a copy converts stands in the place of what it is converted from."""
    theirs, first = over.copied and over.copied.copy.instead_of(Span(mine.start, mine.end)), found.operands[0]
    if over.copied is None or theirs is None or sentences[first.sentence] is not over.copied.sentence:
        return False
    return overlaps(first.value, theirs)


def _own_words(over: Comparison) -> str | None:
    """What a copy puts in or changes, as one text; None of a claim that is none."""
    if over.copied is None:
        return None
    return " … ".join(over.claim.plain[each.mine.start : each.mine.end] for each in over.copied.copy.edits)


def _stands_against(check: Check) -> bool:
    """Whether a check failed, or keeps its claim from being called supported."""
    return check.status is Status.FAILED or (check.status is Status.UNKNOWN and check.severity is Severity.BLOCK)


def near_values(over: Comparison) -> tuple[list[SourceSentence], Near]:
    """The sentences nearest to a claim with their values, and some more with their dates alone.

    Those are the ones before and behind the nearest, and the first of its passage: it says who "he" is, and when
    he was born.
    """
    nearest = [each.sentence for each in over.nearest]
    around: list[SourceSentence] = []
    if nearest:
        every = over.sources.sentences
        at = next(n for n, each in enumerate(every) if each is nearest[0])
        of_passage = [n for n, each in enumerate(every) if each.passage is nearest[0].passage]
        places = dict.fromkeys((of_passage[0], max(at - 1, of_passage[0]), min(at + 1, of_passage[-1])))
        around = [every[n] for n in places if not any(every[n] is each for each in nearest)]
    return [*nearest, *around], near_of([each.text for each in nearest], [each.text for each in around])


def _computed(
    over: Comparison, name: str, mine: Quantity | Date, found: Derivation, sentences: Sequence[SourceSentence]
) -> Check:
    """A passed check of a value that follows from others; it notes how, and has the place of the first of these."""
    first = found.operands[0]
    sentence = sentences[first.sentence]
    end = max(each.value.end for each in found.operands if each.sentence == first.sentence)
    start = min(each.value.start for each in found.operands if each.sentence == first.sentence)
    place = source_span(sentence.passage, sentence.start + start, sentence.start + end)
    return over.check(name, Status.PASSED, Severity.BLOCK, f"it follows: {found.told}", mine, place)


def _written_number(over: Comparison, mine: Quantity) -> Check:
    said = over.claim.plain[mine.start : mine.end]
    unclear = next((each for each in over.sources.quantities if quantity_text.may_agree(mine, each[0])), None)
    if unclear is not None and not any(quantity_text.agree(mine, each[0]) for each in over.sources.quantities):
        place = _place(*unclear)
        cause = f"the spaces of {said!r} or {place.quote!r} may part thousands or numbers"
        return over.check("numbers", Status.UNKNOWN, Severity.BLOCK, cause, mine, place)
    instead = _number_in_its_place(over, mine)
    if instead is not None:
        return _wrong_number(over, mine, instead)
    agreeing = [each for each in over.sources.quantities if quantity_text.agree(mine, each[0])]
    if agreeing and not (over.misplaced(agreeing) and _other_number(over, mine, SAME_STATEMENT)):
        place = _place(*over.nearest_first(agreeing))
        return over.check("numbers", Status.PASSED, Severity.BLOCK, None, mine, place)
    other = _other_number(over, mine, SAME_MATTER)
    if other is not None and other.certain:
        return _wrong_number(over, mine, other)
    if mine.dimension == "ordinal" or (mine.spelled and mine.high <= COUNTABLE and mine.dimension in ("", "times")):
        cause = f"the sources do not write {said!r}; it may be counted from them"
        return over.check("numbers", Status.UNKNOWN, Severity.WARN, cause, mine)
    bare = next((each for each in over.sources.quantities if _without_unit(mine, each[0])), None)
    if bare is not None:
        cause = f"the source gives the number of {said!r} without that unit"
        return over.check("numbers", Status.UNKNOWN, Severity.WARN, cause, mine, _place(*bare))
    pointed = next((each for each in over.sources.quantities if _with_points(mine, each[0])), None)
    if pointed is not None:
        cause = f"{said!r} is what the source writes if its point parts thousands"
        return over.check("numbers", Status.UNKNOWN, Severity.BLOCK, cause, mine, _place(*pointed))
    if other is not None:
        return _wrong_number(over, mine, other)
    return over.wrong("numbers", f"no source of this claim says {said!r}", mine, FindingKind.WRONG_NUMBER)


def _wrong_number(over: Comparison, mine: Quantity, rival: Rival) -> Check:
    cause = f"the answer says {over.claim.plain[mine.start : mine.end]!r}, the source {rival.place.quote!r}"
    return over.wrong("numbers", cause, mine, FindingKind.WRONG_NUMBER, rival.place, rival.expected)


def _number_in_its_place(over: Comparison, mine: Quantity) -> Rival | None:
    """The number that stands in its place in the sentence that the claim is a changed copy of."""
    theirs = over.copied and over.copied.copy.instead_of(Span(mine.start, mine.end))
    if not over.copied or not theirs:
        return None
    every = _undated(over.copied.sentence.text)
    found = [each for each in every if overlaps(each, theirs)]
    tight = all(each.tight for each in over.copied.copy.edits_at(Span(mine.start, mine.end)))
    if not found or any(quantity_text.agree(mine, each) for each in (found if tight else every)):
        return None
    alone = sum(quantity_text.comparable(mine, each) for each in _undated(over.claim.plain)) == 1
    if alone and any(quantity_text.agree(mine, each) and _meant(over, each, found[0]) for each in every):
        return None
    return Rival(over.copied.span(Span(found[0].start, found[0].end)), len(found) == 1)


def _meant(over: Comparison, one: Quantity, other: Quantity) -> bool:
    """Whether the claim has a word of the clause of one number that the other's clause lacks: "in London 190"."""
    assert over.copied is not None  # noqa: S101 - asked for only where there is one
    text = over.copied.sentence.text
    first, second = (frozenset(terms(_clause_of(text, each))) for each in (one, other))
    words = {each for each in first - second if not each[0].isdigit()}
    return not words.isdisjoint(terms(over.claim.plain))


def _clause_of(text: str, quantity: Quantity) -> str:
    start = max((each.end() for each in _CLAUSE.finditer(text, 0, quantity.start)), default=0)
    end = _CLAUSE.search(text, quantity.end)
    return text[start : end.start() if end else len(text)]


def _without_unit(mine: Quantity, theirs: Quantity) -> bool:
    """Whether the source has the number bare, as tables and lists do, or both are pounds, money and weight."""
    if {mine.dimension, theirs.dimension} == {"GBP", "mass"}:
        money, mass = (mine, theirs) if mine.dimension == "GBP" else (theirs, mine)
        return math.isclose(mass.low, money.low * UNITS["lb"][1])
    return bool(mine.dimension) and not theirs.dimension and mine.written == theirs.low == theirs.high


def _with_points(mine: Quantity, theirs: Quantity) -> bool:
    """Whether one of two is the other with its point read as one between thousands: "4.200 Euro" is 4,200 euros."""
    less, more = sorted((mine, theirs), key=lambda each: each.written)
    if not less.written or less.low != less.high or more.written != round(1000 * less.written, 6):
        return False
    places = less.slack * less.written / less.low  # half of the last place, before the unit
    return quantity_text.comparable(mine, theirs) and abs(places - 0.0005) < 1e-9


def _other_number(over: Comparison, mine: Quantity, share: float) -> Rival | None:
    """A number of the same dimension in a sentence that holds that share of the claim, which it does not say.

    One that counts the same thing goes first, and is certain.
    """
    counted = _counted(over.claim.plain, mine)
    other = None
    for sentence, theirs in _rivals(over, mine, share):
        start = sentence.start
        place = source_span(sentence.passage, start + theirs.start, start + theirs.end)
        if counted & _counted(sentence.text, theirs):
            return Rival(place, True)
        if other is None and not theirs.spelled:
            other = Rival(place, False)
    return other


def _rivals(over: Comparison, mine: Quantity, share: float) -> Iterator[tuple[SourceSentence, Quantity]]:
    claimed = quantities_in(over.claim.plain)
    for each in over.near(share):
        for theirs in _undated(each.sentence.text):
            if _answer_the_same(mine, theirs) and not any(quantity_text.agree(one, theirs) for one in claimed):
                yield each.sentence, theirs


def _answer_the_same(mine: Quantity, theirs: Quantity) -> bool:
    """Whether two numbers may answer one question; a percentage and percentage points do, wrongly."""
    return {mine.dimension, theirs.dimension} == {"percent", "point"} or quantity_text.comparable(mine, theirs)


def _counted(text: str, quantity: Quantity) -> frozenset[str]:
    """The content words right behind a number: what it counts; none behind a unit other than percent."""
    if quantity.dimension not in ("", "percent"):
        return frozenset()
    behind = text[quantity.end : quantity.end + 60]
    words = [fold(behind[each.start : each.end]) for each in word_spans(behind)][:_COUNTED_WITHIN]
    return frozenset(stem(word) for word in words if word not in STOP_WORDS and not word[0].isdigit())


def calendar(over: Comparison) -> list[Check]:
    """Each date of the claim against the dates of its sources: the same, or one within the claim's."""
    found = dates_in(over.claim.plain)
    return [*(_date(over, each) for each in found[:MOST_COMPARED]), *over.rest("dates", found)]


def _date(over: Comparison, mine: Date) -> Check:
    """The date as the sources have it, else as it follows from a date of theirs and a time."""
    check = _written_date(over, mine)
    if not _stands_against(check) or over.copied is not None:
        return check
    sentences, near = near_values(over)
    found = derived_date(over.claim.plain, mine, near)
    return check if found is None else _computed(over, "dates", mine, found, sentences)


def _written_date(over: Comparison, mine: Date) -> Check:
    said = over.claim.plain[mine.start : mine.end]
    instead = _date_in_its_place(over, mine)
    if instead is not None:
        return _wrong_date(over, mine, instead)
    agreeing = [each for each in over.sources.dates if date_text.agree(mine, each[0])]
    if agreeing and not (over.misplaced(agreeing) and _other_date(over, mine, SAME_STATEMENT)):
        place = _place(*over.nearest_first(agreeing))
        return over.check("dates", Status.PASSED, Severity.BLOCK, None, mine, place)
    wider = [each for each in over.sources.dates if date_text.relation(mine, each[0]) == "within"]
    if wider and not agreeing:
        place = _place(*over.nearest_first(wider))
        cause = f"the source says only {place.quote!r}, the answer {said!r}"
        return over.check("dates", Status.UNKNOWN, Severity.BLOCK, cause, mine, place)
    other = _other_date(over, mine, SAME_MATTER)
    if other is None:
        return over.wrong("dates", f"no source of this claim says {said!r}", mine, FindingKind.WRONG_DATE)
    return _wrong_date(over, mine, other)


def _wrong_date(over: Comparison, mine: Date, rival: Rival) -> Check:
    cause = f"the answer says {over.claim.plain[mine.start : mine.end]!r}, the source {rival.place.quote!r}"
    return over.wrong("dates", cause, mine, FindingKind.WRONG_DATE, rival.place, rival.expected)


def _date_in_its_place(over: Comparison, mine: Date) -> Rival | None:
    """The date that stands in its place in the sentence that the claim is a changed copy of."""
    theirs = over.copied and over.copied.copy.instead_of(Span(mine.start, mine.end))
    if not over.copied or not theirs:
        return None
    every = dates_in(over.copied.sentence.text)
    found = [each for each in every if overlaps(each, theirs)]
    tight = all(each.tight for each in over.copied.copy.edits_at(Span(mine.start, mine.end)))
    beside = found if tight else every
    if not found or any(date_text.relation(mine, each) in ("same", "contains", "within") for each in beside):
        return None
    return Rival(over.copied.span(Span(found[0].start, found[0].end)), len(found) == 1)


def _other_date(over: Comparison, mine: Date, share: float) -> Rival | None:
    """A date that differs from the claim's, in a sentence that holds that share of the claim.

    It is certain where it is the only one there, as exact as the claim's.
    """
    claimed = dates_in(over.claim.plain)
    for each in over.near(share):
        found = [
            theirs
            for theirs in dates_in(each.sentence.text)
            if not any(date_text.agree(one, theirs) for one in claimed)
        ]
        different = [theirs for theirs in found if date_text.relation(mine, theirs) == "different"]
        if different:
            first, start = different[0], each.sentence.start
            place = source_span(each.sentence.passage, start + first.start, start + first.end)
            return Rival(place, len(found) == 1 and each.coverage >= share and _as_exact(mine, first))
    return None


def _as_exact(mine: Date, theirs: Date) -> bool:
    """Whether both give the same parts of a date."""
    return all(
        (one is None) == (other is None)
        for one, other in ((mine.year, theirs.year), (mine.month, theirs.month), (mine.day, theirs.day))
    )


def _place(found: Quantity | Date, passage: Passage) -> SourceSpan:
    return source_span(passage, found.start, found.end)
