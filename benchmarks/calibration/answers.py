"""Whole asks without a model: fits `rightness.json`, and keeps `answers`, `asked` and `searched` in the cache.

    .venv/bin/python benchmarks/calibration/answers.py

A question is asked over the large collection wiki-mix, or over its own passages as a small collection (clapnq,
hotpot100, musique100; never fitted on: rgb-en, rgb-en-fact, realtimeqa, evotemp). An answer is right where it shows
a gold, or quotes a sentence that people marked as answering (docs/decisions/150); none is right where the passages
do not answer.

*answers*: of the questions that were answered, the signal by weights that saw no question of its fold, and whether
the answer is right. *asked*: of all questions, the sufficiency of what was found, and whether an answer is among
*answers*. *searched*: of wiki-mix, that sufficiency and whether the collection has the answer. All by the shipped
program; its judge's five weights were fitted on the evidence sets that the fitted questions are from.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import Asked, gold_share, questions, read_lines, shows_gold
from pipeline import engine
from scored import KEPT_OUT, Scored, keep
from sklearn.linear_model import LogisticRegression

from assay.build import open_engine
from assay.calibration.curves import log_odds
from assay.calibration.rightness import Rightness, stands_out
from assay.evals.fitting import fold_of
from assay.text.tokens import words
from assay.types import Answer, Outcome

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT, data_folder, revision

TARGET = ROOT / "src" / "assay" / "calibration" / "rightness.json"
# Sets whose questions are asked over their own passages.
SMALL = ("clapnq", "hotpot100", "musique100", *KEPT_OUT["answers"])
# The share of a marked sentence's content words that an answer must have to quote it.
QUOTED = 0.8


@dataclass(frozen=True)
class Row:
    """One question that was asked, with its answer."""

    asked: Asked
    answer: Answer

    @property
    def group(self) -> str:
        """The question's words: it is asked of large and small collections."""
        return " ".join(words(self.asked.text))

    @property
    def sufficiency(self) -> float:
        """How far what was found suffices."""
        return self.answer.judgement.sufficiency or 0.0

    @property
    def rated(self) -> bool:
        """Whether there is an answer that claims something."""
        return self.answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL) and bool(self.answer.claims)

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return bool(self.asked.golds) and (
            shows_gold(self.answer.text, self.asked.golds)
            or any(gold_share(self.answer.text, each) >= QUOTED for each in marked().get(self.asked.text, ()))
        )

    @property
    def signals(self) -> tuple[float, float]:
        """What the weights are for."""
        return log_odds(self.answer.confidence.score), stands_out(self.answer.judgement.relevance)


@lru_cache(maxsize=1)
def marked() -> Mapping[str, tuple[str, ...]]:
    """The sentences that people marked as answering, by question; golds of many sentences are compared by them."""
    rows = read_lines(data_folder() / "dev" / "clapnq" / "evidence.jsonl")
    return {str(row["query"]): tuple(row["gold_sentences"]) for row in rows if row["sufficient"]}  # type: ignore[arg-type]


def over_one(asked: Sequence[Asked]) -> list[Row]:
    """Each question asked over wiki-mix."""
    with engine() as opened:
        return [Row(each, opened.ask(each.text)) for each in asked]


def over_their_own(name: str) -> Iterator[Row]:
    """Each question of a set asked over its own passages."""
    with tempfile.TemporaryDirectory() as folder:
        for n, row in enumerate(read_lines(data_folder() / "dev" / name / "evidence.jsonl")):
            corpus = Path(folder) / f"{n}.jsonl"
            passages = [{"title": "", **each} for each in row["passages"]]  # type: ignore[attr-defined]
            lines = (json.dumps({key: each[key] for key in ("id", "title", "text")}) for each in passages)
            corpus.write_text("\n".join(lines))
            golds = tuple(map(str, row["answer"])) if row["sufficient"] else ()  # type: ignore[call-overload]
            asked = Asked(str(row["id"]), str(row["query"]), str(row["group"]), name, golds)
            with open_engine(data_dir=Path(folder) / "data", collection=f"c{n}") as opened:
                opened.add([corpus])
                yield Row(asked, opened.ask(asked.text))


def weights_of(rows: Sequence[Row]) -> Rightness:
    """The weights by logistic regression, without a penalty: two for hundreds of rows."""
    model = LogisticRegression(C=np.inf).fit([each.signals for each in rows], [each.right for each in rows])
    score, standing = (round(float(each), 4) for each in model.coef_[0])
    return Rightness(score, standing, round(float(model.intercept_[0]), 4))


def signalled(sets: Mapping[str, Sequence[Row]]) -> tuple[dict[str, Scored], Rightness]:
    """The signal of every answer by weights that saw nothing of its fold, and those of all that may be seen."""
    seen = [each for name, rows in sets.items() if name not in KEPT_OUT["answers"] for each in rows]
    folds = {fold_of(each.group) for each in seen}
    without = {fold: weights_of([each for each in seen if fold_of(each.group) != fold]) for fold in folds}
    ours = weights_of(seen)
    found = {}
    for name, rows in sets.items():
        by = (ours if name in KEPT_OUT["answers"] else without[fold_of(each.group)] for each in rows)
        scores = [_signal(weights, each) for weights, each in zip(by, rows, strict=True)]
        found[name] = _scored(rows, scores, [each.right for each in rows])
    return found, ours


def _signal(weights: Rightness, row: Row) -> float:
    return weights.of(row.answer.confidence.score, row.answer.judgement.relevance)


def _judged(rows: Sequence[Row], happened: Sequence[bool]) -> Scored:
    return _scored(rows, [each.sufficiency for each in rows], happened)


def _scored(rows: Sequence[Row], scores: Sequence[float], happened: Sequence[bool]) -> Scored:
    return Scored(np.array(scores), np.array(happened, dtype=bool), tuple(each.group for each in rows))


def main() -> None:
    """Ask everything, fit, write."""
    large = over_one(questions())
    sets = {"wiki-mix": large} | {name: list(over_their_own(name)) for name in SMALL}
    found, weights = signalled({name: [each for each in rows if each.rated] for name, rows in sets.items()})
    rows_of = {name: len(each.scores) for name, each in found.items() if name not in KEPT_OUT["answers"]}
    provenance = {
        "made_by": "benchmarks/calibration/answers.py",
        "date": datetime.now(UTC).date().isoformat(),
        "revision": revision(),
        "trained_on": rows_of,
    }
    TARGET.write_text(json.dumps(provenance | {"weights": asdict(weights)}, indent=2) + "\n")
    keep("answers", found)
    keep("asked", {name: _judged(rows, [each.rated for each in rows]) for name, rows in sets.items()})
    searched = _judged(large, [bool(each.asked.golds) for each in large])
    keep("searched", {"wiki-mix": replace(searched, groups=tuple(each.asked.group for each in large))})
    print(weights)


if __name__ == "__main__":
    main()
