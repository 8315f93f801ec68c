"""What testing a claim costs: CPU time against ten passages, and memory, with the bundled checker and without it.

    .venv/bin/python benchmarks/claims/cost.py     # half a minute; CPU time, so it bears other work on the machine

A draft is six of the claims of `natural` (signals.py) over one passage, beside that passage and nine others. Memory
is the greatest resident set of a process that checks them, with and without.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from signals import Labelled, labelled

from assay.types import Passage
from assay.wiring import open_checker
from report import write_result

DRAFTS, CLAIMS, PASSAGES = 60, 6, 10
WARM = 5
CHECKERS = {"with the checker": "bundled", "without": "none"}


def drafts() -> Iterator[tuple[str, tuple[Passage, ...]]]:
    """Each draft with its passages; the one it is of is the first."""
    over: dict[str, list[Labelled]] = {}
    for each in labelled("natural"):
        over.setdefault(each.group, []).append(each)
    some = [claims[:CLAIMS] for claims in over.values() if len(claims) >= CLAIMS][: DRAFTS + PASSAGES]
    for at, claims in enumerate(some[:DRAFTS]):
        passages = tuple(each[0].passages[0] for each in some[at : at + PASSAGES])
        yield " ".join(each.claim for each in claims), passages


async def spent(checker: str) -> dict[str, float]:
    """CPU milliseconds a claim, all threads together, and the greatest memory of this process in MiB."""
    each: list[float] = []
    async with open_checker(models=False, checker=checker) as engine:
        for draft, passages in drafts():
            begun = time.process_time()
            review = (await engine.acheck(draft, passages)).claims
            each.append((time.process_time() - begun) * 1000 / len(review))
    kept = np.array(each[WARM:])
    return {
        "drafts": len(kept),
        "CPU ms a claim, mean": round(float(kept.mean()), 1),
        "median": round(float(np.median(kept)), 1),
        "95 of 100": round(float(np.quantile(kept, 0.95)), 1),
        "greatest memory, MiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> None:
    """Measure each in a process of its own, and write."""
    if len(sys.argv) > 1:
        print(json.dumps(asyncio.run(spent(sys.argv[1]))))
        return
    numbers = {}
    for name, checker in CHECKERS.items():
        done = subprocess.run([sys.executable, __file__, checker], capture_output=True, text=True, check=True)
        numbers[name] = json.loads(done.stdout)
    memory = [numbers[name]["greatest memory, MiB"] for name in CHECKERS]
    write_result("claims", "cost", numbers | {"memory of the checker, MiB": round(memory[0] - memory[1], 1)})


if __name__ == "__main__":
    main()
