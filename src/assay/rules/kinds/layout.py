"""bullets: when an answer puts its points in a list, and how many."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import model_validator

from assay.nlp.quantities import Quantity, agree, quantities
from assay.nlp.units import CENTS, CURRENCY_SIGNS
from assay.rules.layout import blocks, heading_text, is_question, statements, word_count
from assay.rules.rule import Broken, Count, Demand, Exempt, Interval, Kind, Subject, Untested
from assay.types import Edit, Span

# length: how long an answer may be, in words, sentences or characters.


class Length(Kind):
    """At least `min` and at most `max` of a unit; citation marks are not counted, nor is what is exempt."""

    unit: Literal["words", "sentences", "characters"] = "words"
    min: Count = 0
    max: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Length:
        require_bounds(self.min, self.max)
        return self

    def instruction(self, language: str) -> str:
        """The instruction on the length of the answer."""
        return f"Write {bounds(self.min, self.max, self.unit)}."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The whole answer if it is too short or too long."""
        count = _count(subject.plain, self.unit)
        if count < self.min:
            return (Broken(f"the answer has {counted(count, self.unit)}, the least is {self.min}"),)
        if self.max is not None and count > self.max:
            return (Broken(f"the answer has {counted(count, self.unit)}, the most is {self.max}"),)
        return ()

    def demand(self, language: str) -> Demand:
        """The bounds of its unit."""
        bound = Interval(self.min, self.max)
        if self.unit == "words":
            return Demand(words=bound)
        return Demand(sentences=bound) if self.unit == "sentences" else Demand(characters=bound)


def require_bounds(low: int, high: int | None) -> None:
    """Raise ValueError unless `min` or `max` is given, and in order."""
    if low == 0 and high is None:
        raise ValueError("give min, max or both")
    if high is not None and low > high:
        raise ValueError(f"min {low} is above max {high}")


def bounds(low: int, high: int | None, what: str) -> str:
    """Bounds in words; `what` is counted, in the plural.

    >>> bounds(0, 3, "words"), bounds(1, None, "words"), bounds(1, 3, "words"), bounds(1, 1, "words")
    ('at most 3 words', 'at least 1 word', '1 to 3 words', 'exactly 1 word')
    """
    if high is None:
        return f"at least {counted(low, what)}"
    if low == high:
        return f"exactly {counted(low, what)}"
    return f"{low} to {counted(high, what)}" if low else f"at most {counted(high, what)}"


def counted(count: int, what: str) -> str:
    """A number of what a plural in s names.

    >>> counted(1, "words"), counted(0, "words")
    ('1 word', '0 words')
    """
    return f"{count} {what.removesuffix('s') if count == 1 else what}"


def _count(plain: str, unit: str) -> int:
    if unit == "words":
        return word_count(plain)
    if unit == "sentences":
        return sum(heading_text(statement.plain) is None for statement in statements(plain))
    return len(" ".join(plain.split()))


