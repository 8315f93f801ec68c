"""The written questions that the reader never saw, and all written passages as one collection."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from natural import NaturalQuestion

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.engine import Engine
from assay.wiring import open_engine
from report import data_folder

# As models/reader/examples.py holds them out.
HELD_EVERY = 6
# So many of an answer's longest words, by their beginnings, must stand in a text that shows it.
WORDS, BEGINNING = 3, 6


@contextmanager
def written_collection() -> Iterator[Engine]:
    """An engine over all written passages; the first call adds them."""
    place = Path(tempfile.gettempdir()) / "assay-written"
    with open_engine(data_dir=place, collection="written", profile="fast", offline=True, deadline=600) as opened:
        if not opened.documents():
            source = place / "passages.jsonl"
            rows = ({"id": pid, "title": row["title"], "text": row["text"]} for pid, row in passages().items())
            source.write_text("".join(json.dumps(row) + "\n" for row in rows))
            opened.add([source])
        yield opened


def held_questions() -> Iterator[NaturalQuestion]:
    """The questions over passages that were held out of training, of all labels."""
    for question, _, _, _ in held_questions_with_passages():
        yield question


def held_questions_with_passages() -> Iterator[tuple[NaturalQuestion, str, str, str]]:
    """Each of them with its answer, and the title and text of its passage."""
    for row in _rows("questions"):
        passage = passages()[row["pid"]]
        text = " ".join(passage["text"].split())
        if int(hashlib.sha256(text.encode()).hexdigest(), 16) % HELD_EVERY == 0:
            yield question_of(row), row.get("answer") or "", passage["title"], passage["text"]


def question_of(row: dict[str, str]) -> NaturalQuestion:
    """The question; its gold is shown where the longest words of the answer stand, in any order."""
    label = {"full": "full", "part": "half", "none": "none"}[row["label"]]
    answer = re.sub(r"^(?:yes|no)\b\W*", "", row.get("answer") or "", flags=re.I)
    found = sorted({word for word in re.findall(r"\w+", answer) if len(word) > 3 or word.isdigit()}, key=len)
    wanted = found[-WORDS:] or re.findall(r"\w+", row.get("answer") or "")
    pattern = "".join(rf"(?=.*\b{re.escape(word[:BEGINNING])})" for word in wanted)
    must = (pattern,) if label == "full" else ()
    return NaturalQuestion(row["id"], "written", row["question"], label, must)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def passages() -> dict[str, dict[str, str]]:
    """All written passages by id."""
    return {row["pid"]: row for row in _rows("passages")}


def _rows(name: str) -> list[dict[str, str]]:
    path = data_folder() / "train" / "written" / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
