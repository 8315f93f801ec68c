"""Two writers, one for simple questions: a cheap model where the rule of `assay.depth.is_simple` allows it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from assay.depth import is_simple
from assay.stages import Writer
from assay.types import Evidence, Finding, Finished, Question, Sentence


@dataclass(frozen=True, slots=True)
class RoutedWriter:
    """Simple questions go to `simple`, all others to `full`; so does a draft written again after findings."""

    simple: Writer
    full: Writer

    def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """What the chosen writer writes; raises what it raises."""
        return self.chosen(question, advice).write(question, evidence, advice)

    def chosen(self, question: Question, advice: tuple[Finding, ...] = ()) -> Writer:
        """The writer for this question."""
        return self.simple if is_simple(question) and not advice else self.full
