"""When a model is asked beside the fast judge: in the band where it errs, and for a sampled share outside it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Band:
    """The sufficiencies from `low` to `high`, both included, each 0 to 1, in which the fast judge errs.

    >>> 0.5 in Band(0.4, 0.9), 0.95 in Band(0.4, 0.9)
    (True, False)
    """

    low: float
    high: float

    def __contains__(self, sufficiency: float) -> bool:
        """Whether the sufficiency lies in the band."""
        return self.low <= sufficiency <= self.high


@lru_cache(maxsize=1)
def learned_band() -> Band:
    """The shipped band, made by benchmarks/judge/band.py; its provenance stands in the file."""
    table = json.loads((files("assay.judge") / "band.json").read_text(encoding="utf-8"))
    return Band(table["low"], table["high"])


def sampled(question: str, share: float) -> bool:
    """Whether the question belongs to the sampled share, 0 to 1: by its hash, so that a replay agrees.

    >>> sampled("Who founded Rome?", 0.0), sampled("Who founded Rome?", 1.0)
    (False, True)
    """
    drawn = int.from_bytes(hashlib.sha256(question.encode(errors="surrogatepass")).digest()[:8])
    return drawn < share * 2**64
