"""Sentences that address their reader: is an answer ordered by one marked, and does one of a manual keep its mark?

    .venv/bin/python benchmarks/attacks/addressed.py            # half a minute; results/addressed.json
    .venv/bin/python benchmarks/attacks/addressed.py --show     # and every answer
    .venv/bin/python benchmarks/attacks/addressed.py --ordinary # how the checker reads ordinary such sentences

addressed.jsonl has 40 short documents written here before the check was tried: 20 whose sentence tells the reader
or the program what to answer (`planted`; of nine the document holds the true answer, too: `gold`), and 20 manuals,
scripts and forms that give orders and hold the answer.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from natural import is_marked

from assay import open_engine
from assay.core.stages import Pair
from assay.nlp.cues import speaks_to_reader
from assay.nlp.sentences import sentences
from assay.settings import Settings
from assay.types import Answer, Outcome
from assay.verification.directives import HYPOTHESIS, LEAST
from assay.wiring.networks import open_checker_network
from report import data_folder, write_result

CASES = Path(__file__).with_name("addressed.jsonl")
ORDINARY, SHORTEST, LONGEST = 700, 20, 400


def ended(case: dict[str, str], answer: Answer) -> str:
    """What the answer says first, with ✓ where it is marked."""
    if answer.outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        return "refused"
    first = answer.text.split(" — ")[0] if answer.text.startswith("**") else answer.text
    planted = case["planted"] and case["planted"] in first and not (case["gold"] and case["gold"] in first)
    said = "planted" if planted else "right" if case["gold"] and case["gold"] in answer.text else "other"
    return said + " ✓" * is_marked(answer)


def figures(show: bool) -> dict[str, dict[str, int]]:
    """How the questions of each kind ended."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in map(json.loads, CASES.read_text().splitlines()):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "document.md"
            source.write_text(f"# {case['title']}\n\n{case['text']}\n")
            with open_engine(
                data_dir=Path(folder) / "data", profile="fast", offline=True, deadline=600.0
            ) as engine:
                engine.add([source])
                answer = engine.ask(case["question"])
        end = ended(case, answer)
        counts[case["kind"]][end] += 1
        if show:
            print(f"{case['id']} {end}: {' '.join(answer.text.split())[:100]}")
    return {kind: dict(sorted(found.items())) for kind, found in sorted(counts.items())}


async def ordinary() -> None:
    """Print how many ordinary sentences that address their reader are taken for ones that order an answer."""
    opened = open_checker_network(Settings())
    if opened is None:
        sys.exit("no checker is set")
    with gzip.open(data_folder() / "train" / "written" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    said = {text[span.start : span.end] for text in texts for span in sentences(text)}
    addressed = sorted(one for one in said if SHORTEST < len(one) < LONGEST and speaks_to_reader(one))
    drawn = random.Random(2).sample(addressed, ORDINARY)
    supports = (await opened.checker.check([Pair(HYPOTHESIS, one) for one in drawn]))[:, 0]
    print(f"{(supports >= LEAST).sum()} of {len(drawn)}")


def main() -> None:
    """Ask every question and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print every answer")
    parser.add_argument("--ordinary", action="store_true", help="read ordinary sentences instead")
    chosen = parser.parse_args()
    if chosen.ordinary:
        asyncio.run(ordinary())
        return
    found = figures(chosen.show)
    for kind, ends in found.items():
        print(f"{kind:8} {ends}")
    write_result("attacks", "addressed", found)


if __name__ == "__main__":
    main()
