"""How often a question names something that its passage lacks, where the passage answers it and where it does not.

    .venv/bin/python benchmarks/rivals/names.py              # figures, kept in results/names.json

The names, codes, years and versions are found and compared as the check of an answer's subject does it
(`assay.verification.subject`), over single passages with their titles: the questions of `train/written` and of
SQuAD 2.0 dev (`train/reader`), which nobody made for this.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.types import Passage
from assay.verification.subject import _is_name, _names_it, _question_names, _whole
from report import data_folder, write_result


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The lines of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def cases() -> Iterator[tuple[str, str, Passage]]:
    """What is asked, under the name of its group, and the passage."""
    train = data_folder() / "train"
    held = {row["pid"]: row for row in rows(train / "written" / "passages.jsonl.gz")}
    for row in rows(train / "written" / "questions.jsonl.gz"):
        text, title = held[row["pid"]]["text"], held[row["pid"]]["title"]
        yield f"written, {row['label']}", row["question"], Passage("p", "d", "r", 0, len(text), text, title)
    for row in rows(train / "reader" / "squad2_dev.jsonl.gz"):
        label, text = "answered" if row["answers"] else "not answered", row["passage"]
        yield f"SQuAD 2.0 dev, {label}", row["question"], Passage("p", "d", "r", 0, len(text), text)


def main() -> None:
    """Look for the names of every question and keep the figures."""
    counts, lacking = Counter[str](), Counter[str]()
    for group, question, passage in cases():
        counts[group] += 1
        asked = (name for name in _question_names(question) if _is_name(name, (passage,)))
        lacking[group] += any(not _names_it(_whole(passage), name) for name in asked)
    figures = {
        group: {"questions": count, "name something that the passage lacks": round(lacking[group] / count, 4)}
        for group, count in sorted(counts.items())
    }
    write_result("rivals", "names", figures)


if __name__ == "__main__":
    main()
