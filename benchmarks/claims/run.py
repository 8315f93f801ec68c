"""The bars of the bundled checker on natural claims that nothing was trained on.

    .venv/bin/python benchmarks/claims/run.py

Needs the signals that signals.py keeps, and the bundled checker's policy. The verdicts are those of the program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from signals import ELSEWHERE, NATURAL, Signals, kept
from verdicts import rounded, verdict

from assay.calibration import ClaimPolicy, sigmoid
from assay.evals.metrics import auroc
from assay.types import Verdict
from report import bundled_checker, write_result

# A true claim is a paraphrase where at most this share of its terms stands in the passage.
PARAPHRASE = 0.5
FLAGGED = (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)


def figures(some: Sequence[Signals], policy: ClaimPolicy) -> dict[str, float]:
    """The shares that issue G bounds, on one set."""
    given = [verdict(each, policy) for each in some]
    p = np.array([1.0 if each.quoted else odds(each, policy) for each in some])
    true = np.array([each.label == "supports" for each in some])
    free = np.array([each.overlap <= PARAPHRASE for each in some]) & true
    supported = np.array([each is Verdict.SUPPORTED for each in given])
    flagged = np.array([each in FLAGGED for each in given])
    contradicted = np.array([each is Verdict.CONTRADICTED for each in given])
    wrong = np.array([each.label == "contradicts" for each in some])
    return {
        "claims": len(some),
        "AUROC": auroc(p, true),
        "AUROC of paraphrases against falsehoods": auroc(p[free | ~true], true[free | ~true]),
        "false called supported": supported[~true].mean(),
        "true flagged": flagged[true].mean(),
        "true supported": supported[true].mean(),
        "paraphrases supported": supported[free].mean(),
        "false flagged": flagged[~true].mean(),
        "flagged that are false": (~true[flagged]).mean(),
        "contradicted that are contradicted": wrong[contradicted].mean(),
        "contradicted found": (contradicted & wrong).sum() / max(1, wrong.sum()),
    }


def odds(each: Signals, policy: ClaimPolicy) -> float:
    """The support of a claim that is not quoted, 0 where nothing was compared."""
    return policy.probability(each.inputs()) if each.checker and each.aligned is not None else 0.0


def by_kind(some: Sequence[Signals], policy: ClaimPolicy, of: Callable[[Signals], bool]) -> dict[str, float]:
    """The share called supported of each kind of claim."""
    kinds = sorted({each.kind for each in some if of(each)})
    return {
        kind: float(np.mean([verdict(x, policy) is Verdict.SUPPORTED for x in some if of(x) and x.kind == kind]))
        for kind in kinds
    }


def main() -> None:
    """Count and write."""
    policy = bundled_checker().model.policy
    natural = {name: kept(name) for name in NATURAL}
    numbers = {
        **{name: figures(some, policy) for name, some in natural.items()},
        "true claims beside other passages, called supported": float(
            np.mean([verdict(each, policy) is Verdict.SUPPORTED for each in kept(ELSEWHERE)])
        ),
        "checker alone": {
            name: auroc(
                np.array([1.0 if x.quoted else sigmoid(x.checker[0]) if x.checker else 0.0 for x in some]),
                np.array([x.label == "supports" for x in some]),
            )
            for name, some in natural.items()
        },
        "false called supported, by kind": by_kind(natural["natural"], policy, lambda x: x.label != "supports"),
        "true called supported, by kind": by_kind(natural["natural"], policy, lambda x: x.label == "supports"),
    }
    write_result("claims", "claims", rounded(numbers))


if __name__ == "__main__":
    main()
