"""A question of several parts: a sentence for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.types import Question
from assay.write.candidates import Candidate
from assay.write.features import weighing

# A sentence that holds less of a part than this does not answer it.
LEAST = 0.5


def for_each_part(question: Question, pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """For each of several aspects the candidate that holds most of it, the likelier of two; none for a lone one.

    A part that no candidate holds half of gets none.
    """
    if len(question.aspects) < 2:
        return []
    found = (_best(replace(question, standalone=aspect), pool, shares) for aspect in question.aspects)
    return list(dict.fromkeys(index for index in found if index is not None))


def _best(part: Question, pool: Sequence[Candidate], shares: Sequence[float]) -> int | None:
    weigh = weighing(part, pool)
    covers = [weigh.cover(frozenset(candidate.terms)) for candidate in pool]
    best = max(range(len(pool)), key=lambda index: (covers[index], shares[index]))
    return best if covers[best] >= LEAST else None
