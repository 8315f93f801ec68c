"""length: how long an answer may be, in words, sentences or characters."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from assay.reflect.blocks import heading_text, statements, word_count
from assay.reflect.subject import Broken, Count, Demand, Interval, Kind, Subject


class Length(Kind):
    """At least `min` and at most `max` of a unit; citation marks are not counted, nor is what is exempt."""

    unit: Literal["words", "sentences", "characters"] = "words"
    min: Count = 0
    max: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Length:
        if self.min == 0 and self.max is None:
            raise ValueError("give min, max or both")
        if self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def told(self, language: str) -> str:
        """How long the answer is to be."""
        return f"Write {bounds(self.min, self.max, self.unit)}."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The whole answer, where it is too short or too long."""
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
        return sum(heading_text(each.plain) is None for each in statements(plain))
    return len(" ".join(plain.split()))
