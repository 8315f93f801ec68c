"""citations: how many sources each statement cites."""

from __future__ import annotations

from pydantic import model_validator

from assay.reflect.blocks import Statement, heading_text, is_question, statements
from assay.reflect.kinds.length import bounds, counted
from assay.reflect.subject import Broken, Count, Demand, Interval, Kind, Subject
from assay.text.citation_marks import citations
from assay.text.courtesies import is_courtesy
from assay.types import Span

# A heading, a question, a lead-in, a courtesy and a bare word state nothing that a source could bear out.
_LEAST_WORDS = 3


class Citations(Kind):
    """At least `min` and at most `max` different sources for each sentence that states something."""

    min: Count = 1
    max: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Citations:
        if self.min == 0 and self.max is None:
            raise ValueError("give min, max or both")
        if self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def told(self, language: str) -> str:
        """How many sources to cite."""
        return f"Cite {bounds(self.min, self.max, 'sources')} in each sentence that states something."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """Each sentence that cites too few sources or too many."""
        results = []
        for sentence in statements(subject.text, subject.marks):
            if not _states(subject, sentence):
                continue
            cited = _sources(subject.text[sentence.start : sentence.end])
            span = Span(sentence.start, sentence.end)
            if cited < self.min:
                results.append(
                    Broken(f"a sentence cites {counted(cited, 'sources')}, the least is {self.min}", span)
                )
            elif self.max is not None and cited > self.max:
                results.append(
                    Broken(f"a sentence cites {counted(cited, 'sources')}, the most is {self.max}", span)
                )
        return tuple(results)

    def demand(self, language: str) -> Demand:
        """The sources of each sentence."""
        return Demand(citations=Interval(self.min, self.max))


def _sources(text: str) -> int:
    """How many different sources a text cites; a mark that names one unknown here counts as one."""
    marks = citations(text)
    return len({number for mark in marks for number in mark.numbers}) + sum(not mark.numbers for mark in marks)


def _states(subject: Subject, sentence: Statement) -> bool:
    plain = sentence.plain.strip()
    if heading_text(plain) is not None or is_question(plain) or plain.endswith((":", "：")) or is_courtesy(plain):
        return False
    own = subject.plain[sentence.start : sentence.end]  # without what is left alone
    return len(own.split()) >= _LEAST_WORDS or (bool(own.strip()) and not own.isascii())
