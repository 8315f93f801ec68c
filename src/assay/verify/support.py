"""How far the sources bear a claim out, 0 to 1: boosted trees over the features, fitted by benchmarks/check/fit.py.

The trees and where they come from are in `support.json`: one model for words alone, one that also reads vectors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Variant = Literal["words", "vectors"]
_LEAF = -1


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Regression trees over named inputs; `score` is the log odds before calibration.

    Arrays hold all nodes of all trees: at a node go left where the input is at most the threshold; `feature` is
    -1 at a leaf. `slope` and `shift` turn the sum of the leaves into calibrated log odds.
    """

    names: tuple[str, ...]
    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    value: NDArray[np.float64]
    slope: float
    shift: float

    def probability(self, inputs: Mapping[str, float]) -> float:
        """The calibrated probability for one row of inputs, 0 to 1; KeyError where an input is missing."""
        row = np.array([inputs[name] for name in self.names])
        nodes = self.roots
        while (inner := self.feature[nodes] != _LEAF).any():
            goes_left = row[self.feature[nodes]] <= self.threshold[nodes]
            nodes = np.where(inner, np.where(goes_left, self.left[nodes], self.right[nodes]), nodes)
        odds = self.slope * float(self.value[nodes].sum()) + self.shift
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


@lru_cache(maxsize=2)
def trees(variant: Variant) -> Trees:
    """The fitted trees that ship with the package.

    >>> trees("words").names[:2]
    ('overlap', 'cover')
    """
    body: dict[str, Any] = json.loads(files("assay.verify").joinpath("support.json").read_text(encoding="utf-8"))
    return trees_from(body["models"][variant])


def trees_from(body: Mapping[str, Any]) -> Trees:
    """The trees of one model as `support.json` writes it."""
    return Trees(
        names=tuple(body["names"]),
        roots=np.array(body["roots"], dtype=np.intp),
        feature=np.array(body["feature"], dtype=np.intp),
        threshold=np.array(body["threshold"], dtype=np.float64),
        left=np.array(body["left"], dtype=np.intp),
        right=np.array(body["right"], dtype=np.intp),
        value=np.array(body["value"], dtype=np.float64),
        slope=float(body["slope"]),
        shift=float(body["shift"]),
    )
