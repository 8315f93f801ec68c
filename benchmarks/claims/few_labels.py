"""What policies fitted on few labels reach on the rest: natural claims, drawn by their passages, again and again.

    .venv/bin/python benchmarks/claims/few_labels.py

Prints means over the draws; the signals are those that signals.py kept, the fit that of `assay calibrate --claims`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
from signals import NATURAL, kept

from assay.evals.checker_fit import WeighedClaim, policy_of
from assay.types import Verdict

LABELS = {"supports": Verdict.SUPPORTED, "contradicts": Verdict.CONTRADICTED, "neither": Verdict.UNSUPPORTED}
DRAWS = 12
# How many false claims are drawn at least, and half as many true ones; how many claims are to be left.
WANTED, FEWEST_LEFT = (76, 150, 400), 300


def weighed(name: str) -> list[WeighedClaim]:
    """The claims of a set that a policy rules on."""
    return [
        WeighedClaim(each.inputs(), LABELS[each.label], each.checker[1], each.is_vetoed, each.group)
        for each in kept(name)
        if not each.quoted and each.checker and each.aligned not in (None, 1.0)
    ]


def drawn(every: Sequence[WeighedClaim], wanted: int, seed: int) -> tuple[list[WeighedClaim], list[WeighedClaim]]:
    """Claims of passages at random, as many as are wanted; and those of the other passages."""
    groups = sorted({each.group for each in every})
    random.Random(seed).shuffle(groups)
    took: list[WeighedClaim] = []
    for at, group in enumerate(groups):
        if sum(not each.true for each in took) >= wanted and sum(each.true for each in took) >= wanted // 2:
            left = set(groups[at:])
            return took, [each for each in every if each.group in left]
        took += [each for each in every if each.group == group]
    return took, []


def reached(took: Sequence[WeighedClaim], rest: Sequence[WeighedClaim]) -> tuple[float, ...]:
    """How many were drawn; of the others the shares of false passed, of true flagged, of true supported."""
    policy = policy_of(took)
    p = np.array([policy.probability(each.inputs) for each in rest])
    true = np.array([each.true for each in rest])
    supported = (p >= policy.supported) & ~np.array([each.is_vetoed for each in rest])
    flagged = p < policy.unsupported
    return len(took), supported[~true].mean(), flagged[true].mean(), supported[true].mean()


def main() -> None:
    """Draw, fit and print."""
    print(f"{'set':16}{'claims':>8}{'passed':>8}{'flagged':>9}{'supported':>11}")
    for name in NATURAL:
        every = weighed(name)
        for wanted in WANTED:
            draws = [drawn(every, wanted, seed) for seed in range(DRAWS)]
            if min(len(rest) for _, rest in draws) >= FEWEST_LEFT:
                n, *shares = np.mean([reached(took, rest) for took, rest in draws], 0)
                print(
                    f"{name:16}{n:8.0f}"
                    + "".join(f"{each:{width}.3f}" for each, width in zip(shares, (8, 9, 11), strict=True))
                )


if __name__ == "__main__":
    main()
