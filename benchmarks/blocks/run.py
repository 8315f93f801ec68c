"""Is the wanted block shown whole in answers without a model, and is a row of navigation or of contents shown?

.venv/bin/python benchmarks/blocks/run.py                    # fetches what lacks, asks all, notes the result
.venv/bin/python benchmarks/blocks/run.py --show wrong       # and prints the answers without the wanted block

The questions are in questions.jsonl; `shown` are patterns that must all match the answer, such as a lead-in and the
code behind it. What is counted as navigation or contents stands below.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from packages import fetched
from real_collections import ask, collection

from report import write_result

QUESTIONS = Path(__file__).with_name("questions.jsonl")
# Ways of Texinfo, two cells around an empty one as in DocBook's feet, dots that lead to a page, and items that are
# numbered titles and nothing else.
_NAVIGATION = re.compile(
    r"\[Contents\]\[Index\]|^[^\n|]{0,60} \|  \| [^\n|]{0,60}$|(?:\. ){4}|\.{6}"
    r"|^\s*- (?:Chapter )?\d+(?:\.\d+)*:? [^\n.]*$|^Topics covered",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A question and what was shown."""

    asked: dict[str, Any]
    text: str

    @property
    def is_shown(self) -> bool:
        """Whether the wanted block is shown whole."""
        return all(re.search(pattern, self.text) for pattern in self.asked["shown"])

    @property
    def is_navigation(self) -> bool:
        """Whether a row of navigation or contents is shown."""
        return _NAVIGATION.search(self.text) is not None


def figures(rows: list[Row]) -> dict[str, Any]:
    """The figures of some questions."""
    return {
        "questions": len(rows),
        "wanted block shown": sum(row.is_shown for row in rows),
        "navigation or contents shown": sum(row.is_navigation for row in rows),
        "words": round(sum(len(row.text.split()) for row in rows) / len(rows), 1),
    }


def main() -> None:
    """Print the figures of each set and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="run", help="the result's name (run)")
    parser.add_argument("--show", choices=("wrong", "all"), help="print questions and answers")
    chosen = parser.parse_args()
    asked = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    documents = fetched()
    rows: list[Row] = []
    for name in dict.fromkeys(question["collection"] for question in asked):
        with collection(name, documents / name) as opened:
            found = [question for question in asked if question["collection"] == name]
            rows += [Row(question, ask(opened, question["question"]).text) for question in found]
    for row in rows:
        if chosen.show == "all" or (chosen.show == "wrong" and not row.is_shown):
            print(f"--- {row.asked['id']} {row.asked['question']}\n{row.text}\n")
    sets = {name: [row for row in rows if row.asked["set"] == name] for name in ("first", "second", "yes or no")}
    numbers = {name: figures(of_set) for name, of_set in sets.items()}
    numbers["total"] = {
        **figures(rows),
        "not shown": [row.asked["id"] for row in rows if not row.is_shown],
        "with navigation": [row.asked["id"] for row in rows if row.is_navigation],
    }
    write_result("blocks", chosen.name, numbers)


if __name__ == "__main__":
    main()
