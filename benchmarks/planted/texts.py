"""The texts that errors are planted into: sentences copied from passages, and claims that people found supported.

Each has the passages that it stands on. Which half of the sets' groups a text belongs to is settled by the group's
hash: one half is for looking at, the other for reporting.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import data_folder

Half = Literal["looked at", "reported"]
Stratum = Literal["copied", "reworded"]
SUMMEDITS = tuple(
    f"summedits-{each}"
    for each in ("news", "samsum", "scitldr", "ectsum", "qmsumm", "sales_call", "sales_email", "podcast")
)
REWORDED = ("wice", "scifact", "factcheck-gpt", "falke", *SUMMEDITS)
# Of a group that was reworded many times over, this many claims are taken.
PER_GROUP = 4
PASSAGES = 5
SENTENCES = 3
ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])")
_WHOLE = re.compile(r"[A-Z][^\n|{}<>=\[\]]{30,300}[.!]")


@dataclass(frozen=True)
class Clean:
    """A text without errors: its sentences, each with the number of the passage that it stands on."""

    stratum: Stratum
    source: str
    group: str
    sentences: tuple[str, ...]
    numbers: tuple[int, ...]
    passages: tuple[str, ...]

    @property
    def half(self) -> Half:
        """Half of the groups, by their hash."""
        return "looked at" if hashlib.sha256(f"half/{self.group}".encode()).digest()[0] % 2 else "reported"

    @property
    def evidence(self) -> str:
        """All passages in one text."""
        return "\n".join(self.passages)


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file below dev/."""
    path = data_folder() / "dev" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def reworded() -> Iterator[Clean]:
    """The supported claims of each set, a few of each group."""
    for name in REWORDED:
        taken: dict[str, int] = defaultdict(int)
        seen: set[str] = set()
        for row in rows(f"{name}/grounding.jsonl"):
            if not row["supported"] or row["claim"] in seen or taken[row["group"]] >= PER_GROUP:
                continue
            seen.add(row["claim"])
            taken[row["group"]] += 1
            yield Clean("reworded", name, row["group"], (row["claim"],), (1,), (row["context"],))


def copied(count: int, seed: int) -> Iterator[Clean]:
    """Drafts of a few sentences, each copied from one of a few passages on related matters."""
    for name, shelves in _shelves().items():
        chance = random.Random(f"{seed}/{name}")
        chance.shuffle(shelves)
        made = 0
        for group, passages in shelves:
            draft = _copied(name, group, passages, chance)
            if draft is not None:
                made += 1
                yield draft
            if made == count:
                break


def _copied(name: str, group: str, passages: list[str], chance: random.Random) -> Clean | None:
    """One draft, None where the passages hold too few whole sentences."""
    held = [(sentence, n) for n, text in enumerate(passages, 1) for sentence in _sentences(text)]
    if len(held) < SENTENCES:
        return None
    chosen = sorted(chance.sample(held, SENTENCES), key=lambda each: each[1])
    return Clean("copied", name, group, tuple(s for s, _ in chosen), tuple(n for _, n in chosen), tuple(passages))


def _sentences(text: str) -> list[str]:
    """The plain sentences of a passage: 6 to 45 words, no tables, no marks in brackets."""
    found = [each.strip() for each in ENDS.split(text)]
    return [each for each in found if _WHOLE.fullmatch(each) and 6 <= len(each.split()) <= 45]


def _shelves() -> dict[str, list[tuple[str, list[str]]]]:
    """Passages that belong together, by set: neighbours in a corpus, or the passages of one question."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    wiki = sorted(rows("wiki-mix/corpus.jsonl"), key=lambda row: row["title"])
    found["wiki-mix"] = [
        (wiki[at]["id"], [row["text"] for row in wiki[at : at + PASSAGES]]) for at in range(0, len(wiki), PASSAGES)
    ]
    science = rows("scifact/corpus.jsonl")
    found["scifact"] = [
        (science[at]["id"], [row["text"] for row in science[at : at + PASSAGES]])
        for at in range(0, len(science), PASSAGES)
    ]
    for name in ("clapnq", "mtrag-un", "realtimeqa", "factcheck-gpt"):
        if name == "factcheck-gpt":
            by_group: dict[str, list[str]] = defaultdict(list)
            for row in rows("factcheck-gpt/grounding.jsonl"):
                if row["context"] not in by_group[row["group"]]:
                    by_group[row["group"]].append(row["context"])
            found[name] = [(group, texts[:PASSAGES]) for group, texts in by_group.items()]
        else:
            found[name] = [
                (row["group"], [each["text"] for each in row["passages"]][:PASSAGES])
                for row in rows(f"{name}/evidence.jsonl")
            ]
    for name in ("wice", "summedits-news"):
        contexts = {row["context"]: row["group"] for row in rows(f"{name}/grounding.jsonl")}
        found[name] = [(group, [context[:6000]]) for context, group in contexts.items()]
    return found
