"""The support of every labelled claim by the bundled checker's policy: `scored/claims.json` of the cache.

As in the program, a claim that the source says word for word has 1; one that breaks off has none and is left out.
In the labelled sets, words and vectors speak by trees that saw nothing of the claim's group.

    .venv/bin/python benchmarks/claims/signals.py CHECKER        # what is measured of each claim
    .venv/bin/python benchmarks/calibration/claims.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
sys.path.insert(0, str(Path(__file__).parents[1] / "claims"))
from policy import trees_out_of_fold
from rows import ALL
from scored import Scored, keep
from signals import NATURAL, Signals, kept

from assay.calibration import ClaimPolicy
from report import bundled_checker


def main() -> None:
    """Score and keep."""
    policy, trees = bundled_checker().model.policy, trees_out_of_fold()
    keep("claims", {name: told(kept(name), trees.get(name), policy) for name in (*NATURAL, *ALL)})


def told(some: list[Signals], trees: np.ndarray | None, policy: ClaimPolicy) -> Scored:
    """The support that the program gives each claim, those without any left out."""
    found = [each for each in some if each.quoted or (each.checker and each.aligned is not None)]
    scores = [support(each, None if trees is None else float(trees[int(each.id)]), policy) for each in found]
    happened = np.array([each.label == "supports" for each in found])
    return Scored(np.array(scores), happened, tuple(each.group for each in found))


def support(each: Signals, trees: float | None, policy: ClaimPolicy) -> float:
    """The support of one claim; `trees` are the log odds that stand for those measured."""
    return 1.0 if each.quoted else policy.probability(each.inputs(trees))


if __name__ == "__main__":
    main()
