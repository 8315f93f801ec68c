"""The default profile's answers to natural questions over real documents.

.venv/bin/python benchmarks/answers/real.py                       # dev/real of the evaluation data
.venv/bin/python benchmarks/answers/real.py --set FOLDER          # another set of the same shape
.venv/bin/python benchmarks/answers/real.py --show wrong          # and the answers, to be read by a person

How an answer is scored stands in natural.py. Wrong is by patterns: a person may find otherwise. With --limit
nothing is kept. The result holds ids and figures, no text of the data.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from natural import NaturalQuestion, read_questions
from natural_scores import Scored, by_verdict, figures, table, told
from real_collections import ask, collection, documents_of, set_folder, some, unpacked

from report import write_result


def answered(folder: Path, asked: list[NaturalQuestion]) -> list[Scored]:
    """Every question with what an ask of its collection shows."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").split("\n")
    places = documents_of(unpacked(folder), [json.loads(line) for line in lines if line.strip()])
    rows = []
    for name in dict.fromkeys(question.collection for question in asked):
        with collection(name, places[name]) as opened:
            rows += [
                Scored(question, ask(opened, question.text)) for question in asked if question.collection == name
            ]
    return rows


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="real", help="real, or a folder with questions.jsonl")
    parser.add_argument("--limit", type=int, help="ask only so many questions, spread over the set")
    parser.add_argument("--show", choices=("wrong", "all"), help="print questions and answers")
    chosen = parser.parse_args()
    folder = set_folder(chosen.set)
    rows = answered(folder, some(read_questions(folder / "questions.jsonl"), chosen.limit))
    for row in rows:
        if chosen.show == "all" or (chosen.show == "wrong" and not row.as_wanted):
            print(told(row))
    names = dict.fromkeys(row.asked.collection for row in rows)
    parts = {name: figures([row for row in rows if row.asked.collection == name]) for name in names}
    print(table({**parts, "total": figures(rows)}))
    if chosen.limit is None:
        numbers = {"total": figures(rows), "collections": parts, "by verdict": by_verdict(rows)}
        write_result("answers", "real" if chosen.set == "real" else f"real-{folder.name}", numbers)


if __name__ == "__main__":
    main()
