"""The labelled cases of the judge: a question, its evidence, whether it suffices; and vectors kept between runs."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from assay_models import folder as weights_folder
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.models.caching import CachingReader
from assay.models.embed_local import LocalEmbedder
from assay.models.reader import OnnxReader
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.sqlite import open_sqlite
from assay.types import Document, EmbeddingModel, Evidence, Hit, Message, Passage, Question
from assay.understanding.rules import understand_by_rules

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("ASSAY_BENCH_CACHE", Path(tempfile.gettempdir()) / "assay-cache"))
# Sets whose licence allows fits; the others are only ever evaluated.
TRAIN = ("clapnq", "mtrag-un", "scifact", "hotpot100", "musique100")
SETS = ("clapnq", "mtrag-un", "scifact", "climate-fever", "rgb-en", "rgb-zh", "hotpot100", "musique100")
ASKED = "wiki-mix"
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its evidence; `asked` is its last turn as written, `group` what it belongs to."""

    group: str
    asked: str
    question: Question
    evidence: Evidence
    sufficient: bool

    @property
    def fold(self) -> int:
        """The fold of its group, the same for a group in every set."""
        return int(hashlib.sha256(self.group.encode()).hexdigest(), 16) % FOLDS


@dataclass(frozen=True, slots=True)
class KeptEmbedder:
    """An embedder that keeps its vectors in a file between runs, as float16."""

    inner: LocalEmbedder
    path: Path
    known: dict[str, NDArray[np.float16]] = field(default_factory=dict)

    @classmethod
    def open(cls) -> KeptEmbedder:
        """The bundled model with what was kept of it."""
        inner = LocalEmbedder.load(weights_folder(), threads=1)
        path = CACHE / f"vectors-{inner.model.sha256[:12]}.npy"
        kept = cls(inner, path)
        if path.exists():
            kept.known.update(zip(json.loads(path.with_suffix(".json").read_text()), np.load(path), strict=True))
        return kept

    @property
    def model(self) -> EmbeddingModel:
        """The bundled model."""
        return self.inner.model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text."""
        keys = [hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.known}
        if new:
            rows = self.inner.embed_now(list(new.values())).astype(np.float16)
            self.known.update(zip(new, rows, strict=True))
        if not texts:
            return np.zeros((0, self.model.dimension), np.float32)
        return np.stack([self.known[key] for key in keys]).astype(np.float32)

    def keep(self) -> None:
        """Write what is known."""
        CACHE.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part.npy")
        np.save(part, np.stack(list(self.known.values())))
        self.path.with_suffix(".json").write_text(json.dumps(list(self.known)))
        part.replace(self.path)


def open_reader() -> CachingReader:
    """The bundled reader, which reads nothing twice in one run."""
    return CachingReader(OnnxReader.load(weights_folder("minilm-l6-reader-int8")))


def data_folder() -> Path:
    """The folder of the sets; ends the program where it is not there."""
    folder = Path(os.environ.get("ASSAY_BENCH_DATA", ROOT.parent / "shared" / "data")) / "dev"
    if not folder.is_dir():
        sys.exit(f"no data at {folder}: set ASSAY_BENCH_DATA to the folder that holds dev/")
    return folder


def given(name: str, *, titles: bool = False, file: str = "evidence.jsonl") -> list[Case]:
    """The cases of one set of given passages, without titles: the pipe may not have them, a search has."""
    return [_given(row, titles) for row in _lines(data_folder() / name / file)]


async def asked(embedder: KeptEmbedder) -> list[Case]:
    """The questions over the wiki-mix corpus with the eight passages that a search finds."""
    folder = data_folder() / ASKED
    with tempfile.TemporaryDirectory() as scratch:
        index = open_sqlite(Path(scratch), embedder.model)
        for batch in _batches(list(_lines(folder / "corpus.jsonl")), 1000):
            await index.add([await _entry(row, embedder) for row in batch])
        retriever = HybridRetriever(index, embedder)
        cases = []
        for name, answerable in (("queries.jsonl", True), ("queries_unanswerable.jsonl", False)):
            for row in _lines(folder / name):
                question = understand_by_rules(str(row["text"]))
                evidence = await retriever.retrieve((question.standalone,))
                cases.append(Case(str(row["group"]), str(row["text"]), question, evidence, answerable))
        await index.close()
    return cases


def written() -> list[Case]:
    """The written questions that no reader saw, whole or without an answer, with what is found in all passages."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
    from written_questions import held_questions, written_collection

    with written_collection() as opened:
        return [
            Case(
                each.id,
                each.text,
                understand_by_rules(each.text),
                opened.search(each.text),
                each.answerable == "full",
            )
            for each in held_questions()
            if each.answerable != "half"
        ]


def _given(row: dict[str, object], titles: bool) -> Case:
    history = tuple(_message(turn) for turn in row.get("history") or ())  # type: ignore[attr-defined]
    hits = tuple(Hit(_passage(each, titles), 0.0) for each in row["passages"])  # type: ignore[attr-defined]
    asked_text = str(row["query"])
    return Case(
        str(row["group"]),
        asked_text,
        understand_by_rules(asked_text, history),
        Evidence(hits),
        bool(row["sufficient"]),
    )


def _passage(row: dict[str, str], titles: bool) -> Passage:
    title = (row.get("title") or "") if titles else ""
    return Passage(str(row["id"]), str(row["id"]), "", 0, len(row["text"]), row["text"], title)


def _message(turn: dict[str, str]) -> Message:
    role = turn.get("role") or turn.get("speaker")
    return Message("user" if role == "user" else "assistant", turn["text"])


async def _entry(row: dict[str, object], embedder: KeptEmbedder) -> Entry:
    key, title, text = str(row["id"]), str(row["title"]), str(row["text"])
    document = Document(key, text, title, key, "text", hashlib.sha256(text.encode()).hexdigest())
    passage = Passage(
        Passage.id_for(key, document.revision, 0, len(text)), key, document.revision, 0, len(text), text, title
    )
    return Entry(document, (passage,), await embedder.embed([f"{title}\n{text}"]))


def _lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _batches(rows: list[dict[str, object]], size: int) -> Iterator[list[dict[str, object]]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
