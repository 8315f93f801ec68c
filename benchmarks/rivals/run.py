"""Whether an answer is told of the thing that the question names, where the document tells of several.

    .venv/bin/python benchmarks/rivals/run.py                     # figures, kept in results/after.json
    .venv/bin/python benchmarks/rivals/run.py --as before         # kept under another name
    .venv/bin/python benchmarks/rivals/run.py --show              # and every answer

Each document of cases.jsonl is a collection of its own. Half of its questions are answered for the thing asked
about (`gold` is a pattern of the answer); of the others the document tells the asked fact of another thing only.
The rule was mended where the first set showed a fault; the second was written after that.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from natural import is_marked

from assay.types import Outcome
from assay.wiring import open_engine
from report import write_result

CASES = Path(__file__).with_name("cases.jsonl")
DEADLINE = 600.0


def ended(outcome: str, text: str, marked: bool, gold: str | None) -> str:
    """How a question ended: right, wrong or refused, with ✓ where the answer is marked."""
    if outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        return "refused"
    word = "right" if gold and re.search(gold, text) else "wrong"
    return f"{word} ✓" if marked else word


def figures(cases: list[dict[str, object]], show: bool) -> dict[str, dict[str, int]]:
    """How the questions ended, of those that the document answers and of the others."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"{case['name']}.md"
            source.write_text(str(case["text"]))
            settings = {"data_dir": Path(folder) / "data", "profile": "fast", "offline": True, "deadline": DEADLINE}
            with open_engine(**settings) as engine:  # type: ignore[arg-type]
                engine.add([source])
                for asked in case["questions"]:  # type: ignore[attr-defined]
                    answer = engine.ask(asked["question"])
                    end = ended(answer.outcome, answer.text, is_marked(answer), asked["gold"])
                    kind = "answerable" if asked["gold"] else "told of another"
                    counts[f"{case['set']} set, {kind}"][end] += 1
                    if show:
                        print(f"{end:8} {asked['question']}\n         {' '.join(answer.text.split())[:200]}")
    # What is promised never to happen is counted where it did not, too.
    return {name: dict(sorted(({"wrong ✓": 0} | found).items())) for name, found in counts.items()}


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", dest="name", default="after", help="the name of the result")
    parser.add_argument("--show", action="store_true", help="print every answer")
    chosen = parser.parse_args()
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    found = figures(cases, chosen.show)
    for name, counts in found.items():
        print(f"{name}: " + ", ".join(f"{count} {end}" for end, count in counts.items()))
    write_result("rivals", chosen.name, found)


if __name__ == "__main__":
    main()
