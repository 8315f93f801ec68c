"""The verbs of a cache of answers."""

from __future__ import annotations

from typing import Protocol

from assay.types import Answer, Evidence, KeptAnswer, Question, Sentence


class AnswerCache(Protocol):
    """Keep the answers of earlier runs, and serve one that still holds."""

    async def find(self, question: Question) -> KeptAnswer | None:
        """A kept answer to the question, held against the present documents; None if there is none that holds."""
        ...

    async def keep(
        self, question: Question, evidence: Evidence, answer: Answer, sentences: tuple[Sentence, ...]
    ) -> None:
        """Keep the answer for the next question; `evidence` is what its search found."""
        ...
