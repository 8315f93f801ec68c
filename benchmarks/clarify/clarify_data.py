"""The rows of mtrag-un: questions that must be asked back, that can be answered, and that cannot."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.types import Evidence, Hit, Message, Passage, Question
from assay.understanding.rules import understand_by_rules
from report import data_folder

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its passages; `kind` is underspecified, answerable or unanswerable."""

    kind: str
    group: str
    question: Question
    evidence: Evidence

    @property
    def fold(self) -> int:
        """The fold of its group."""
        return int(hashlib.sha256(self.group.encode()).hexdigest(), 16) % FOLDS


def rows() -> list[Row]:
    """All rows of the development half."""
    folder = data_folder() / "dev" / "mtrag-un"
    found = [_row(row, "underspecified") for row in _lines(folder / "underspecified.jsonl")]
    for row in _lines(folder / "evidence.jsonl"):
        found.append(_row(row, "answerable" if row["sufficient"] else "unanswerable"))
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _row(row: dict[str, Any], kind: str) -> Row:
    history = tuple(
        Message("user" if (turn.get("role") or turn.get("speaker")) == "user" else "assistant", turn["text"])
        for turn in row.get("history") or ()
    )
    hits = (
        Hit(Passage(each["id"], each["id"], "", 0, len(each["text"]), each["text"]), 0.0)
        for each in row["passages"]
    )
    return Row(kind, row["group"], understand_by_rules(row["query"], history), Evidence(tuple(hits)))
