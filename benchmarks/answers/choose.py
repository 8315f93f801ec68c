"""Choose how src/assay/write/reader_writer.py weighs what the reader says.

    .venv/bin/python benchmarks/answers/choose.py FOLDER [FOLDER …]

Each folder has questions.jsonl and the documents, in the shape of `real.py`; `written` stands for the written
questions of the training data that the reader never saw, over all of its passages. The passages of each question are
searched and read once; then each choice of constants is tried on the full questions, and the share that shows the
gold is printed with the mean number of words. Never run on ../shared/data/dev/real.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import assay_models
from natural import NaturalQuestion, plain, read_questions, shows
from real_collections import collection, documents_of

from assay.build import open_engine
from assay.models.reader import OnnxReader
from assay.types import Evidence, PassageReading, ReaderModel, Sentence, TitledText
from assay.understand.rules import understood
from assay.write import reader_writer

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import data_folder

HELD_EVERY = 6
TRIED = {
    "RANK_WEIGHT": (0.3, 0.6, 1.0, 1.5),
    "SPAN_WEIGHT": (0.0, 0.1, 0.2, 0.3),
    "NEAR": (0.5, 1.0, 2.0),
    "MOST_WORDS": (70, 90, 110),
}


@dataclass(frozen=True)
class Found:
    """A question with its evidence."""

    asked: NaturalQuestion
    evidence: Evidence


@dataclass
class KeptReader:
    """A reader that reads nothing twice, however often its writer is tried."""

    inner: OnnxReader
    known: dict[tuple[str, TitledText], PassageReading] = field(default_factory=dict)

    @property
    def model(self) -> ReaderModel:
        """The reader's model."""
        return self.inner.model

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """The readings."""
        new = [text for text in dict.fromkeys(texts) if (question, text) not in self.known]
        read = self.inner.read_now(question, new) if new else ()
        self.known.update({(question, text): each for text, each in zip(new, read, strict=True)})
        return tuple(self.known[question, text] for text in texts)


def natural(folder: Path) -> Iterator[Found]:
    """The full questions of a folder with what is found for them."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines() if line.strip()]
    asked = read_questions(folder / "questions.jsonl")
    for name, place in documents_of(folder, rows).items():
        with collection(name, place) as opened:
            for question in asked:
                if question.collection == name and question.answerable == "full":
                    yield Found(question, opened.search(question.text))


def written() -> Iterator[Found]:
    """The written questions that the reader never saw, over all written passages."""
    folder = data_folder() / "train" / "written"
    passages = {row["pid"]: row for row in _rows(folder / "passages.jsonl.gz")}
    place = Path(tempfile.gettempdir()) / "assay-written"
    with open_engine(data_dir=place, collection="written", profile="fast", offline=True) as opened:
        if not opened.documents():
            source = place / "passages.jsonl"
            source.write_text(
                "".join(
                    json.dumps({"id": pid, "title": row["title"], "text": row["text"]}) + "\n"
                    for pid, row in passages.items()
                )
            )
            opened.add([source])
        for row in _rows(folder / "questions.jsonl.gz"):
            text = " ".join(passages[row["pid"]]["text"].split())
            held = int(hashlib.sha256(text.encode()).hexdigest(), 16) % HELD_EVERY == 0
            if held and row["label"] == "full":
                yield Found(_asked(row), opened.search(row["question"]))


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _asked(row: dict[str, str]) -> NaturalQuestion:
    """The question; its gold is shown where the longest words of the answer are, in any order."""
    answer = re.sub(r"^(?:yes|no)\b\W*", "", row["answer"], flags=re.I)
    words = sorted({word for word in re.findall(r"\w+", answer) if len(word) > 3 or word.isdigit()}, key=len)
    wanted = words[-3:] or re.findall(r"\w+", row["answer"])
    pattern = "".join(rf"(?=.*\b{re.escape(word[:6])})" for word in wanted)
    return NaturalQuestion(row["id"], "written", row["question"], "full", (pattern,))


async def shown(reader: KeptReader, found: Found) -> str:
    """The answer's text."""
    writer = reader_writer.ReaderWriter(reader, reader_writer.ReaderWriter(reader, None))  # type: ignore[arg-type]
    parts = writer.write(understood(found.asked.text), found.evidence, ())
    return "".join([part.text async for part in parts if isinstance(part, Sentence)])


async def tried(reader: KeptReader, sets: dict[str, list[Found]]) -> tuple[dict[str, float], float]:
    """The share of golds shown of each set, and the mean number of words."""
    shares, words = {}, []
    for name, rows in sets.items():
        texts = [await shown(reader, row) for row in rows]
        shares[name] = mean(shows(text, row.asked.must, row.asked.limit) for text, row in zip(texts, rows, strict=True))
        words += [len(plain(text).split()) for text in texts]
    return shares, mean(words)


def main() -> None:
    """Search, read, try."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--reader", type=Path, default=None)
    asked = parser.parse_args()
    reader = KeptReader(OnnxReader.load(asked.reader or assay_models.folder("minilm-l6-reader-int8")))
    sets = {
        Path(name).name: list(written() if name == "written" else natural(Path(name))) for name in asked.folders
    }
    results = []
    for values in itertools.product(*TRIED.values()):
        for name, value in zip(TRIED, values, strict=True):
            setattr(reader_writer, name, value)
        shares, words = asyncio.run(tried(reader, sets))
        results.append((mean(shares.values()), values, shares, words))
    for score, values, shares, words in sorted(results, key=lambda each: -each[0])[:12]:
        told = "  ".join(f"{name} {share:.3f}" for name, share in shares.items())
        chosen = "  ".join(f"{name} {value}" for name, value in zip(TRIED, values, strict=True))
        print(f"{score:.3f}  {told}  words {words:.1f}  {chosen}")


if __name__ == "__main__":
    main()
