"""How often a quote is told to be of another version than the question names, where it is right and where not.

    .venv/bin/python benchmarks/rivals/versions.py FOLDER     # figures, kept in results/versions.json
    .venv/bin/python benchmarks/rivals/versions.py FOLDER --show

FOLDER holds the documents of `models/data/asked`, a folder a set. Each question there names the shortest stretch
that answers it: told of another one, it is a false alarm. Where the stretch is told to be of the asked number, the
question is asked again with other numbers that its document gives things of the kind, three at most: then the same
stretch is of another one, unless it names that, too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.nlp.numbered import (
    Numbered,
    asked_numbers,
    holds_number,
    is_of_another,
    names_number,
    numbers_like,
)
from assay.types import Passage, Span
from report import ROOT, write_result

ASKED = ROOT / "models" / "data" / "asked" / "questions.jsonl.gz"
_OTHERS = 3


def cases(folder: Path) -> Iterator[tuple[str, Passage, Span]]:
    """Each answered question with its whole document and the stretch that answers."""
    with gzip.open(ASKED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row.get("start") is None:
                continue
            text = (folder / row["set"] / row["file"]).read_text(encoding="utf-8")
            title = text.split("\n")[0].strip("# ")
            held = Passage("p", "d", "r", 0, len(text), text, title, line=1)
            for question in (row["question"], row["other"]):
                yield question, held, Span(row["start"], row["end"])


def told(asked: Numbered, held: Passage, span: Span) -> str:
    """What is told of the stretch: another, the asked one, nothing, or that the document lacks it."""
    found = is_of_another(asked, held, span, [held])
    if found is None:
        lacks = asked.is_version and asked.kind and not holds_number(held.text, asked)
        return "lacks it" if lacks else "nothing"
    return "another" if found else "the asked one"


def main() -> None:
    """Look at every question with a number and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the documents")
    parser.add_argument("--show", action="store_true", help="print the false alarms")
    chosen = parser.parse_args()
    counts, right, swapped = Counter[str](), Counter[str](), Counter[str]()
    for question, held, span in cases(chosen.folder):
        counts["questions"] += 1
        asked = asked_numbers(question)
        counts["with a number"] += bool(asked)
        found = {one: told(one, held, span) for one in asked}
        families = {one.family for one, state in found.items() if state == "the asked one"}
        states = {"the asked one" if one.family in families else state for one, state in found.items()}
        if asked:
            state = next((each for each in ("another", "lacks it", "nothing") if each in states), "the asked one")
            right[state] += 1
            if chosen.show and state in ("another", "lacks it"):
                print(f"{state}: {question}\n    {' '.join(held.text[span.start : span.end].split())[:200]}")
        if len(asked) != 1 or states != {"the asked one"}:
            continue
        others = {number for number in numbers_like(held.text, asked[0]) if number != asked[0].number}
        for other in sorted(others)[:_OTHERS]:
            twin = replace(asked[0], number=other, written=other)
            if not names_number(held.text[span.start : span.end], twin):
                swapped[told(twin, held, span)] += 1
    figures = {**counts, "right": dict(sorted(right.items())), "of another number": dict(sorted(swapped.items()))}
    write_result("rivals", "versions", figures)


if __name__ == "__main__":
    main()
