"""Whether each part of a question is answered or named as missing, and is told of the thing that was asked about.

    .venv/bin/python benchmarks/parts/run.py                     # figures, kept in results/after.json
    .venv/bin/python benchmarks/parts/run.py --as before         # kept under another name
    .venv/bin/python benchmarks/parts/run.py --show              # and every answer

Each document of cases.jsonl is a collection of its own; the README tells the kinds of questions.
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

from assay import open_engine
from assay.types import Outcome
from report import write_result

CASES = Path(__file__).with_name("cases.jsonl")
DEADLINE = 600.0
NAMED = "The documents do not answer:"


def ended(asked: dict[str, str | None], outcome: str, text: str) -> str:
    """How a question ended, but for its mark."""
    if outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        return "refused"
    gold, second, missing = asked["gold"], asked.get("gold2"), asked.get("missing")
    has = bool(gold and re.search(gold, text))
    if asked["kind"] == "both":
        other = bool(second and re.search(second, text))
        return "right" if has and other else "one of two" if has or other else "wrong"
    if asked["kind"] == "half":
        named = NAMED in text and bool(missing and re.search(missing, text.split(NAMED)[-1], re.IGNORECASE))
        return "right" if has and named else "missing part not named" if not named else "wrong"
    return "right" if has else "wrong"


def figures(cases: list[dict[str, object]], show: bool) -> dict[str, dict[str, int]]:
    """How the questions of each set and kind ended, with ✓ where the answer is marked."""
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
                    end = ended(asked, answer.outcome, answer.text) + " ✓" * is_marked(answer)
                    counts[f"{case['set']} set, {asked['kind']}"][end] += 1
                    if show:
                        print(f"{asked['kind']}, {end}: {asked['question']}")
                        print(f"         {' '.join(answer.text.split())[:200]}")
    # What is promised never to happen is counted where it did not, too.
    return {name: dict(sorted(({"wrong ✓": 0} | found).items())) for name, found in sorted(counts.items())}


def main() -> None:
    """Ask every question and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", dest="name", default="after", help="the name of the result")
    parser.add_argument("--show", action="store_true", help="print every answer")
    chosen = parser.parse_args()
    cases = [json.loads(line) for line in CASES.read_text().splitlines()]
    found = figures(cases, chosen.show)
    for name, ends in found.items():
        print(f"{name:24} {sum(ends.values()):4}  {ends}")
    write_result("parts", chosen.name, found)


if __name__ == "__main__":
    main()
