"""Checks that need no model: what a claim says in numbers, dates, names and turns against what its sources say.

Each gives one of four states. Failed means that the sources say otherwise or do not say it; unknown, that the
two cannot be compared; nothing is returned where the claim holds nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from assay.text import dates as date_text
from assay.text import quantities as quantity_text
from assay.text.dates import Date, dates
from assay.text.names import Name, names
from assay.text.negation import Negation, comparisons, negations, opposites_of
from assay.text.quantities import Quantity, quantities
from assay.text.tokens import STOP_WORDS, stem, terms, words
from assay.types import Check, Passage, Severity, SourceSpan, Span, Status
from assay.verify.claims import Stated
from assay.verify.sources import Aligned, Sources, source_span

# How much of the claim a source sentence must hold before a difference between the two counts.
SAME_MATTER = 0.4
SAME_STATEMENT = 0.75
# "Three reasons" may be counted from the sources without being written there.
COUNTABLE = 12
# A claim of more numbers than this is a table; the rest of them is not compared, and a check says so.
MOST_COMPARED = 100
_NOT_ALNUM = re.compile(r"[\W_]+")
Found = TypeVar("Found", Quantity, Date)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim (`n` counts from 1) beside its sources and the sentences that hold most of it, best first."""

    n: int
    claim: Stated
    sources: Sources
    nearest: tuple[Aligned, ...]

    def near(self, share: float) -> tuple[Aligned, ...]:
        """The nearest sentences that hold at least that share of the claim."""
        return tuple(each for each in self.nearest if each.coverage >= share)

    def misplaced(self, found: Sequence[tuple[Found, Passage]]) -> bool:
        """Whether a sentence that states nearly the same holds none of what was found elsewhere."""
        close = self.near(SAME_STATEMENT)
        return bool(close) and not any(_holds(each, *one) for each in close for one in found)

    def nearest_first(self, found: Sequence[tuple[Found, Passage]]) -> tuple[Found, Passage]:
        """Of what was found, the one in the nearest sentence, else the first."""
        ordered = (one for each in self.nearest for one in found if _holds(each, *one))
        return next(ordered, found[0])

    def check(
        self,
        name: str,
        status: Status,
        severity: Severity,
        cause: str | None,
        part: Quantity | Date | Name | Negation | Span,
        source: SourceSpan | None = None,
    ) -> Check:
        """The result for one part of the claim, whose place is relative to the claim's plain text."""
        start = self.claim.start + part.start
        return Check(name, status, severity, self.n, cause, Span(start, start + part.end - part.start), source)


# The nearest sentences are read again for every number of a claim.
@lru_cache(maxsize=64)
def _quantities(text: str) -> tuple[Quantity, ...]:
    return tuple(quantities(text))


@lru_cache(maxsize=64)
def _dates(text: str) -> tuple[Date, ...]:
    return tuple(dates(text))


def _holds(each: Aligned, found: Quantity | Date, passage: Passage) -> bool:
    sentence = each.sentence
    return passage is sentence.passage and sentence.start <= found.start < sentence.end


def numbers(over: Comparison) -> list[Check]:
    """Each number of the claim against the numbers of its sources: same dimension, equal within rounding."""
    dated = _dates(over.claim.plain)
    found = [each for each in _quantities(over.claim.plain) if not _within(each, dated)]
    return [*(_number(over, each) for each in found[:MOST_COMPARED]), *_rest(over, "numbers", found)]


def _rest(over: Comparison, name: str, found: Sequence[Quantity] | Sequence[Date] | Sequence[Name]) -> list[Check]:
    """What says that some were not compared."""
    if len(found) <= MOST_COMPARED:
        return []
    cause = f"of {len(found)} {name} in one claim only {MOST_COMPARED} were compared"
    return [over.check(name, Status.UNKNOWN, Severity.BLOCK, cause, found[MOST_COMPARED])]


def _within(quantity: Quantity, dated: Sequence[Date]) -> bool:
    return any(date.start < quantity.end and quantity.start < date.end for date in dated)


