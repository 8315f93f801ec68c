"""Choose how src/assay/write/reader_writer.py weighs what the reader says.

    .venv/bin/python benchmarks/answers/choose.py FOLDER [FOLDER …]

Each folder has questions.jsonl and the documents, in the shape of `real.py`; `written` stands for the written
questions of the training data that the reader never saw, over all of its passages. The passages of each question
are searched and read once; then each choice of constants is tried on the full questions, and the share that shows
the gold is printed with the mean number of words. Never run on ../shared/data/dev/real.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import assay_models
from natural import NaturalQuestion, plain, read_questions, shows
from real_collections import collection, documents_of
from written_questions import held_questions, written_collection

from assay.models.embed_local import LocalEmbedder
from assay.models.reader import OnnxReader
from assay.models.remember import RememberingEmbedder
from assay.stages import Embedder
from assay.types import Evidence, PassageReading, ReaderModel, Sentence, TitledText
from assay.understand.rules import understood
from assay.write import reader_writer
from assay.write.extractive import ExtractiveWriter

TRIED = {
    "READER_WEIGHT": (0.3, 0.4, 0.6),
    "RANK_WEIGHT": (0.3, 0.6),
    "SPAN_WEIGHT": (0.0, 0.05, 0.1),
    "COSINE_WEIGHT": (0.0, 4.0, 8.0),
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
    """The full written questions that the reader never saw, over all written passages."""
    with written_collection() as opened:
        for question in held_questions():
            if question.answerable == "full":
                yield Found(question, opened.search(question.text))


async def shown(reader: KeptReader, embedder: Embedder, found: Found) -> str:
    """The answer's text."""
    writer = reader_writer.ReaderWriter(reader, embedder, ExtractiveWriter())
    parts = writer.write(understood(found.asked.text), found.evidence, ())
    return "".join([part.text async for part in parts if isinstance(part, Sentence)])


async def tried(
    reader: KeptReader, embedder: Embedder, sets: dict[str, list[Found]]
) -> tuple[dict[str, float], float]:
    """The share of golds shown of each set, and the mean number of words."""
    shares, words = {}, []
    for name, rows in sets.items():
        texts = [await shown(reader, embedder, row) for row in rows]
        shares[name] = mean(
            shows(text, row.asked.must, row.asked.limit) for text, row in zip(texts, rows, strict=True)
        )
        words += [len(plain(text).split()) for text in texts]
    return shares, mean(words)


def main() -> None:
    """Search, read, try."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--reader", type=Path, default=None)
    asked = parser.parse_args()
    reader = KeptReader(OnnxReader.load(asked.reader or assay_models.folder("minilm-l6-reader-int8")))
    embedder = RememberingEmbedder(LocalEmbedder.load(assay_models.folder()), 1 << 16)
    sets = {
        Path(name).name: list(written() if name == "written" else natural(Path(name))) for name in asked.folders
    }
    results = []
    for values in itertools.product(*TRIED.values()):
        for name, value in zip(TRIED, values, strict=True):
            setattr(reader_writer, name, value)
        shares, words = asyncio.run(tried(reader, embedder, sets))
        results.append((mean(shares.values()), values, shares, words))
    for score, values, shares, words in sorted(results, key=lambda each: -each[0])[:12]:
        told = "  ".join(f"{name} {share:.3f}" for name, share in shares.items())
        chosen = "  ".join(f"{name} {value}" for name, value in zip(TRIED, values, strict=True))
        print(f"{score:.3f}  {told}  words {words:.1f}  {chosen}")


if __name__ == "__main__":
    main()
