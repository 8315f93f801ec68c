"""Whether a finished answer answers its question, by the reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.nlp.blocks import without_markup
from assay.nlp.reading import titled
from assay.stages import Reader
from assay.text.citation_marks import citations, without_marks
from assay.text.rarity import rarity
from assay.text.tokens import terms
from assay.types import AnswerReading, Passage, Question, Sentence, TitledText


@dataclass(frozen=True, slots=True)
class ReaderRelevance:
    """Reads the answer's own text beside the question, as it reads a passage."""

    reader: Reader

    async def read(
        self, question: Question, sentences: Sequence[Sentence], text: str, sources: Sequence[Passage]
    ) -> AnswerReading | None:
        """The reading of the answer; None in a language that the reader does not read."""
        if question.language not in self.reader.model.languages:
            return None
        said = without_markup(without_marks(text, citations(text)))
        titles = dict.fromkeys(titled(each).title for each in sources)
        (reading,) = await self.reader.read(question.standalone, [TitledText("; ".join(titles), said)])
        held, rarest = held_of(question.standalone, " ".join((*titles, said)))
        apart = min((each.apart for each in sentences if each.apart is not None), default=None)
        return AnswerReading(reading.answerable, held, rarest, apart)


def held_of(question: str, text: str) -> tuple[float, float]:
    """The share of the question's words, by rarity, that a text holds, and that of its two rarest; 1 without words.

    >>> held_of("When did the bridge open?", "The bridge opened in 1932.")
    (1.0, 1.0)
    """
    weights = {term: rarity(term) for term in terms(question)}
    there = set(terms(text))
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[:2]
    if not weights:
        return 1.0, 1.0
    total = math.fsum(weights.values())
    held = math.fsum(weight for term, weight in weights.items() if term in there) / total
    return held, sum(term in there for term in rarest) / len(rarest)
