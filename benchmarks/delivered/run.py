"""How many unsupported sentences are delivered unmarked, beside those in the drafts of the model alone.

.venv/bin/python benchmarks/model/run.py [PROFILE [QUESTIONS]]      # first: it keeps the answers
.venv/bin/python benchmarks/delivered/run.py [PROFILE]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from counted import held, unsupported

from answers import RUNS, Drafts, drafts, of_run
from report import write_result

LABELS = Path(__file__).parent / "labels.jsonl"


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
        }
    counts["delivered, share of the raw drafts'"] = _share(
        *(counts[run]["unsupported and unmarked"] for run in RUNS)
    )
    return counts


def _reasons(one: Drafts, run: str) -> list[str]:
    by = held(one.passages)
    return [why for each in of_run([one], run) if (why := unsupported(each.text, by))]


def by_hand(found: Sequence[Drafts], labels: Mapping[str, bool]) -> dict[str, Any]:
    """What the labels say: how many of the labelled were unsupported, and of all the sentences that makes."""
    counts: dict[str, Any] = {}
    estimates = []
    for run in RUNS:
        every = of_run(found, run)
        known = [labels[each.sha256] for each in every if each.sha256 in labels]
        share = _share(sum(not each for each in known), len(known))
        estimates.append(0.0 if share is None else round(share * len(every), 1))
        counts[run] = {
            "labelled": len(known),
            "unsupported": sum(not each for each in known),
            "of all unmarked sentences, estimated": estimates[-1],
        }
    counts["delivered, share of the raw drafts'"] = _share(*estimates)
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


def labelled() -> dict[str, bool]:
    """Whether each labelled sentence is supported."""
    lines = LABELS.read_text(encoding="utf-8").splitlines() if LABELS.is_file() else []
    return {row["sentence"]: row["label"] == "supported" for row in map(json.loads, lines)}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


if __name__ == "__main__":
    profile = sys.argv[1] if len(sys.argv) > 1 else "fast"
    found = drafts(profile)
    numbers = {"questions": len(found), "by script": by_script(found)}
    if labels := labelled():
        numbers |= {"by hand": by_hand(found, labels), "script and hand": agreement(found, labels)}
    write_result("delivered", profile, numbers)
