"""bullets: when an answer puts its points in a list, and how many."""

from __future__ import annotations

from pydantic import model_validator

from assay.reflect.blocks import blocks, is_question, word_count
from assay.reflect.kinds.length import bounds, counted
from assay.reflect.subject import Broken, Count, Demand, Interval, Kind, Subject
from assay.types import Span


class Bullets(Kind):
    """At least `min` and at most `max` points in lists, where the answer has more than `over_words` words.

    A list stands below prose that introduces it. Questions in a list are no points.
    """

    over_words: Count = 0
    min: Count = 0
    max: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Bullets:
        if self.min == 0 and self.max is None:
            raise ValueError("give min, max or both")
        if self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def told(self, language: str) -> str:
        """When to make a list."""
        where = f"Where the answer has more than {self.over_words} words, write" if self.over_words else "Write"
        if self.max == 0:
            return f"{where} no lists."
        return f"{where} {bounds(self.min, self.max, 'points')} as a list below a sentence that introduces them."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The answer, where its points are too few or too many, or nothing introduces them."""
        if word_count(subject.plain) <= self.over_words:
            return ()
        found = blocks(subject.plain)
        points = [item for block in found for item in block.items if not _asks(subject, item)]
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


def _asks(subject: Subject, item: Span) -> bool:
    return is_question(subject.plain[item.start : item.end])
