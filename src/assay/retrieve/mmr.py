"""Maximal marginal relevance: passages that answer without repeating each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def diverse(relevance: NDArray[np.float64], vectors: NDArray[np.float32], k: int, share: float) -> list[int]:
    """The places of k candidates, each the best by `share * relevance - (1 - share) * likeness` to those before.

    Carbonell and Goldstein 1998. `relevance` lies in 0 to 1, shape (n,); `vectors` has rows of length 1, shape
    (n, dimension); likeness is the highest cosine to a chosen one. `share` 1 gives the order of relevance.

    >>> import numpy as np
    >>> diverse(np.array([1.0, 0.9, 0.5]), np.array([[1, 0], [1, 0], [0, 1]], np.float32), 2, 0.5)
    [0, 2]
    """
    import numpy as np

    chosen: list[int] = []
    likeness = np.zeros(len(relevance))
    while len(chosen) < min(k, len(relevance)):
        value = share * relevance - (1 - share) * likeness
        value[chosen] = -np.inf
        chosen.append(int(np.argmax(value)))
        likeness = np.maximum(likeness, vectors @ vectors[chosen[-1]])
    return chosen
