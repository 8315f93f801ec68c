"""Answers without a model on wiki-mix: how many show the gold, at how many words, and how many are refused.

.venv/bin/python benchmarks/answers/run.py

Search, judge and writer are the ones that ship; the reader was trained on none of these questions. Beside it stands
the writer of sentences, which answers where there is no reader, refitted without the fold of the question at hand.
A question is refused where the judge's sufficiency lies under the least
threshold that refuses 60 % of the unanswerable ones; a refused answerable question counts as not shown.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import assay_models
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from answers_data import SOURCES, questions, shows_gold
from fit import FOLDS, Example, examples, fit, fold_of
from pipeline import Case, completed, engine, found

from assay.core.draft import compose
from assay.core.stages import Writer
from assay.evals.metrics import auroc
from assay.models.embed_local import LocalEmbedder
from assay.models.reader import OnnxReader
from assay.models.remember import CachingReader
from assay.types import Finished
from assay.writing.extractive import ExtractiveWriter
from assay.writing.reader_writer import ReaderWriter
from report import write_result

REFUSED = 0.60
BASELINE_WORDS = 80


@dataclass(frozen=True)
class Outcome:
    """One question with what the writer wrote and what the baseline shows."""

    case: Case
    text: str
    marked: str
    baseline: str
    writer_ms: float


async def outcomes(cases: Sequence[Case], writer_for: Callable[[Case], Writer]) -> list[Outcome]:
    """Every question answered, whatever the judge says of it."""
    done = []
    for case in cases:
        writer, began = writer_for(case), time.process_time()
        parts = [part async for part in writer.write(case.question, case.evidence, ())]
        spent = 1000 * (time.process_time() - began)
        sentences = tuple(part for part in parts if not isinstance(part, Finished))
        top = case.evidence.passages[0].text if case.evidence.hits else ""
        done.append(
            Outcome(
                case,
                " ".join(sentence.text for sentence in sentences),
                compose(sentences).text,
                " ".join(top.split()[:BASELINE_WORDS]),
                spent,
            )
        )
    return done


def threshold(done: Sequence[Outcome]) -> float:
    """The least sufficiency that, asked for, refuses at least `REFUSED` of the unanswerable questions."""
    scores = sorted(each.case.sufficiency for each in done if not each.case.asked.golds)
    return float(np.nextafter(scores[int(np.ceil(REFUSED * len(scores))) - 1], 2.0))


def figures(done: Sequence[Outcome]) -> dict[str, object]:
    """The bars of these outcomes."""
    least = threshold(done)
    answered = [each for each in done if each.case.sufficiency >= least]
    shown: dict[str, float] = {}
    simple: dict[str, float] = {}
    for source in SOURCES:
        rows = [each for each in done if each.case.asked.source == source]
        kept = [each.case.sufficiency >= least for each in rows]
        shown[source] = mean(k and shows_gold(r.text, r.case.asked.golds) for r, k in zip(rows, kept, strict=True))
        simple[source] = mean(
            k and shows_gold(r.baseline, r.case.asked.golds) for r, k in zip(rows, kept, strict=True)
        )
    unanswerable = [each for each in done if not each.case.asked.golds]
    return {
        "gold shown": {**_rounded(shown), "macro": round(mean(shown.values()), 3)},
        "first 80 words of the top passage": {**_rounded(simple), "macro": round(mean(simple.values()), 3)},
        "above it": round(mean(shown.values()) - mean(simple.values()), 3),
        "gold shown, nothing refused": _rounded(
            {
                s: mean(shows_gold(r.text, r.case.asked.golds) for r in done if r.case.asked.source == s)
                for s in SOURCES
            }
        ),
        "gold in the passages found": _rounded(
            {
                s: mean(
                    shows_gold(" ".join(p.text for p in r.case.evidence.passages), r.case.asked.golds)
                    for r in done
                    if r.case.asked.source == s
                )
                for s in SOURCES
            }
        ),
        "answerable answered": _rounded(
            {s: mean(r.case.sufficiency >= least for r in done if r.case.asked.source == s) for s in SOURCES}
        ),
        "unanswerable refused": round(mean(each.case.sufficiency < least for each in unanswerable), 3),
        "answer-or-refuse AUROC": round(
            auroc([each.case.sufficiency for each in done], [bool(each.case.asked.golds) for each in done]), 3
        ),
        "words": round(mean(len(each.text.split()) for each in answered), 1),
        "words with marks": round(mean(len(each.marked.split()) for each in answered), 1),
        "writer CPU ms, 95th percentile": round(float(np.percentile([each.writer_ms for each in done], 95)), 1),
        "threshold": round(least, 4),
        "at the shipped threshold": {
            **_rounded({s: mean(r.case.answered for r in done if r.case.asked.source == s) for s in SOURCES}),
            "unanswerable refused": round(mean(not each.case.answered for each in unanswerable), 3),
        },
    }


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def out_of_fold(given: Sequence[Example]) -> Callable[[Case], Writer]:
    """For each case the writer of sentences whose ranker was fitted without its fold."""
    rankers = [fit([each for each in given if each.fold != fold]) for fold in range(FOLDS)]
    return lambda case: ExtractiveWriter(rankers[fold_of(case)])


def main() -> None:
    """Print the bars and keep them in results/."""
    with engine() as opened:
        cases = found(opened, questions())
    given = examples(completed([case for case in cases if case.asked.golds]))
    reader = CachingReader(OnnxReader.load(assay_models.folder("minilm-l6-reader-int8")))
    embedder = LocalEmbedder.load(assay_models.folder())
    blocks = ReaderWriter(reader, embedder, ExtractiveWriter())
    writers: dict[str, Callable[[Case], Writer]] = {
        "as shipped": lambda case: blocks,
        "sentences without a reader, out of fold": out_of_fold(given),
    }
    numbers = {name: figures(asyncio.run(outcomes(cases, chosen))) for name, chosen in writers.items()}
    write_result("answers", "wiki-mix", numbers)


if __name__ == "__main__":
    main()
