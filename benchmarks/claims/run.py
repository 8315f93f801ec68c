"""The bars of the bundled checker on natural claims that nothing was trained on, and what each check is worth.

    .venv/bin/python benchmarks/claims/run.py

Needs the signals that signals.py keeps, and the bundled checker's policy. The verdicts are those of the program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
from rows import OTHERS, SUMMEDITS
from signals import ELSEWHERE, NATURAL, Signals, kept

from assay.calibration import ClaimPolicy, sigmoid
from assay.evals.metrics.auroc import auroc
from assay.types import Verdict
from report import bundled_checker, write_result

# A true claim is a paraphrase where at most this share of its terms stands in the passage.
PARAPHRASE = 0.5
FLAGGED = (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)


def verdict(each: Signals, policy: ClaimPolicy) -> Verdict:
    """The verdict as assay.verify.verdicts gives it."""
    if each.quoted:
        return Verdict.SUPPORTED
    if each.checker is None or each.aligned is None:
        return Verdict.UNKNOWN
    if each.aligned == 1.0:
        return Verdict.SUPPORTED
    p = policy.probability(each.inputs())
    if p >= policy.supported and not each.decisive:
        return Verdict.UNKNOWN if each.is_vetoed else Verdict.SUPPORTED
    if each.absent or (p >= policy.unsupported and not each.decisive):
        return Verdict.UNKNOWN
    against = each.against if each.decisive else policy.contradicts(each.checker[1])
    return Verdict.CONTRADICTED if against else Verdict.UNSUPPORTED


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


def ablation(some: Sequence[Signals], policy: ClaimPolicy) -> dict[str, dict[str, int]]:
    """For each check, in a copy and elsewhere: of how many false and true claims it fails.

    `turned` counts the verdicts that are others without it, right ones and wrong ones: a claim that is no longer
    flagged, or that is supported now, rightly where it is true.
    """
    found: dict[str, dict[str, int]] = {}
    for each in some:
        for name in each.failed:
            place = f"{name}, {'in a copy' if each.copied else 'elsewhere'}"
            row = found.setdefault(place, dict.fromkeys(("false", "true", "turned right", "turned wrong"), 0))
            is_true = each.label == "supports"
            row["true" if is_true else "false"] += 1
            without = verdict(each.without(name), policy)
            if without is not verdict(each, policy):
                row["turned wrong" if is_true else "turned right"] += 1
    return dict(sorted(found.items()))


def by_words(some: Sequence[Signals], copied: bool) -> dict[str, dict[str, int]]:
    """Without a checker: how many false and true claims no check keeps from support stand at or above a support.

    Of changed copies, or of claims in words of their own (docs/decisions/164-rules-alone-support-copies.md).
    """
    compared = [each for each in some if each.copied is copied and not each.quoted and each.aligned is not None]
    labels = {"false": False, "true": True}
    return {
        name: {
            "all": sum((each.label == "supports") is is_true for each in compared),
            **{
                f"{bar}": sum(
                    (each.label == "supports") is is_true
                    and not each.failed
                    and not each.withheld
                    and (each.aligned or 0.0) >= bar
                    for each in compared
                )
                for bar in (0.7, 0.85, 0.9)
            },
        }
        for name, is_true in labels.items()
    }


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
    found = {name: kept(name) for name in (*OTHERS, *SUMMEDITS)}
    labelled = {name: some for name, some in found.items() if some}  # of one set all groups taught the checker
    every = [each for some in natural.values() for each in some]
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
        "without a checker, changed copies": by_words(every, True),
        "without a checker, words of their own": by_words(every, False),
        "checks on natural claims": ablation(every, policy),
        "checks on labelled claims": ablation([x for some in labelled.values() for x in some], policy),
    }
    write_result("claims", "claims", rounded(numbers))


def rounded(value: object) -> object:
    """Numbers to three places, at any depth."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return round(float(value), 3) if isinstance(value, float | np.floating) else value


if __name__ == "__main__":
    main()
