"""What a grader says of a question beside the passages that were found for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from assay.judge.probe import Probe
from assay.judge.reading import Reading
from assay.judge.window import window
from assay.stages import Grader, Pair
from assay.types import Question

# The name of this use in a grader's joinings, and the inputs of its line.
USE = "evidence"
INPUTS = frozenset({"fast", "window", "best_passage", "second_passage"})
# Passages that are read one by one, the nearest: with the window over all of them ten pairs.
PASSAGES = 9


async def graded(
    grader: Grader, question: Question, probe: Probe, readings: Sequence[Reading], cosines: Mapping[str, float]
) -> dict[str, float]:
    """The grader's log odds by name: of the window over all passages, the best passage's and the second best's.

    There must be a passage. One passage alone is best and second best.
    """
    pairs = await asyncio.to_thread(_pairs, question, probe, readings, cosines)
    scores = await grader.score(pairs)
    whole, *own = (float(score) for score in scores)
    best = sorted(own, reverse=True)
    return {"window": whole, "best_passage": best[0], "second_passage": best[min(1, len(best) - 1)]}


def _pairs(
    question: Question, probe: Probe, readings: Sequence[Reading], cosines: Mapping[str, float]
) -> list[Pair]:
    """The question beside the window over all passages, then beside that of each of the nearest."""
    nearest = sorted(readings, key=lambda each: -cosines.get(each.passage_id, each.cover))[:PASSAGES]
    texts = [window(probe, readings, {}), *(window(probe, [each], {}) for each in nearest)]
    return [Pair(question.standalone, text) for text in texts]
