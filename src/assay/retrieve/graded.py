"""A reranker that asks a grader how far each of the best passages answers the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.calibration import Joining
from assay.stages import Grader, Pair
from assay.text.language import language_of
from assay.types import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The name of this use in a grader's joinings, and the inputs of its line.
USE = "ranking"
INPUTS = frozenset({"search", "passage"})
# Hits that are read, and the words of each, about 128 tokens; docs/decisions/151 has what that costs.
READ, WORDS = 10, 90


@dataclass(frozen=True, slots=True)
class GradedReranker:
    """Orders the best hits by their search's score and the grader's log odds; those behind them stay as they are.

    The grader must have a joining for ranking. A question in a language that it does not read changes nothing.
    """

    grader: Grader

    async def rerank(self, question: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The same hits, best first; a hit has the score of the place that it takes, its raw scores stay."""
        if len(hits) < 2 or language_of(question) not in self.grader.model.languages:
            return hits
        scores = await self.grader.score(pairs_of(question, hits))
        return ordered(hits, scores, self.grader.model.joinings[USE])


def pairs_of(question: str, hits: Sequence[Hit]) -> list[Pair]:
    """The question beside each of the hits that are read."""
    return [Pair(question, _opening(hit)) for hit in hits[:READ]]


def ordered(hits: tuple[Hit, ...], scores: NDArray[np.float32], joining: Joining) -> tuple[Hit, ...]:
    """The hits, those with a score in a new order; the places keep the scores that they had."""
    read = hits[: len(scores)]
    worth = [
        joining.odds({"search": hit.score, "passage": float(score)})
        for hit, score in zip(read, scores, strict=True)
    ]
    order = sorted(range(len(read)), key=lambda at: -worth[at])
    places = sorted((hit.score for hit in read), reverse=True)
    moved = tuple(replace(read[at], score=score) for at, score in zip(order, places, strict=True))
    return moved + hits[len(scores) :]


def _opening(hit: Hit) -> str:
    """The passage's title and its first words."""
    passage = hit.passage
    text = f"{passage.title}. {passage.text}" if passage.title else passage.text
    return " ".join(text.split()[:WORDS])
