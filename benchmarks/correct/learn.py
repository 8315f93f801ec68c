"""What searching again is worth, learned from recorded runs, and written into the package.

    .venv/bin/python benchmarks/correct/learn.py

Every question of wiki-mix whose first search does not suffice searches again once, without a model. A refinement
gains where the question has an answer, the judge then answers, and the evidence holds the gold; it loses where the
judge then answers a question that has none. The gain of REFINE is the share of gains less the share of losses, by
what the first judgement said. No runs outside are recorded yet: EXTERNAL's gains and seconds are assumptions.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import questions, shows_gold
from pipeline import engine

from assay import loop
from assay.judge.decide import Thresholds, triage_of
from assay.types import Action, Limits, Triage
from assay.understand.rules import understood
from assay.worth import SEARCHING, Worth
from report import ROOT, write_result

TABLE = ROOT / "src" / "assay" / "act" / "worth.json"
PRICE = 0.02
ASSUMED = {"ambiguous": 0.1, "incorrect": 0.3}
ALWAYS = Worth({(action, triage): 1.0 for action in SEARCHING for triage in Triage})


async def measured() -> tuple[dict[str, Counter[str]], list[float]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: list[float] = []
    with engine() as opened:
        parts = opened._parts  # a benchmark may look inside
        for asked in questions():
            on = replace(parts.stages_for(parts.begin(asked.text, None, 0)), worth=ALWAYS)
            before = time.perf_counter()
            gathered = await loop.gather(understood(asked.text), on, Limits(rounds=2), lambda _event: None)
            took = time.perf_counter() - before
            first = gathered.path[0]
            if first.action is not Action.REFINE:
                continue
            seconds.append(took)
            triage = triage_of(first.sufficiency, Thresholds()) or Triage.INCORRECT
            counts[triage.value]["asked"] += 1
            if gathered.action is not Action.ANSWER:
                continue
            texts = " ".join(passage.text for passage in gathered.evidence.passages)
            right = bool(asked.golds) and shows_gold(texts, asked.golds)
            counts[triage.value]["gained" if right else "lost"] += 1
    return counts, seconds


def main() -> None:
    counts, seconds = asyncio.run(measured())
    gains = {triage: (each["gained"] - each["lost"]) / each["asked"] for triage, each in sorted(counts.items())}
    took = sorted(seconds)[len(seconds) // 2]
    write_result("correct", "worth", {"counts": counts, "gain of REFINE": gains, "seconds": took})
    rounded = {triage: round(gain, 3) for triage, gain in gains.items()}
    table = {
        "gains": {"REFINE": rounded, "EXTERNAL": ASSUMED},
        "seconds": {"REFINE": round(took, 2), "EXTERNAL": 2.0},
        "price": PRICE,
    }
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
