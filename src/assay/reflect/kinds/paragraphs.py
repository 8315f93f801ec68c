"""paragraphs: how many paragraphs an answer has, and how long each may be."""

from __future__ import annotations

from itertools import pairwise

from pydantic import model_validator

from assay.reflect.blocks import blocks, statements, word_count
from assay.reflect.kinds.length import bounds, counted
from assay.reflect.subject import Broken, Count, Demand, Interval, Kind, Subject
from assay.types import Edit, Span


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

    def told(self, language: str) -> str:
        """How many paragraphs, and how long each."""
        count = f"Write {bounds(self.min, self.max, 'paragraphs')}." if self.min or self.max is not None else ""
        size = (
            f"Keep each paragraph to at most {counted(self.max_words, 'words')}."
            if self.max_words is not None
            else ""
        )
        return " ".join(part for part in (count, size) if part)

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The answer, where it has too few or too many; each paragraph that is too long."""
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
        """A paragraph break behind the last sentence that still fits, where the number of paragraphs is free."""
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
