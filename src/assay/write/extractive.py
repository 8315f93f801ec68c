"""Answers made of the evidence's own sentences, without a language model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from assay.types import Evidence, Finding, Finished, Question, Sentence
from assay.write.candidates import candidates
from assay.write.features import read
from assay.write.ranker import Ranker, fitted
from assay.write.selection import WORDS_APART, WORDS_TOGETHER, readable, select


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
        if pool:
            reading = read(question, evidence, pool)
            scattered = self.ranker.scattered(reading)
            words = (1 - scattered) * WORDS_TOGETHER + scattered * WORDS_APART
            chosen = select(pool, self.ranker.shares(reading), words)
            for number, index in enumerate(readable(chosen, pool), 1):
                yield Sentence(number, pool[index].text, (pool[index].passage.passage_id,))
        yield Finished("stop")
