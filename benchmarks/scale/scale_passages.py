"""The passages of the measurements: those of the scale set, then variations of them, each with a vector of its own.

A variation joins the first half of one passage to the second half of another, so every word of it is real. Its
vector is the mean of theirs, moved a little: the model averages over the words of a text, so this is near what it
would give (`--near` prints how near). Vectors of the scale set are the model's own as far as they were embedded.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import assay_models
import numpy as np
from numpy.typing import NDArray

from assay.ingest.pipeline import embedded_text
from assay.models.embed_local import LocalEmbedder
from report import data_folder
from speed.search import PART, passages

DIMENSION = 384
QUESTIONS = 200
# How far a variation's vector is moved from the mean, a coordinate; as `speed/search.py` moves borrowed ones.
_MOVED = 0.01
_AT_ONCE = 10_000
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Scale:
    """So many passages: `own` of them have vectors that the model gave, `real` have texts of the scale set."""

    count: int
    own: int
    real: int
    rows: list[dict[str, str]]
    file: Path

    def vectors(self, first: int, last: int) -> Vectors:
        """The vectors of the passages from `first` up to `last`, shape (last - first, DIMENSION)."""
        with self.file.open("rb") as file:
            file.seek(2 * DIMENSION * first)
            data = file.read(2 * DIMENSION * (last - first))
        return np.frombuffer(data, np.float16).astype(np.float32).reshape(-1, DIMENSION)

    def row(self, n: int) -> dict[str, str]:
        """The n-th passage."""
        if n < self.real:
            return self.rows[n]
        one, other = (self.rows[place] for place in parents(n, self.own))
        words, ends = one["text"].split(), other["text"].split()
        text = " ".join([*words[: (len(words) + 1) // 2], *ends[len(ends) // 2 :]])
        return {
            "id": f"variation:{n}",
            "title": one["title"],
            "text": text,
            "source": one["source"],
            "doc": f"v{n}",
        }


def parents(n: int, own: int) -> tuple[int, int]:
    """The two passages that the n-th one is made of: any two, never twice the same two in so few."""
    one, other = np.random.default_rng(n).integers(0, own, 2).tolist()
    return one, other


def cache() -> Path:
    """The folder that keeps vectors and stores."""
    folder = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir())) / "scale"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_scale(count: int) -> Scale:
    """The first `count` passages with their vectors, which are written to a file of the cache once."""
    rows = passages(count)
    parts = sorted(cache().glob("[0-9][0-9][0-9][0-9].npy"))
    embedded = np.concatenate([np.load(part) for part in parts[: -(-len(rows) // PART)]])[: len(rows)]
    own, file = len(embedded), cache() / f"{count}.f16"
    scale = Scale(count, own, len(rows), rows, file)
    if not file.exists() or file.stat().st_size != 2 * DIMENSION * count:
        _write(scale, embedded.astype(np.float32))
    about = file.with_suffix(".json")
    if about.exists():  # of a file written when fewer were embedded
        own = json.loads(about.read_text())["own"]
    return Scale(count, own, len(rows), rows, file)


def _write(scale: Scale, own: Vectors) -> None:
    generator = np.random.default_rng(0)
    beside = scale.file.with_suffix(".part")
    with beside.open("wb") as file:
        file.write(own.astype(np.float16).tobytes())
        for first in range(len(own), scale.count, _AT_ONCE):
            numbers = range(first, min(first + _AT_ONCE, scale.count))
            places = np.array([parents(n, scale.own) for n in numbers])
            made = own[places[:, 0]] + own[places[:, 1]]
            made /= np.linalg.norm(made, axis=1, keepdims=True)
            made += _MOVED * generator.standard_normal(made.shape, np.float32)
            made /= np.linalg.norm(made, axis=1, keepdims=True)
            file.write(made.astype(np.float16).tobytes())
    scale.file.with_suffix(".json").write_text(json.dumps({"own": len(own)}))
    beside.replace(scale.file)


def nearness(scale: Scale, sample: int = 200) -> float:
    """The median cosine of variations' vectors and those that the model gives for their texts."""
    first = max(scale.real, scale.own)
    places = np.random.default_rng(1).integers(first, scale.count, sample).tolist()
    rows = [scale.row(n) for n in places]
    given = LocalEmbedder.load(assay_models.folder()).embed_now(
        [embedded_text(row["title"], row["text"]) for row in rows]
    )
    made = np.concatenate([scale.vectors(n, n + 1) for n in places])
    return round(float(np.median(np.sum(given * made, axis=1))), 3)


def questions() -> tuple[list[str], Vectors]:
    """Natural questions and their vectors."""
    lines = (data_folder() / "dev" / "wiki-mix" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    asked, file = [json.loads(line)["text"] for line in lines][:QUESTIONS], cache() / "questions.npy"
    if not file.exists():
        np.save(file, LocalEmbedder.load(assay_models.folder()).embed_now(asked))
    return asked, np.load(file)


def least_scores(scale: Scale, asked: Vectors, k: int) -> NDArray[np.float32]:
    """The cosine of each question's k-th nearest passage, by comparing with all of them."""
    file = cache() / f"{scale.count}.least.npy"
    if not file.exists():
        best = np.full((len(asked), 0), 0, np.float32)
        for chunk in _chunks(scale):
            best = np.sort(np.concatenate([best, asked @ chunk.T], axis=1), axis=1)[:, -k:]
        np.save(file, best[:, 0])
    return np.load(file)


def _chunks(scale: Scale) -> Iterator[Vectors]:
    for first in range(0, scale.count, 5 * _AT_ONCE):
        yield scale.vectors(first, min(first + 5 * _AT_ONCE, scale.count))
