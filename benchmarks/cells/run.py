"""Whether the lookup of a table's cell finds the one that a question asks for, and nothing where there is none.

    .venv/bin/python benchmarks/cells/run.py             # figures, kept in results/cells.json
    .venv/bin/python benchmarks/cells/run.py --show      # and what is wrong

The rule alone is measured, over each document as one passage; the README tells the kinds of questions.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.nlp.table_cells import asked_cell
from assay.types import Passage
from report import write_result

CASES = Path(__file__).with_name("cases.jsonl")


def found(question: dict[str, str | None], passage: Passage) -> str:
    """What the lookup finds: right, wrong, empty, or nothing."""
    cell = asked_cell(str(question["question"]), passage)
    if cell is None:
        return "nothing"
    if cell.is_empty:
        return "empty"
    value, gold = passage.text[cell.span.start : cell.span.end], question["gold"]
    return "right" if gold and re.search(gold, value) else "wrong"


def main() -> None:
    """Look for the cell of every question and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    shows = parser.parse_args().show
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        passage = Passage("p", "d", "r", 0, len(case["text"]), case["text"])
        for question in case["questions"]:
            end = found(question, passage)
            counts[question["kind"]][end] += 1
            if shows and end == "wrong":
                print(f"{question['kind']}: {question['question']}")
    total = sum(counts.values(), Counter[str]())
    figures: dict[str, object] = {kind: dict(sorted(ends.items())) for kind, ends in sorted(counts.items())}
    figures["right, of the cells found with a value"] = round(total["right"] / (total["right"] + total["wrong"]), 3)
    write_result("cells", "cells", figures)


if __name__ == "__main__":
    main()
