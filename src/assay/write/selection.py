"""How much to show: the likeliest sentences that fit into a short answer, in an order one can read."""

from __future__ import annotations

from collections.abc import Sequence

from assay.write.candidates import Candidate

# Words of an answer where one passage answers and where it takes several; the mean over the questions of
# benchmarks/answers stays under 50 with these.
WORDS_TOGETHER = 46
WORDS_APART = 58
# From how many of the likeliest candidates an answer is chosen.
CHOICE = 14
# A sentence is left out when its share is less than this part of the likeliest one's.
LEAST = 0.05
# Two sentences that share more of the shorter one's terms than this say the same.
SAME = 0.7


def select(
    pool: Sequence[Candidate], shares: Sequence[float], most_words: float, first: Sequence[int] = ()
) -> list[int]:
    """The indices of the chosen candidates: those of `first`, then the likeliest that fit in `most_words`.

    At least one where there are any, however long it is. None repeats another.
    """
    likeliest = sorted(range(len(pool)), key=lambda index: -shares[index])[:CHOICE]
    chosen: list[int] = []
    used = 0
    least = LEAST * max(shares, default=0.0)
    for index in dict.fromkeys([*first, *likeliest]):
        fits = used + pool[index].words <= most_words and (index in first or shares[index] >= least)
        if not chosen or (fits and not _repeats(index, chosen, pool)):
            chosen.append(index)
            used += pool[index].words
    return chosen


def readable(chosen: Sequence[int], pool: Sequence[Candidate]) -> list[int]:
    """The chosen in reading order: passages by their likeliest sentence, within a passage as they stand there."""
    order = {rank: place for place, rank in enumerate(dict.fromkeys(pool[index].rank for index in chosen))}
    return sorted(chosen, key=lambda index: (order[pool[index].rank], pool[index].position))


def _repeats(index: int, chosen: Sequence[int], pool: Sequence[Candidate]) -> bool:
    found = set(pool[index].terms)
    for other in chosen:
        said = set(pool[other].terms)
        if len(found & said) > SAME * min(len(found), len(said)):
            return True
    return False
