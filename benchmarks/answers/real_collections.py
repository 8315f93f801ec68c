"""Folders of documents as collections that are added once, and what a question over them shows."""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import assay_models

sys.path.insert(0, str(Path(__file__).parents[1]))
from natural import NaturalQuestion, is_marked, said_missing

from assay.engine import Engine
from assay.errors import AssayError
from assay.types import EvidenceFound, Outcome
from assay.wiring import open_engine
from report import ROOT, data_folder

# What an index is made by: a change there makes a new one.
INDEXING = ("types*", "ingest", "index", "text", "nlp", "models/embed*")
DOCUMENTS = (".md", ".html", ".htm", ".txt", ".pdf", ".docx", ".csv", ".xlsx", ".json", ".jsonl", ".rst")
WARM_UP = "What is this?"
# Seconds for one question: a busy machine must not change what is answered.
DEADLINE = 600.0


@dataclass(frozen=True, slots=True)
class Shown:
    """What an ask showed; `found` are the passages' texts, best first, `likely` the probability of being right.

    `outcome` is "error" where the ask ended with one, and `text` its message then.
    """

    outcome: str
    text: str
    marked: bool = False
    said_missing: str = ""
    found: tuple[str, ...] = ()
    likely: float | None = None
    cpu_ms: float = 0.0

    @property
    def answered(self) -> bool:
        """Whether an answer is shown, whole or in part."""
        return self.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)


def set_folder(name: str) -> Path:
    """The folder of a set, `real` or a path; ends the program where it has no questions."""
    folder = data_folder() / "dev" / "real" if name == "real" else Path(name).resolve()
    if not (folder / "questions.jsonl").is_file():
        sys.exit(f"no questions.jsonl in {folder}: give real, or a folder that holds one")
    return folder


def some(questions: Sequence[NaturalQuestion], limit: int | None) -> list[NaturalQuestion]:
    """`limit` questions spread over the list; all without a limit."""
    if limit is None or limit >= len(questions):
        return list(questions)
    return [questions[index * len(questions) // limit] for index in range(limit)]


def cache() -> Path:
    """The folder where collections are kept."""
    return Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir())) / "answers-real"


def unpacked(folder: Path) -> Path:
    """Where the set's documents lie: the folder itself, or its corpora.tgz unpacked in the cache."""
    archive = folder / "corpora.tgz"
    if not archive.is_file():
        return folder
    target = cache() / f"corpora-{hashlib.sha256(archive.read_bytes()).hexdigest()[:12]}"
    if not target.is_dir():
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
    return target


def documents_of(folder: Path, rows: Sequence[dict[str, object]]) -> dict[str, Path]:
    """The folder of each collection: the one of its own name, else the first folder of the files its rows name."""
    named: dict[str, Path] = {}
    for row in rows:
        name, file = str(row.get("collection")), row.get("file")
        if (folder / name).is_dir():
            named[name] = folder / name
        elif file:
            named.setdefault(name, folder / str(file).split("/")[0])
    return named


@contextmanager
def collection(name: str, *places: Path) -> Iterator[Engine]:
    """An engine over files and folders of documents; the first call adds them, which takes a minute or more.

    The collection is kept by the documents' content, the code that makes an index and the embedding weights.
    """
    inside = (file for place in places for file in (place.rglob("*") if place.is_dir() else [place]))
    files = sorted(file for file in inside if file.suffix.lower() in DOCUMENTS and file.is_file())
    if not files:
        sys.exit(f"no documents in {places[0]}")
    folder = cache() / f"{name}-{_hash(places[0].parent, files)[:12]}-{_hash(ROOT, _indexing())[:12]}"
    settings = {"data_dir": folder, "collection": name, "profile": "fast", "offline": True, "deadline": DEADLINE}
    with open_engine(**settings) as opened:
        done = folder / "complete"
        if not done.is_file():
            print(f"adding {len(files)} documents to {folder}", file=sys.stderr, flush=True)
            reports = opened.add(places)
            failed = [report for report in reports if report.status == "failed"]
            for report in failed[:5]:
                print(f"not added: {report.path}: {report.reason}", file=sys.stderr)
            done.touch()
        opened.ask(WARM_UP)
        yield opened


def _indexing() -> list[Path]:
    """The files of code and weights that make an index."""
    source = ROOT / "src" / "assay"
    code = {file for part in INDEXING for found in source.glob(part) for file in _python(found)}
    return [*sorted(code), *sorted(each for each in assay_models.folder().iterdir() if each.is_file())]


def _python(path: Path) -> list[Path]:
    return list(path.rglob("*.py")) if path.is_dir() else [path]


def _hash(base: Path, files: Sequence[Path]) -> str:
    """One hash of the files' names and content."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(os.path.relpath(file, base).encode() + b"\0")
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def ask(opened: Engine, text: str) -> Shown:
    """What an ask of the default profile shows."""
    began = time.process_time()
    try:
        answer = opened.ask(text)
    except AssayError as error:
        return Shown("error", str(error), cpu_ms=1000 * (time.process_time() - began))
    spent = 1000 * (time.process_time() - began)
    evidence = next((event.evidence for event in answer.trace if isinstance(event, EvidenceFound)), None)
    return Shown(
        outcome=answer.outcome.value,
        text=answer.text,
        marked=is_marked(answer),
        said_missing=said_missing(answer),
        found=tuple(passage.text for passage in evidence.passages) if evidence else (),
        likely=answer.confidence.value,
        cpu_ms=spent,
    )
