"""The reader alone on questions that it never saw: SQuAD 2.0's dev set, and the written questions held out.

    .venv/bin/python benchmarks/answers/reader.py [--limit N]

Exact match and F1 are SQuAD's (Rajpurkar et al. 2018, arXiv 1806.03822, section 5): over all questions, an empty
answer is right where there is none; the log odds from which on an answer is given are chosen on the same rows, as
the paper's "best" figures are. Beside it, over the answerable questions alone, and the AUROC of "does the passage
answer". The published figures beside which they stand are of networks that were trained on all of SQuAD 2.0.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import assay_models
import numpy as np
from written_questions import held_questions_with_passages

from assay.evals.metrics import auroc
from assay.models.reader import OnnxReader
from assay.types import PassageReading, TitledText

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import data_folder, write_result

READER = "minilm-l6-reader-int8"


def main() -> None:
    """Read, score, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=None)
    asked = parser.parse_args()
    reader = OnnxReader.load(assay_models.folder(READER))
    with gzip.open(data_folder() / "train" / "reader" / "squad2_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][: asked.limit]
    began = time.process_time()
    readings = [reader.read_now(row["question"], [TitledText("", row["passage"])])[0] for row in rows]
    spent = 1000 * (time.process_time() - began) / len(rows)
    figures = {"squad2_dev": squad(rows, readings) | {"CPU ms a pair": round(spent, 1)}}
    figures["written, held out"] = written(reader)
    if asked.limit is None:
        write_result("answers", "reader", figures)
    else:
        print(json.dumps(figures, indent=2))


def squad(rows: Sequence[dict], readings: Sequence[PassageReading]) -> dict[str, float]:
    """SQuAD's figures."""
    exact, shared, odds = [], [], []
    for row, reading in zip(rows, readings, strict=True):
        span = reading.spans[0]
        said = normal(row["passage"][span.start : span.end])
        golds = [normal(gold) for gold in row["answers"]] if row["answerable"] else [""]
        exact.append(said in golds)
        shared.append(max(overlap(said, gold) for gold in golds))
        odds.append(reading.answerable)
    there = np.array([row["answerable"] for row in rows], bool)
    right, close = np.array(exact, float), np.array(shared, float)
    order = np.argsort(-np.array(odds))
    # Answering the k likeliest: their scores, and one for each question without an answer that is left empty.
    best = {
        name: float(
            max((np.cumsum(score[order] * there[order]) + (~there).sum() - np.cumsum(~there[order])) / len(rows))
        )
        for name, score in (("exact", right), ("f1", close))
    }
    return {
        "n": len(rows),
        "exact, best": round(best["exact"], 3),
        "f1, best": round(best["f1"], 3),
        "exact, answerable": round(float(right[there].mean()), 3),
        "f1, answerable": round(float(close[there].mean()), 3),
        "auroc": round(auroc(odds, there.tolist()), 3),
    }


def written(reader: OnnxReader) -> dict[str, float]:
    """Does the passage answer, and yes or no, of the written questions held out."""
    odds, labels, polar = [], [], []
    for question, answer, title, text in held_questions_with_passages():
        (reading,) = reader.read_now(question.text, [TitledText(title, text)])
        if question.answerable != "half":
            odds.append(reading.answerable)
            labels.append(question.answerable == "full")
        said = re.match(r"\s*(yes|no)\b", answer, re.I)
        if said and question.answerable == "full":
            polar.append((said.group(1).lower(), reading.yes, reading.no))
    sure = [(gold, yes >= no) for gold, yes, no in polar if max(yes, no) >= 0.85]
    return {
        "n": len(labels),
        "auroc": round(auroc(odds, labels), 3),
        "yes or no: n": len(polar),
        "yes or no: said at .85": len(sure),
        "yes or no: right of those": round(float(np.mean([(gold == "yes") == yes for gold, yes in sure])), 3)
        if sure
        else 0.0,
    }


def normal(text: str) -> str:
    """SQuAD's normal form: lower case, no punctuation, no articles."""
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", re.sub(r"[^\w\s]", "", text.lower())).split())


def overlap(text: str, gold: str) -> float:
    """F1 over words."""
    if not text or not gold:
        return float(text == gold)
    one, other = text.split(), gold.split()
    same = sum((Counter(one) & Counter(other)).values())
    return 2 * same / (len(one) + len(other)) if same else 0.0


if __name__ == "__main__":
    main()
