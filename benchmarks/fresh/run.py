"""The default profile's answers, without a model, to questions over packages' documentation.

.venv/bin/python benchmarks/fresh/run.py                        # fetches what lacks, asks all, notes a reading
.venv/bin/python benchmarks/fresh/run.py --scored FILE          # scores recorded answers again, asks nothing
.venv/bin/python benchmarks/fresh/run.py --show wrong           # and the answers, to be read by a person

What is asked and how it is scored stands in README.md and answers/natural.py. The result holds ids and figures.
The answers themselves are recorded in the cache, outside the repository: they quote the documents.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from get import documents, fetched
from natural import NaturalQuestion, read_questions
from natural_scores import Scored, by_verdict, figures, table, told
from real_collections import Shown, ask, cache, collection, some

from report import revision, write_result

QUESTIONS = Path(__file__).with_name("questions.jsonl")


def answered(asked: list[NaturalQuestion]) -> list[Scored]:
    """Every question with what an ask of its collection shows."""
    fetched()
    rows = []
    for name in dict.fromkeys(question.collection for question in asked):
        with collection(name, documents() / name) as opened:
            rows += [
                Scored(question, ask(opened, question.text)) for question in asked if question.collection == name
            ]
    return rows


def record(rows: list[Scored]) -> Path:
    """Keep what was shown, a line for each question, beside the collections."""
    path = cache() / f"fresh-answers-{revision()}.jsonl"
    lines = (json.dumps({"id": row.asked.id, **asdict(row.shown)}, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def recorded(path: Path, asked: list[NaturalQuestion]) -> list[Scored]:
    """The questions that were asked, with what was shown then; ends the program where one was not recorded."""
    shown = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row.pop("id")
        shown[name] = Shown(**{**row, "found": tuple(row["found"])})
    missing = [question.id for question in asked if question.id not in shown]
    if missing:
        sys.exit(f"{path} records no answer to {', '.join(missing[:5])}")
    return [Scored(question, shown[question.id]) for question in asked]


def kinds() -> dict[str, str]:
    """The kind of each question by its id."""
    rows = (json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["kind"] for row in rows}


def split(rows: list[Scored], names: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The figures of the questions of each name; `names` has one for each question's id."""
    return {
        name: figures([row for row in rows if names[row.asked.id] == name])
        for name in dict.fromkeys(names[row.asked.id] for row in rows)
    }


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="ask only so many, spread over the set; nothing is kept")
    parser.add_argument("--scored", type=Path, metavar="FILE", help="recorded answers to score again")
    parser.add_argument("--name", default="run", help="the result's name (run)")
    parser.add_argument("--show", choices=("wrong", "all"), help="print questions and answers")
    chosen = parser.parse_args()
    asked = some(read_questions(QUESTIONS), chosen.limit)
    rows = recorded(chosen.scored, asked) if chosen.scored else answered(asked)
    if chosen.limit is None and not chosen.scored:
        print(f"answers recorded in {record(rows)}", file=sys.stderr)
    for row in rows:
        if chosen.show == "all" or (chosen.show == "wrong" and not row.as_wanted):
            print(told(row))
    collections = split(rows, {row.asked.id: row.asked.collection for row in rows})
    by_kind = split(rows, kinds())
    print(table({**collections, "total": figures(rows)}), table(by_kind), sep="\n\n")
    if chosen.limit is None:
        numbers = {
            "total": figures(rows),
            "collections": collections,
            "kinds": by_kind,
            "by verdict": by_verdict(rows),
        }
        write_result("fresh", chosen.name, numbers)


if __name__ == "__main__":
    main()
