"""The default profile's answers to 60 questions that a newcomer asks of this project's docs and README.

.venv/bin/python benchmarks/answers/own_docs.py
.venv/bin/python benchmarks/answers/own_docs.py --show wrong      # and the answers, to be read by a person

The questions are in own_docs.jsonl, in the shape that natural.py tells. A question counts when its gold is shown,
when it is refused and the docs do not answer it, or when the missing half is named. With --limit nothing is kept.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from natural import read_questions
from natural_scores import Scored, by_verdict, figures, table, told
from real_collections import ask, collection, some

from report import ROOT, write_result

QUESTIONS = Path(__file__).with_name("own_docs.jsonl")
COLLECTION = "docs"
DOCUMENTS = ("docs", "README.md", "SECURITY.md", "CONTRIBUTING.md")


def main() -> None:
    """Print how many of the questions end as they should and keep it in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="ask only so many questions, spread over the file")
    parser.add_argument("--show", choices=("wrong", "all"), help="print questions and answers")
    chosen = parser.parse_args()
    asked = some(read_questions(QUESTIONS, COLLECTION), chosen.limit)
    with collection(COLLECTION, *(ROOT / place for place in DOCUMENTS)) as opened:
        rows = [Scored(question, ask(opened, question.text)) for question in asked]
    for row in rows:
        if chosen.show == "all" or (chosen.show == "wrong" and not row.as_wanted):
            print(told(row))
    wanted = sum(row.as_wanted for row in rows)
    print(table({COLLECTION: figures(rows)}))
    print(f"as wanted: {wanted} of {len(rows)}")
    if chosen.limit is None:
        numbers = {"questions": len(rows), "as wanted": wanted, **figures(rows), "by verdict": by_verdict(rows)}
        write_result("answers", "own_docs", numbers)


if __name__ == "__main__":
    main()
