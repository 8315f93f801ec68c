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
from collections.abc import Iterator
from pathlib import Path

from natural import NaturalQuestion, plain

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT

QUESTIONS = ROOT / "models" / "data" / "asked" / "questions.jsonl.gz"
# As models/reader/asked.py holds them out.
HELD = ("barman", "copier", "homebank", "plover", "policy")
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


def held_questions(*, both: bool = False) -> Iterator[NaturalQuestion]:
    """The held-out questions in the first wording, or in both; the other one's id ends in r."""
    sets = sets_folder()
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if row["set"] in HELD:
                for mark, wording in zip("qr" if both else "q", (row["question"], row["other"]), strict=False):
                    yield question_of(row, f"{row['set']}-{number}{mark}", wording, sets)


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
