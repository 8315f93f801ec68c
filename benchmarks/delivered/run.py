"""How many unsupported sentences are delivered unmarked, beside those in the drafts of the model alone.

.venv/bin/python benchmarks/model/run.py [PROFILE [QUESTIONS]]      # first: it keeps the answers
.venv/bin/python benchmarks/delivered/run.py [PROFILE]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from counted import held, unsupported
from sample import drawn, own_words
from stated import RUNS, Drafts, drafts, labelled, of_run

from report import write_result


def by_script(found: Sequence[Drafts]) -> dict[str, Any]:
    """What the script counts in both runs."""
    counts: dict[str, Any] = {}
    for run in RUNS:
        why = Counter(reason for one in found for reason in _reasons(one, run))
        unmarked = of_run(found, run)
        counts[run] = {
            "sentences": sum(each.run == run for one in found for each in one.stated),
            "unmarked": len(unmarked),
            "unsupported and unmarked": why.total(),
            "for": dict(why),
            "of one answer at most": max((len(_reasons(one, run)) for one in found), default=0),
        }
    counts["delivered, share of the raw drafts'"] = _share(
        *(counts[run]["unsupported and unmarked"] for run in RUNS)
    )
    return counts


def _reasons(one: Drafts, run: str) -> list[str]:
    by = held(one.passages)
    return [why for each in of_run([one], run) if (why := unsupported(each.text, by))]


def by_hand(found: Sequence[Drafts], labels: Mapping[str, bool]) -> dict[str, Any]:
    """What the labels say: how many of those drawn are unsupported, and how many of all sentences that makes.

    Copies of a passage are supported, and what is delivered in words of its own was labelled without exception:
    of that run there is a count too, not only an estimate.
    """
    counts: dict[str, Any] = {}
    estimates = []
    for run in RUNS:
        every = of_run(found, run)
        known = [labels[each.sha256] for each in drawn(found) if each.run == run and each.sha256 in labels]
        share = _share(sum(not each for each in known), len(known))
        estimates.append(0.0 if share is None else round(share * len(every), 1))
        counts[run] = {
            "labelled": len(known),
            "unsupported": sum(not each for each in known),
            "of all unmarked sentences, estimated": estimates[-1],
        }
    counts["delivered, share of the raw drafts'"] = _share(*estimates)
    own = own_words(found)
    wrong = sum(not labels[each.sha256] for each in own if each.sha256 in labels)
    counts["delivered in words of its own"] = {
        "sentences": len(own),
        "labelled": sum(each.sha256 in labels for each in own),
        "unsupported": wrong,
        "share of the raw drafts'": _share(wrong, estimates[RUNS.index("raw")]),
    }
    return counts


def agreement(found: Sequence[Drafts], labels: Mapping[str, bool]) -> dict[str, int]:
    """How the script's verdicts and the labels agree, over both runs."""
    pairs = Counter(
        (unsupported(each.text, held(one.passages)) is None, labels[each.sha256])
        for one in found
        for each in one.stated
        if each.sha256 in labels
    )
    names = {True: "supported", False: "unsupported"}
    return {f"script {names[script]}, hand {names[hand]}": count for (script, hand), count in sorted(pairs.items())}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


if __name__ == "__main__":
    profile = sys.argv[1] if len(sys.argv) > 1 else "fast"
    found = drafts(profile)
    numbers = {"questions": len(found), "by script": by_script(found)}
    if known := {row["sentence"]: row["label"] == "supported" for row in labelled()}:
        numbers |= {"by hand": by_hand(found, known), "script and hand": agreement(found, known)}
    write_result("delivered", profile, numbers)
