"""How good a ranking is: nDCG and recall at a depth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], depth: int = 10) -> float:
    """Normalised discounted cumulative gain at `depth`, 0 to 1 (Järvelin and Kekäläinen 2002, linear gain).

    `gains` maps ids to relevance above 0; ids not in it gain nothing. Raises ValueError without gains.

    >>> round(ndcg(["b", "a"], {"a": 1.0}), 3)
    0.631
    """
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gains.values(), reverse=True)[:depth]))
    if ideal <= 0:
        raise ValueError("ndcg needs at least one relevant id")
    return sum(gains.get(item, 0.0) / math.log2(i + 2) for i, item in enumerate(ranked[:depth])) / ideal


def recall(ranked: Sequence[str], relevant: frozenset[str], depth: int = 100) -> float:
    """The share of the relevant ids among the first `depth`, 0 to 1. Raises ValueError without any.

    >>> recall(["b", "a"], frozenset("ac"), 2)
    0.5
    """
    if not relevant:
        raise ValueError("recall needs at least one relevant id")
    return len(relevant.intersection(ranked[:depth])) / len(relevant)
