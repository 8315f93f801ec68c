"""The six labelled retrieval sets, each as an index filled with its documents, one passage a document.

Embedding the corpora takes a few minutes; with ASSAY_BENCH_CACHE set to a folder, vectors are kept there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assay_models
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.core.stages import Entry
from assay.ingest.pipeline import embedded_text
from assay.models.embed_local import LocalEmbedder
from assay.retrieval.index.sqlite import SqliteIndex, open_sqlite
from assay.types import Document, EmbeddingModel, Passage
from report import data_folder

# The BM25 column of the data's README over its dev halves: bm25s, Lucene's variant, k1 1.2, b 0.75.
PUBLISHED_BM25 = {
    "scifact": 0.722,
    "climate-fever": 0.367,
    "cranfield": 0.391,
    "cisi": 0.374,
    "vaswani": 0.397,
    "wiki-mix": 0.797,
}
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class RetrievalSet:
    """Documents, questions that have a relevant document, and how relevant each is."""

    name: str
    documents: list[dict[str, str]]
    queries: list[dict[str, str]]
    relevant: Mapping[str, Mapping[str, float]]
    document_vectors: Vectors
    query_vectors: Vectors

    @property
    def embedder(self) -> KnownEmbedder:
        """The embedder that knows the questions' vectors."""
        texts = [query["text"] for query in self.queries]
        return KnownEmbedder(local_embedder().model, dict(zip(texts, self.query_vectors, strict=True)))

    async def open(self, folder: Path) -> SqliteIndex:
        """A new store with all documents."""
        index = open_sqlite(folder / self.name, local_embedder().model)
        await index.add([self.entry(n) for n in range(len(self.documents))])
        return index

    def entry(self, n: int) -> Entry:
        """The n-th document, ready to be stored."""
        row = self.documents[n]
        title, text = row.get("title") or "", row["text"]
        document = Document(row["id"], text, title, row["id"], "text", "")
        passage = Passage(row["id"], row["id"], document.revision, 0, len(text), text, title)
        return Entry(document, (passage,), self.document_vectors[n : n + 1])


@dataclass(frozen=True)
class KnownEmbedder:
    """Gives the vectors that were computed before."""

    model: EmbeddingModel
    vectors: Mapping[str, Vectors]

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.vectors[text] for text in texts])


_local: list[LocalEmbedder] = []


def local_embedder() -> LocalEmbedder:
    """The bundled embedder, loaded once."""
    if not _local:
        _local.append(LocalEmbedder.load(assay_models.folder()))
    return _local[0]


def load(name: str) -> RetrievalSet:
    folder = data_folder() / "dev" / name
    relevant = read_relevant(folder / "qrels.tsv")
    documents = read_lines(folder / "corpus.jsonl")
    queries = [query for query in read_lines(folder / "queries.jsonl") if query["id"] in relevant]
    texts = {row["id"]: embedded_text(row.get("title") or "", row["text"]) for row in documents}
    asked = {row["id"]: row["text"] for row in queries}
    return RetrievalSet(
        name,
        documents,
        queries,
        relevant,
        vectors_of(f"{name}-corpus", texts),
        vectors_of(f"{name}-queries", asked),
    )


def vectors_of(name: str, texts: Mapping[str, str]) -> Vectors:
    """One row a text; kept in, and read from, the cache folder where there is one."""
    cache = os.environ.get("ASSAY_BENCH_CACHE")
    if cache and (Path(cache) / f"{name}.npy").exists():
        ids = json.loads((Path(cache) / f"{name}.ids.json").read_text())
        place = {each: n for n, each in enumerate(ids)}
        kept = np.load(Path(cache) / f"{name}.npy")
        return kept[[place[each] for each in texts]].astype(np.float32)
    vectors = local_embedder().embed_now(list(texts.values()))
    if cache:
        (Path(cache) / f"{name}.ids.json").write_text(json.dumps(list(texts)))
        np.save(Path(cache) / f"{name}.npy", vectors.astype(np.float16))
    return vectors


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_relevant(path: Path) -> dict[str, dict[str, float]]:
    relevant: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, gain = line.split("\t")
        if float(gain) > 0:
            relevant.setdefault(query, {})[document] = float(gain)
    return relevant
