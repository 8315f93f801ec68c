"""A reranker that asks a grader how far each of the best passages answers the question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.stages import Grader, Pair
from assay.text.language import language_of
from assay.types import Hit

# The name of this use in a grader's joinings.
USE = "ranking"
# Hits that are read, and the words of each, about 128 tokens: what two cores read in some fifty milliseconds.
READ, WORDS = 10, 90


@dataclass(frozen=True, slots=True)
class GradedReranker:
    """Orders the best hits by their search's score and the grader's log odds; those behind them stay as they are.

    The grader must have a joining for ranking. A question in a language that it does not read changes nothing.
    """

    grader: Grader

    async def rerank(self, question: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The same hits, best first; a hit has the score of the place that it takes, its raw scores stay."""
        first = hits[:READ]
        if len(first) < 2 or language_of(question) not in self.grader.model.languages:
            return hits
        scores = await self.grader.score([Pair(question, _opening(hit)) for hit in first])
        joining = self.grader.model.joinings[USE]
        worth = [
            joining.odds({"search": hit.score, "passage": float(score)})
            for hit, score in zip(first, scores, strict=True)
        ]
        order = sorted(range(len(first)), key=lambda at: -worth[at])
        places = sorted((hit.score for hit in first), reverse=True)
        return tuple(replace(first[at], score=score) for at, score in zip(order, places, strict=True)) + hits[READ:]


def _opening(hit: Hit) -> str:
    """The passage's title and its first words."""
    passage = hit.passage
    text = f"{passage.title}. {passage.text}" if passage.title else passage.text
    return " ".join(text.split()[:WORDS])
