"""The worth of each check: where it fails rightly and wrongly, and the verdicts that it changes.

    .venv/bin/python benchmarks/checks/ablation.py

Needs the signals that benchmarks/claims/signals.py keeps, and the bundled checker's policy. The verdicts are those
of the program. A row is a check, in a changed copy of a source sentence or elsewhere: how many false and true
claims it fails, by how much the share of false ones among these exceeds that among all claims of that place, and
the verdicts that are others without it. *Without a checker*: how many claims that no check keeps from support reach
a support by words and vectors. Sets whose signals are not in the cache are left out and named.
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


def ablation(claims: Sequence[Signals], policy: ClaimPolicy) -> dict[str, dict[str, float]]:
    """For each check, in a copy and elsewhere: how many false and true claims it fails.

    `turned` counts the verdicts that are others without it, rightly or wrongly: of a true claim that is no longer
    flagged, or is supported, the check was wrong. The base rate is that of the place: copies are oftener true.
    """
    places = (True, "in a copy"), (False, "elsewhere")
    found: dict[str, dict[str, float]] = {}
    for is_copy, place in places:
        of_place = [claim for claim in claims if claim.copied is is_copy and not claim.quoted]
        base = sum(claim.label != "supports" for claim in of_place) / len(of_place)
        for name in sorted({name for claim in of_place for name in claim.failed}):
            row = dict.fromkeys(COUNTED, 0.0)
            for claim in of_place:
                if name not in claim.failed:
                    continue
                is_true = claim.label == "supports"
                row["true" if is_true else "false"] += 1
                if verdict(claim.without(name), policy) is not verdict(claim, policy):
                    row["turned wrong" if is_true else "turned right"] += 1
            row["right beyond the base rate"] = row["false"] / (row["false"] + row["true"]) - base
            found[f"{name}, {place}"] = row
    return dict(sorted(found.items()))


def measured(names: Sequence[str]) -> tuple[list[Signals], list[str]]:
    """The signals of the sets that the cache holds, and the names of the others."""
    claims, missing = list[Signals](), list[str]()
    for name in names:
        try:
            claims += kept(name)
        except FileNotFoundError:
            missing.append(name)
    return claims, missing


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
    natural, missing = measured(NATURAL)
    labelled, others = measured((*OTHERS, *SUMMEDITS))
    numbers = {
        "left out": [*missing, *others],
        "on natural claims": ablation(natural, policy),
        "on labelled claims": ablation(labelled, policy),
        "without a checker, changed copies": by_words(natural, True),
        "without a checker, words of their own": by_words(natural, False),
    }
    write_result("checks", "ablation", rounded(numbers))


if __name__ == "__main__":
    main()
