"""How rare a word is in English at large: shipped counts, so that a judgement needs no collection."""

from __future__ import annotations

import math
from functools import lru_cache
from importlib.resources import files

# A table of the background, made by benchmarks/judge/background.py.
_TABLE = "background.txt"


@lru_cache(maxsize=1)
def _counts() -> tuple[int, dict[str, int]]:
    """How many passages were counted, and in how many each stem occurs."""
    first, *lines = (files("assay.text") / _TABLE).read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" ") for line in lines)
    return int(first), {stem: int(count) for stem, count in pairs}


def is_common(term: str) -> bool:
    """Whether a term is in the table: a word of English, whatever a collection holds.

    >>> is_common("found"), is_common("reimbursm")
    (True, False)
    """
    return term in _counts()[1]


def rarity(term: str) -> float:
    """The term's weight, 0.1 to 1: its inverse document frequency over that of a term never seen.

    log(N / (n + 1)) / log(N), after Sparck Jones 1972. Pairs of ideographs and numbers are never in the table,
    so they all weigh 1 and count alike.

    >>> rarity("year") < rarity("quinoa") <= rarity("zyzzyva") == 1.0
    True
    """
    total, counts = _counts()
    return max(0.1, math.log(total / (counts.get(term, 0) + 1)) / math.log(total))