def _number(over: Comparison, mine: Quantity) -> Check:
    said = over.claim.plain[mine.start : mine.end]
    agreeing = [each for each in over.sources.quantities if quantity_text.agree(mine, each[0])]
    if agreeing and not (over.misplaced(agreeing) and _other_number(over, mine, SAME_STATEMENT)):
        place = _place(*over.nearest_first(agreeing))
        return over.check("numbers", Status.PASSED, Severity.BLOCK, None, mine, place)
    if mine.dimension == "ordinal" or (mine.spelled and mine.high <= COUNTABLE and not mine.dimension):
        cause = f"the sources do not write {said!r}; it may be counted from them"
        return over.check("numbers", Status.UNKNOWN, Severity.WARN, cause, mine)
    bare = next((each for each in over.sources.quantities if _without_unit(mine, each[0])), None)
    if bare is not None:
        cause = f"the source gives the number of {said!r} without that unit"
        return over.check("numbers", Status.UNKNOWN, Severity.WARN, cause, mine, _place(*bare))
    other = _other_number(over, mine, SAME_MATTER)
    if other is None:
        cause = f"no source of this claim says {said!r}"
        return over.check("numbers", Status.FAILED, Severity.BLOCK, cause, mine)
    cause = f"the answer says {said!r}, the source {other.quote!r}"
    return over.check("numbers", Status.FAILED, Severity.BLOCK, cause, mine, other)


def _without_unit(mine: Quantity, theirs: Quantity) -> bool:
    """Whether the source has the same number bare, as tables and lists do."""
    return bool(mine.dimension) and not theirs.dimension and mine.written == theirs.low == theirs.high


def _other_number(over: Comparison, mine: Quantity, share: float) -> SourceSpan | None:
    """A number of the same dimension in a sentence that holds that share of the claim, which it does not say."""
    claimed = _quantities(over.claim.plain)
    for each in over.near(share):
        dated = _dates(each.sentence.text)
        for theirs in _quantities(each.sentence.text):
            if _within(theirs, dated) or not _rivals(mine, theirs):
                continue
            if not any(quantity_text.agree(one, theirs) for one in claimed):
                start = each.sentence.start
                return source_span(each.sentence.passage, start + theirs.start, start + theirs.end)
    return None


def _rivals(mine: Quantity, theirs: Quantity) -> bool:
    """Whether two numbers answer the same question; a percentage and percentage points do, wrongly."""
    if {mine.dimension, theirs.dimension} == {"percent", "point"}:
        return True
    return quantity_text.comparable(mine, theirs) and not theirs.spelled


def calendar(over: Comparison) -> list[Check]:
    """Each date of the claim against the dates of its sources: the same, or one within the claim's."""
    found = _dates(over.claim.plain)
    return [*(_date(over, each) for each in found[:MOST_COMPARED]), *_rest(over, "dates", found)]


def _date(over: Comparison, mine: Date) -> Check:
    said = over.claim.plain[mine.start : mine.end]
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
        cause = f"no source of this claim says {said!r}"
        return over.check("dates", Status.FAILED, Severity.BLOCK, cause, mine)
    cause = f"the answer says {said!r}, the source {other.quote!r}"
    return over.check("dates", Status.FAILED, Severity.BLOCK, cause, mine, other)


def _other_date(over: Comparison, mine: Date, share: float) -> SourceSpan | None:
    """A date that differs from the claim's, in a sentence that holds that share of the claim."""
    for each in over.near(share):
        for theirs in _dates(each.sentence.text):
            if date_text.relation(mine, theirs) == "different":
                start = each.sentence.start
                return source_span(each.sentence.passage, start + theirs.start, start + theirs.end)
    return None


def _place(found: Quantity | Date, passage: Passage) -> SourceSpan:
    return source_span(passage, found.start, found.end)


def named(over: Comparison) -> list[Check]:
    """Each name of the claim: all of its words stand in the sources, or its acronym or expansion does."""
    found = [each for each in names(over.claim.plain) if not each.opens]
    return [*(_name(over, each) for each in found[:MOST_COMPARED]), *_rest(over, "names", found)]


def _name(over: Comparison, mine: Name) -> Check:
    if _known(mine, over.sources):
        return over.check("names", Status.PASSED, Severity.BLOCK, None, mine, _where(mine, over))
    said = over.claim.plain[mine.start : mine.end]
    return over.check("names", Status.FAILED, Severity.BLOCK, f"no source of this claim names {said!r}", mine)


def _known(name: Name, sources: Sources) -> bool:
    parts = {part for word in name.words for part in terms(word, stop_words=True)}
    if parts <= sources.terms or {stem(word) for word in name.words} <= sources.terms:
        return True
    written = "".join(name.words).replace(".", "")
    if name.acronym and (written in sources.acronyms or written.removesuffix("s") in sources.acronyms):
        return True
    return any(set(name.words) <= set(long) for long in sources.acronyms.values()) or _spelled(written, sources)


