"""Fit how src/assay/writing/reader_writer.py weighs what the reader says, and choose how many blocks it shows.

    .venv/bin/python benchmarks/answers/choose.py FOLDER [FOLDER …] [--reader FOLDER]

Each folder has questions.jsonl and the documents, in the shape of `real.py`; `written` stands for the written
questions of the training data that the reader never saw, over all of its passages, and `asked` for those of
models/data/asked that it never saw, over their documents. For each full question the likely places of its
answer are found as the writer finds them. The weights are those of a softmax over the places of a question
(McFadden 1974) under which the blocks that show a gold are likeliest, none negative; each collection is weighed
by weights fitted on the others. Then each NEAR is tried. Never run on ../shared/data/dev/real.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from statistics import mean

import assay_models
import numpy as np
from asked_questions import held_questions as held_over_documents
from asked_questions import sets_folder
from natural import NaturalQuestion, plain, read_questions, shows
from numpy.typing import NDArray
from real_collections import collection, documents_of
from scipy.optimize import minimize
from written_questions import held_questions, written_collection

from assay.core.stages import Embedder
from assay.models.caching import CachingEmbedder
from assay.models.embed_local import LocalEmbedder
from assay.models.reader import OnnxReader
from assay.types import Evidence, PassageReading, ReaderModel, TitledText
from assay.understanding.rules import understand_by_rules
from assay.writing import reader_writer
from assay.writing.blocks import Room, room_for
from assay.writing.extractive import ExtractiveWriter

WEIGHTS = ("READER_WEIGHT", "SPAN_WEIGHT", "RANK_WEIGHT", "COSINE_WEIGHT")
NEARS = (0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 99.0)
# How strongly weights are held near 0.
PENALTY = 0.5


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


def documented() -> Iterator[Found]:
    """The full questions of models/data/asked that the reader never saw."""
    sets, questions = sets_folder(), list(held_over_documents())
    for name in dict.fromkeys(question.collection for question in questions):
        with collection(name, sets / name) as opened:
            for question in questions:
                if question.collection == name and question.answerable == "full":
                    yield Found(question, opened.search(question.text))


@dataclass(frozen=True)
class Choice:
    """The likely places of the answer to one question, what is weighed of them, and which of them show a gold."""

    asked: NaturalQuestion
    room: Room
    places: list[reader_writer.Place]

    @property
    def signals(self) -> NDArray[np.float64]:
        """Shape (places, weights)."""
        return np.array([place.signals for place in self.places], float)

    @cached_property
    def golds(self) -> NDArray[np.bool_]:
        """Whether each place's block shows the gold."""
        return np.array([shows(place.shown.text, self.asked.must, self.asked.limit) for place in self.places])

    def answer(self, weights: NDArray[np.float64], near: float) -> str:
        """What the writer shows with these constants."""
        for name, value in zip((*WEIGHTS, "NEAR"), (*weights, near), strict=True):
            setattr(reader_writer, name, float(value))
        places = sorted(self.places, key=lambda place: -place.score)
        taken = reader_writer.with_neighbours(reader_writer.choose_places(places, self.room, ()), self.room, {})
        return "\n\n".join(place.shown.text for place in taken)


async def choices(reader: KeptReader, embedder: Embedder, rows: Iterator[Found]) -> list[Choice]:
    """The choices of the questions for which anything can be quoted."""
    writer = reader_writer.ReaderWriter(reader, embedder, ExtractiveWriter())
    made = []
    for row in rows:
        question = understand_by_rules(row.asked.text)
        room = room_for(question)
        places = await writer.places(question.standalone, room, row.evidence, {})
        if places:
            made.append(Choice(row.asked, room, places))
    return made


def fitted(some: Sequence[Choice]) -> NDArray[np.float64]:
    """The weights under which the places that show a gold are likeliest."""
    data = [(each.signals, each.golds) for each in some if each.golds.any()]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = PENALTY / 2 * float(weights @ weights), PENALTY * weights
        for signals, golds in data:
            scores = signals @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            right = shares * golds
            total -= float(np.log(right.sum()))
            slope = slope + signals.T @ (shares - right / right.sum())
        return total, slope

    bounds = [(0.0, None)] * len(WEIGHTS)
    return minimize(loss, np.zeros(len(WEIGHTS)), jac=True, method="L-BFGS-B", bounds=bounds).x


def main() -> None:
    """Search, read, fit, try."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--reader", type=Path, default=None)
    asked = parser.parse_args()
    reader = KeptReader(OnnxReader.load(asked.reader or assay_models.folder("minilm-l6-reader-int8")))
    embedder = CachingEmbedder(LocalEmbedder.load(assay_models.folder()), 1 << 16)
    found: defaultdict[str, list[Choice]] = defaultdict(list)
    for name in asked.folders:
        rows = {"written": written, "asked": documented}.get(name, partial(natural, Path(name)))()
        for choice in asyncio.run(choices(reader, embedder, rows)):
            found[choice.asked.collection].append(choice)
    every = [choice for some in found.values() for choice in some]
    apart = {name: fitted([each for each in every if each.asked.collection != name]) for name in found}
    print("fitted on all:", dict(zip(WEIGHTS, fitted(every).round(2).tolist(), strict=True)))
    for near in NEARS:
        shares, words = {}, []
        for name, some in found.items():
            texts = [choice.answer(apart[name], near) for choice in some]
            shares[name] = mean(
                shows(text, each.asked.must, each.asked.limit) for text, each in zip(texts, some, strict=True)
            )
            words += [len(plain(text).split()) for text in texts]
        total = sum(share * len(found[name]) for name, share in shares.items()) / len(every)
        told = "  ".join(f"{name} {share:.3f}" for name, share in shares.items())
        print(f"NEAR {near}: gold shown {total:.3f} ({told}), words {mean(words):.1f}")


if __name__ == "__main__":
    main()