class Bullets(Kind):
    """At least `min` and at most `max` points in lists, if the answer has more than `over_words` words.

    A list stands below prose that introduces it. Questions in a list are no points.
    """

    over_words: Count = 0
    min: Count = 0
    max: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Bullets:
        require_bounds(self.min, self.max)
        return self

    def instruction(self, language: str) -> str:
        """The instruction on making a list."""
        where = f"Where the answer has more than {self.over_words} words, write" if self.over_words else "Write"
        if self.max == 0:
            return f"{where} no lists."
        return f"{where} {bounds(self.min, self.max, 'points')} as a list below a sentence that introduces them."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The answer if its points are too few or too many, or nothing introduces them."""
        if word_count(subject.plain) <= self.over_words:
            return ()
        found = blocks(subject.plain)
        points = [
            item for block in found for item in block.items if not is_question(subject.plain[item.start : item.end])
        ]
        if len(points) < self.min:
            return (Broken(f"the answer has {counted(len(points), 'points')} in lists, the least is {self.min}"),)
        if self.max is not None and len(points) > self.max:
            span = Span(points[self.max].start, points[-1].end)
            return (
                Broken(f"the answer has {counted(len(points), 'points')} in lists, the most is {self.max}", span),
            )
        prose = next((block.start for block in found if block.kind == "prose"), None)
        if self.min and (prose is None or prose > points[0].start):
            return (Broken("no sentence introduces the list", Span(points[0].start, points[0].end)),)
        return ()

    def demand(self, language: str) -> Demand:
        """The number of points, in answers of more than so many words."""
        lists = 1 if self.min else 0
        return Demand(
            points=Interval(self.min, self.max),
            over_words=self.over_words,
            added_paragraphs=lists,
            added_words=self.min,
            added_sentences=self.min,
        )


# paragraphs: how many paragraphs an answer has, and how long each may be.


class Paragraphs(Kind):
    """At least `min` and at most `max` paragraphs, none of prose with more than `max_words` words.

    A list is a paragraph of its own, a heading is none.
    """

    min: Count = 0
    max: Count | None = None
    max_words: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Paragraphs:
        if self.min == 0 and self.max is None and self.max_words is None:
            raise ValueError("give min, max or max_words")
        if self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        if self.max == 0 or self.max_words == 0:
            raise ValueError("an answer has at least one paragraph of one word")
        return self

    def instruction(self, language: str) -> str:
        """The instruction on the number and length of paragraphs."""
        count = f"Write {bounds(self.min, self.max, 'paragraphs')}." if self.min or self.max is not None else ""
        size = (
            f"Keep each paragraph to at most {counted(self.max_words, 'words')}."
            if self.max_words is not None
            else ""
        )
        return " ".join(part for part in (count, size) if part)

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The answer if it has too few or too many; the paragraphs that are too long."""
        found = [block for block in blocks(subject.plain) if block.kind != "heading"]
        count = len(found)
        results = []
        if count < self.min:
            results.append(Broken(f"the answer has {counted(count, 'paragraphs')}, the least is {self.min}"))
        if self.max is not None and count > self.max:
            results.append(Broken(f"the answer has {counted(count, 'paragraphs')}, the most is {self.max}"))
        if self.max_words is None:
            return tuple(results)
        for block in found:
            words = word_count(subject.plain[block.start : block.end]) if block.kind == "prose" else 0
            if words > self.max_words:
                cause = f"a paragraph has {words} words, the most is {self.max_words}"
                results.append(Broken(cause, Span(block.start, block.end)))
        return tuple(results)

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """A paragraph break behind the last sentence that still fits, if the number of paragraphs is free."""
        if self.max_words is None or self.max is not None:
            return ()
        return tuple(edit for place in places for edit in self._breaks(subject, place))

    def _breaks(self, subject: Subject, place: Span) -> list[Edit]:
        """Breaks between sentences of one paragraph; a sentence that is too long by itself stays as it is."""
        assert self.max_words is not None  # noqa: S101 - asked only where it is set
        marks = [mark for mark in subject.marks if place.start <= mark.start and mark.end <= place.end]
        ahead = " " * place.start  # so that places stay true
        found = statements(ahead + subject.text[place.start : place.end], marks)
        edits: list[Edit] = []
        words = word_count(found[0].plain) if found else 0
        for before, after in pairwise(found):
            more = word_count(after.plain)
            if words + more > self.max_words and not subject.text[before.end : after.start].strip():
                reason = f"a paragraph has at most {counted(self.max_words, 'words')}"
                edits.append(Edit(before.end, after.start, "\n\n", reason))
                words = 0
            words += more
        return edits

    def demand(self, language: str) -> Demand:
        """The number of paragraphs, and the most words in one."""
        return Demand(paragraphs=Interval(self.min, self.max), longest=self.max_words)


# numbers_in_evidence: prices, or all numbers, only as the evidence has them.


_CURRENCIES = frozenset((*CURRENCY_SIGNS.values(), "CNY", CENTS))
# "Two plans" may be counted from the evidence without being written there; checks of claims say so too.
_COUNTABLE = 12


class NumbersInEvidence(Kind):
    """`which` is "prices", amounts of money, or "all": every number but ordinals and small ones in words."""

    left_alone: ClassVar[frozenset[Exempt]] = frozenset()  # a price in a table or a quotation is a price
    which: Literal["prices", "all"] = "prices"

    def instruction(self, language: str) -> str:
        """The instruction on the origin of numbers."""
        what = "prices" if self.which == "prices" else "numbers"
        return f"Mention only {what} that stand in the sources, exactly as they stand there."

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """Each number that no passage has."""
        numbers = [quantity for quantity in quantities(subject.plain) if self._is_tested(subject.plain, quantity)]
        if not numbers:
            return ()
        if not subject.evidence.hits:
            return (Untested("there is no evidence to find the numbers in"),)
        known = [quantity for hit in subject.evidence.hits for quantity in quantities(hit.passage.text)]
        missing = (number for number in numbers if not any(agree(number, source) for source in known))
        return tuple(
            Broken(f"no passage has {subject.text[number.start : number.end]!r}", Span(number.start, number.end))
            for number in missing
        )

    def _is_tested(self, plain: str, number: Quantity) -> bool:
        if self.which == "prices":
            return number.dimension in _CURRENCIES
        if number.dimension == "ordinal" or _is_list_mark(plain, number):
            return False
        return not (number.spelled and number.high <= _COUNTABLE and not number.dimension)


def _is_list_mark(plain: str, number: Quantity) -> bool:
    """True if a number is the mark of a list's point: "2. Then …"."""
    line_start = plain.rfind("\n", 0, number.start) + 1
    return not plain[line_start : number.start].strip() and plain[number.end : number.end + 2] in (". ", ") ")
