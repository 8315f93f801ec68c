"""How questions over tables of two columns or of ranges are answered, in other words than the table's own.

    .venv/bin/python benchmarks/cells/pairs.py                 # a minute; results/pairs.json
    .venv/bin/python benchmarks/cells/pairs.py --set ranges    # the same over ranges.jsonl
    .venv/bin/python benchmarks/cells/pairs.py --show wrong    # and each answer with an undeserved mark; or all

Each document is asked by itself, with the default profile and no model; the README tells the kinds of questions.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay import open_engine
from assay.types import Outcome
from report import write_result

RIGHT, WRONG = "the cell shown and marked ✓", "something else marked ✓"


def ending(engine: Any, question: dict[str, str]) -> str:
    """How one question ends."""
    answer = engine.ask(question["question"])
    shown = bool(question["gold"]) and bool(re.search(question["gold"], answer.text))
    if answer.outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        return "refused or asked back"
    if answer.validate():
        return RIGHT if shown else WRONG
    return "the cell shown without ✓" if shown else "something else shown without ✓"


def main() -> None:
    """Ask every question of its document and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("pairs", "ranges"), default="pairs", help="the cases (pairs)")
    parser.add_argument("--show", choices=("wrong", "all"), help="print questions and how they end")
    chosen = parser.parse_args()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in Path(__file__).with_name(f"{chosen.set}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{case['name']}.{'md' if '|' in case['text'] else 'csv'}")
            path.write_text(case["text"], encoding="utf-8")
            with open_engine(data_dir=Path(folder, "data")) as engine:
                engine.add([path])
                for question in case["questions"]:
                    end = ending(engine, question)
                    counts[question["kind"]][end] += 1
                    if chosen.show == "all" or (chosen.show and end == WRONG):
                        print(f"{case['name']}, {question['kind']}: {question['question']}: {end}")
    total = sum(counts.values(), Counter[str]())
    figures: dict[str, object] = {kind: dict(sorted(ends.items())) for kind, ends in sorted(counts.items())}
    figures |= {"right and marked": total[RIGHT], "wrong and marked": total[WRONG]}
    write_result("cells", chosen.set, figures)


if __name__ == "__main__":
    main()
