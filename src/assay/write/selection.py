"""How much to show: the sentences whose chance to answer is worth the words they cost."""

from __future__ import annotations

from collections.abc import Sequence

from assay.write.candidates import Candidate

# Words that an answer may take, and the chance of answering that a word must bring; together they keep answers
# near 50 words on the questions of benchmarks/answers.
MOST_WORDS = 90
WORTH = 0.0035
# Two sentences that share more of the shorter one's terms than this say the same.
SAME = 0.7


def select(pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """The indices of the chosen candidates, best first; at least one where there are any.

    A sentence is taken while its share is at least `WORTH` a word, it adds something to those before it, and
    `MOST_WORDS` are not passed.
    """
    chosen: list[int] = []
    used = 0
    for index in sorted(range(len(pool)), key=lambda each: -shares[each]):
        words = pool[index].words
        worth = shares[index] >= WORTH * words
        if not chosen or (worth and used + words <= MOST_WORDS and not _repeats(index, chosen, pool)):
            chosen.append(index)
            used += words
    return chosen


def readable(chosen: Sequence[int], pool: Sequence[Candidate]) -> list[int]:
    """The chosen in reading order: passages by their best sentence, within a passage as they stand there."""
    order = {rank: place for place, rank in enumerate(dict.fromkeys(pool[index].rank for index in chosen))}
    return sorted(chosen, key=lambda index: (order[pool[index].rank], pool[index].position))


def _repeats(index: int, chosen: Sequence[int], pool: Sequence[Candidate]) -> bool:
    found = set(pool[index].terms)
    for other in chosen:
        said = set(pool[other].terms)
        if len(found & said) > SAME * min(len(found), len(said)):
            return True
    return False
