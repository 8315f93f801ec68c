"""The questions of models/data/asked that teach the reader nothing, over their documents.

`ASSAY_ASKED_SETS` names the folder that models/data/asked/get.py and convert.py fill, one folder of documents for
each set.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from natural import NaturalQuestion, plain

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT

DATA = ROOT / "models" / "data" / "asked"
QUESTIONS = DATA / "questions.jsonl.gz"
# The sets that teach the reader nothing, and how many questions of each are asked at most.
HELD = tuple((DATA / "held.txt").read_text().split())
MOST = 100
# So many of an answer's first words must stand in a text that shows it, in their order.
WORDS = 12


def sets_folder() -> Path:
    """The folder of the documents; ends the program with a plain word where it is not there."""
    folder = Path(os.environ.get("ASSAY_ASKED_SETS", ""))
    if not all((folder / name).is_dir() for name in HELD):
        sys.exit(
            f"the documents of {', '.join(HELD)} are not there: fill a folder as models/data/asked/README.md says, "
            "and name it in ASSAY_ASKED_SETS"
        )
    return folder


def held_questions() -> Iterator[NaturalQuestion]:
    """The held-out questions, at most `MOST` of a set, spread over it; by turns in one wording and the other."""
    sets = sets_folder()
    by_set: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["set"] in HELD:
                by_set[row["set"]].append(row)
    for name, rows in by_set.items():
        some = rows[:: -(-len(rows) // MOST)]
        for number, row in enumerate(some):
            wording = str(row[("question", "other")[number % 2]])
            yield question_of(row, f"{name}-{number}", wording, sets)


def question_of(row: dict[str, object], key: str, wording: str, sets: Path) -> NaturalQuestion:
    """One wording; its gold is shown where the answer's first words stand."""
    kind = str(row["kind"])
    label = kind if kind in ("none", "half") else "full"
    must: tuple[str, ...] = ()
    if "start" in row:
        text = (sets / str(row["set"]) / str(row["file"])).read_text(errors="replace")
        words = re.findall(r"\w+", plain(text[row["start"] : row["end"]]))[:WORDS]  # type: ignore[misc]
        must = (r"\W+".join(map(re.escape, words)),)
    long = kind in ("how", "list", "trouble")
    return NaturalQuestion(
        key,
        str(row["set"]),
        wording,
        label,
        must,
        missing=str(row.get("missing") or ""),
        long=long,  # type: ignore[arg-type]
    )
