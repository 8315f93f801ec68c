"""What benchmarks/model kept: the sentences delivered and those of the raw drafts, with their passages."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counted import sentences

CACHE = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir()))
RUNS = ("delivered", "raw")
LABELS = Path(__file__).parent / "labels.jsonl"


@dataclass(frozen=True, slots=True)
class Stated:
    """One sentence of an answer; `run` is delivered or raw, `question` the question's id."""

    run: str
    question: str
    text: str
    marked: bool

    @property
    def sha256(self) -> str:
        """What names the sentence without showing it."""
        return hashlib.sha256(f"{self.run}\0{self.question}\0{self.text}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Drafts:
    """A question's two drafts and the passages that were found for it; a sentence said again counts once."""

    question: str
    asked: str
    passages: tuple[str, ...]
    stated: tuple[Stated, ...]


def drafts(profile: str, count: int | None = None) -> list[Drafts]:
    """What the last run of a profile kept; ends the program where there was none."""
    path = CACHE / f"smollm2-{profile}.jsonl"
    if not path.is_file():
        sys.exit(f"there is no {path}: run benchmarks/model/run.py {profile} first")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [_drafts(row) for row in rows[:count]]


def _drafts(row: dict[str, Any]) -> Drafts:
    question = row["asked"]["id"]
    passages = tuple(dict.fromkeys((*row["raw"]["passages"], *row["cited"]["passages"])))
    delivered = _stated("delivered", question, row["cited"]["text"])
    return Drafts(
        question, row["asked"]["text"], passages, (*delivered, *_stated("raw", question, row["raw"]["text"]))
    )


def _stated(run: str, question: str, answer: str) -> Iterator[Stated]:
    yield from dict.fromkeys(Stated(run, question, each.text, each.marked) for each in sentences(answer))


def labelled() -> list[dict[str, str]]:
    """The labels kept so far."""
    lines = LABELS.read_text(encoding="utf-8").splitlines() if LABELS.is_file() else []
    return [json.loads(line) for line in lines]


def of_run(found: Sequence[Drafts], run: str) -> list[Stated]:
    """The sentences of one run that carry no mark."""
    return [each for one in found for each in one.stated if each.run == run and not each.marked]
