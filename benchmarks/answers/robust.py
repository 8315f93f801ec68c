"""How many right answers stay right when the question is misspelt or worded otherwise.

.venv/bin/python benchmarks/answers/robust.py               # over the documents of benchmarks/fresh
.venv/bin/python benchmarks/answers/robust.py --set FOLDER

The folder is that of a set for real.py with a variants.jsonl beside its questions: `id`, `typo` (one or two
letters wrong in one word) and `reworded`. Those of benchmarks/fresh were written by a strong language model that
saw neither the documents nor the program. An answer is right when it shows the gold within its limit of words, as
natural.py says; only questions that the documents answer in full and that were answered right as written are
counted. With --limit nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from natural import NaturalQuestion, read_questions
from natural_scores import Scored
from real import answered as answered_in
from real_collections import ask, collection, set_folder, some

sys.path.insert(0, str(Path(__file__).parents[1] / "fresh"))
from get import documents, fetched

from report import write_result

FRESH = Path(__file__).parents[1] / "fresh"
KINDS = ("typo", "reworded")


def read_variants(path: Path) -> dict[str, dict[str, str]]:
    """The variants of each question by its id; ends the program where there is no file of them."""
    if not path.is_file():
        sys.exit(f"no {path.name} in {path.parent}: it holds id, typo and reworded, one object a line")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return {str(row["id"]): {kind: str(row[kind]) for kind in KINDS if row.get(kind)} for row in rows}


def stays_right(right: Sequence[NaturalQuestion], rows: Mapping[str, Sequence[Scored]]) -> dict[str, Any]:
    """Of the questions answered right, by kind of variant: how many were asked and the share that stays right."""
    numbers: dict[str, Any] = {"right as written": len(right)}
    for kind, scored in rows.items():
        lost = [row.asked.id for row in scored if not row.gold_shown]
        kept = round(1 - len(lost) / len(scored), 3) if scored else None
        numbers[kind] = {"n": len(scored), "stay right": kept, "lost": lost}
    every = [row for scored in rows.values() for row in scored]
    numbers["stay right"] = round(sum(row.gold_shown for row in every) / len(every), 3) if every else None
    return numbers


def answered_fresh(asked: Sequence[NaturalQuestion]) -> list[Scored]:
    """Each question with what an ask of its collection shows, over the documents of benchmarks/fresh."""
    fetched()
    rows = []
    for name in dict.fromkeys(question.collection for question in asked):
        with collection(name, documents() / name) as opened:
            rows += [Scored(one, ask(opened, one.text)) for one in asked if one.collection == name]
    return rows


def main() -> None:
    """Print the shares and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--set", help="real, or a folder with questions.jsonl and variants.jsonl (benchmarks/fresh)"
    )
    parser.add_argument("--limit", type=int, help="ask only so many questions, spread over the set")
    chosen = parser.parse_args()
    folder = FRESH if chosen.set is None else set_folder(chosen.set)
    answered = answered_fresh if chosen.set is None else partial(answered_in, folder)
    variants = read_variants(folder / "variants.jsonl")
    whole = [q for q in read_questions(folder / "questions.jsonl") if q.answerable == "full" and q.id in variants]
    right = [row.asked for row in answered(some(whole, chosen.limit)) if row.gold_shown]
    rows = {
        kind: answered([replace(q, text=variants[q.id][kind]) for q in right if kind in variants[q.id]])
        for kind in KINDS
    }
    numbers = {"set": folder.name, **stays_right(right, rows)}
    if chosen.limit is None:
        write_result("answers", "robust", numbers)
    else:
        print(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