def _spelled(written: str, sources: Sources) -> bool:
    """Whether the sources write the name with other spaces or hyphens ("NLRP-3"), or in the singular."""
    singular = written.removesuffix("s")
    if len(singular) < 3:  # two letters stand by chance in any long text
        return False
    return any(singular in _NOT_ALNUM.sub("", passage.text.casefold()) for passage in sources.passages)


def _where(name: Name, over: Comparison) -> SourceSpan | None:
    """The nearest sentence that holds the name's words."""
    wanted = {part for word in name.words for part in terms(word)}
    return next((each.sentence.span for each in over.nearest if wanted <= set(each.sentence.terms)), None)


def negated(over: Comparison) -> list[Check]:
    """Whether claim and nearest sentence agree in what they deny; silent where neither denies anything."""
    mine = negations(over.claim.plain)
    close = over.near(SAME_STATEMENT)
    if not close:
        cause = "no source sentence is near enough to compare what is denied"
        return [over.check("negation", Status.UNKNOWN, Severity.WARN, cause, each) for each in mine[:1]]
    sentence = close[0].sentence
    theirs = negations(sentence.text)
    if not mine and not theirs:
        return []
    part = mine[0] if mine else Span(0, len(over.claim.plain))
    if len(mine) % 2 == len(theirs) % 2:
        return [over.check("negation", Status.PASSED, Severity.BLOCK, None, part, sentence.span)]
    denier, other = (
        (over.claim.plain, sentence.text) if len(mine) > len(theirs) else (sentence.text, over.claim.plain)
    )
    if not _denies_the_same(denier, other):
        cause = "one side denies something that the other does not speak of"
        return [over.check("negation", Status.UNKNOWN, Severity.WARN, cause, part, sentence.span)]
    cause = "the answer denies what the source says" if len(mine) > len(theirs) else "the source denies it"
    return [over.check("negation", Status.FAILED, Severity.BLOCK, cause, part, sentence.span)]


def _denies_the_same(denier: str, other: str) -> bool:
    """Whether most of what a negation of `denier` reaches is stated by `other`."""
    stated = set(terms(other))
    for each in negations(denier):
        reached = set(terms(denier[each.scope.start : each.scope.end]))
        if reached and len(reached & stated) >= 0.6 * len(reached):
            return True
    return False


def turned(over: Comparison) -> list[Check]:
    """More against less, and words against their opposites, in the nearest sentence."""
    close = over.near(SAME_MATTER)
    mine = comparisons(over.claim.plain)
    if not close:
        cause = "no source sentence is near enough to compare more and less"
        return [
            over.check("comparison", Status.UNKNOWN, Severity.WARN, cause, Span(c.start, c.end)) for c in mine[:1]
        ]
    sentence = close[0].sentence
    pair = _opposites(over.claim.plain, sentence.text)
    if pair is not None:
        cause = f"the answer says {pair[0]!r} where the source says {pair[1]!r}"
        where = Span(0, len(over.claim.plain))
        return [over.check("comparison", Status.FAILED, Severity.BLOCK, cause, where, sentence.span)]
    theirs = {each.direction for each in comparisons(sentence.text)}
    if not mine:
        return []
    part = Span(mine[0].start, mine[0].end)
    if {each.direction for each in mine} & theirs:
        return [over.check("comparison", Status.PASSED, Severity.BLOCK, None, part, sentence.span)]
    if theirs and close[0].coverage >= SAME_STATEMENT:
        cause = "the answer says more where the source says less, or less where it says more"
        return [over.check("comparison", Status.FAILED, Severity.BLOCK, cause, part, sentence.span)]
    cause = "the source sentence compares nothing" if not theirs else "the source compares something else"
    return [over.check("comparison", Status.UNKNOWN, Severity.WARN, cause, part, sentence.span)]


def _opposites(claim: str, source: str) -> tuple[str, str] | None:
    """A word of the claim that the source lacks, and its opposite in the source that the claim lacks."""
    mine, theirs = {stem(word): word for word in words(claim)}, {stem(word): word for word in words(source)}
    for each in sorted(mine.keys() - theirs.keys()):
        for other in sorted(opposites_of(each) & theirs.keys() - mine.keys()):
            if _beside(each, claim) & _beside(other, source):
                return mine[each], theirs[other]
    return None


def _beside(word: str, text: str) -> set[str]:
    """The content words within three words of a stem."""
    stems = [stem(each) for each in words(text)]
    around = [near for at, each in enumerate(stems) if each == word for near in stems[max(0, at - 3) : at + 4]]
    return {each for each in around if each != word and each not in STOP_WORDS}
