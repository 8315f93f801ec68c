"""What each check is worth: where it fails rightly and wrongly, and the verdicts that it turns.

    .venv/bin/python benchmarks/checks/ablation.py

Needs the signals that benchmarks/claims/signals.py keeps, and the bundled checker's policy. The verdicts are those
of the program. A row is a check, in a changed copy of a source sentence or elsewhere: how many false and true ones
it fails, the share of false ones among these less that among all, and the verdicts that are others without it.
*Without a checker*: how many claims that no check keeps from support stand at or above a support that words and
vectors give.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
sys.path.insert(0, str(Path(__file__).parents[1] / "claims"))
from rows import OTHERS, SUMMEDITS
from signals import NATURAL, Signals, kept
from verdicts import rounded, verdict

from assay.calibration import ClaimPolicy
from report import bundled_checker, write_result

COUNTED = ("false", "true", "turned right", "turned wrong")


def ablation(some: Sequence[Signals], policy: ClaimPolicy) -> dict[str, dict[str, float]]:
    """For each check, in a copy and elsewhere: of how many false and true claims it fails.

    `turned` counts the verdicts that are others without it, right ones and wrong ones: a claim that is no longer
    flagged, or that is supported now, rightly where it is true.
    """
    found: dict[str, dict[str, float]] = {}
    for each in some:
        for name in each.failed:
            place = f"{name}, {'in a copy' if each.copied else 'elsewhere'}"
            row = found.setdefault(place, dict.fromkeys(COUNTED, 0))
            is_true = each.label == "supports"
            row["true" if is_true else "false"] += 1
            without = verdict(each.without(name), policy)
            if without is not verdict(each, policy):
                row["turned wrong" if is_true else "turned right"] += 1
    false = sum(each.label != "supports" for each in some) / len(some)
    for row in found.values():
        row["right beyond the base rate"] = row["false"] / (row["false"] + row["true"]) - false
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


def main() -> None:
    """Count and write."""
    policy = bundled_checker().model.policy
    natural = [each for name in NATURAL for each in kept(name)]
    numbers = {
        "on natural claims": ablation(natural, policy),
        "on labelled claims": ablation([each for name in (*OTHERS, *SUMMEDITS) for each in kept(name)], policy),
        "without a checker, changed copies": by_words(natural, True),
        "without a checker, words of their own": by_words(natural, False),
    }
    write_result("checks", "ablation", rounded(numbers))


if __name__ == "__main__":
    main()
