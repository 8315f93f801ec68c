"""Answers made of the evidence's own sentences, without a language model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from assay.types import Evidence, Finding, Finished, Question, Sentence
from assay.write.candidates import candidates
from assay.write.features import rows
from assay.write.ranker import Ranker, fitted
from assay.write.selection import readable, select


@dataclass(frozen=True, slots=True)
class ExtractiveWriter:
    """Quotes the sentences that answer, each with its passage, word for word.

    It writes the same answer whatever the advice: a quotation cannot be mended.
    """

    ranker: Ranker = field(default_factory=fitted)

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncIterator[Sentence | Finished]:
        """The answer's sentences in reading order, then `Finished("stop")`; none where nothing can be quoted."""
        pool = candidates(evidence)
        chosen = select(pool, self.ranker.shares(rows(question, evidence, pool))) if pool else []
        for number, index in enumerate(readable(chosen, pool), 1):
            yield Sentence(number, pool[index].text, (pool[index].passage.passage_id,))
        yield Finished("stop")
