"""Whole asks without a model: fits `rightness.json`, and keeps `answers`, `asked` and `searched` in the cache.

    .venv/bin/python benchmarks/calibration/answers.py             # all sets, a quarter of an hour
    .venv/bin/python benchmarks/calibration/answers.py written     # only those that the weights are fitted on

Fitted on the written questions that the reader never saw, asked over all written passages: natural questions over
texts of four genres; and on the held-out questions over whole documents (models/data/asked; ASSAY_ASKED_SETS names
the folder of these). Never fitted on: the questions over the large collection wiki-mix, and those of clapnq,
hotpot100, musique100, rgb-en and realtimeqa over their own passages as small collections. An answer is right where
it shows a gold, or quotes a sentence that people marked as answering (docs/decisions/150); none is right where the
passages do not answer.

*answers*: of the questions that were answered, the signal by weights that saw no question of its fold, and whether
the answer is right. *asked*: of all questions, the sufficiency of what was found, and whether an answer is among
*answers*. *searched*: of wiki-mix, that sufficiency and whether the collection has the answer. All by the shipped
program; its judge's five weights were fitted on the evidence sets that the fitted questions are from.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
import asked_questions
from answers_data import Asked, gold_share, questions, read_lines, shows_gold
from natural import NaturalQuestion, shows
from pipeline import engine
from real_collections import collection
from scipy.optimize import minimize
from scored import KEPT_OUT, Scored, keep
from written_questions import held_questions, written_collection

from assay.calibration.rightness import FEATURES, Rightness, features
from assay.engine import Engine
from assay.evals.fitting import fold_of
from assay.nlp.tokens import words
from assay.types import Answer, Outcome
from assay.wiring import open_engine

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT, data_folder, revision

TARGET = ROOT / "src" / "assay" / "calibration" / "rightness.json"
# Sets whose questions are asked over their own passages.
SMALL = ("clapnq", "hotpot100", "musique100", "rgb-en", "realtimeqa")
# Sets of natural questions, which the weights and the bars are fitted on.
NATURAL = ("written", "asked")
# How strongly the weights are held near 0.
PENALTY = 1.0
# Of the answers shown to questions that have one, at most this share may be wrong and marked; of the questions that
# have none, at most this share may be marked. Words that no pattern foresaw count as wrong here: 10 of 26 such
# answers do answer, read by a person. Below the bar `no`, at most this share of the answers is right.
MARKED_WRONG, MARKED_LACKING, RIGHT_UNDER, LEAST_UNDER = 0.045, 0.045, 0.08, 12
# The share of a marked sentence's content words that an answer must have to quote it.
QUOTED = 0.8


@dataclass(frozen=True)
class Row:
    """One question that was asked, with its answer, and whether that is right."""

    asked: Asked
    answer: Answer
    right: bool

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
        """Whether there is an answer that claims something and was read."""
        answered = self.answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
        return answered and bool(self.answer.claims) and self.answer.confidence.reading is not None

    @property
    def signals(self) -> dict[str, float]:
        """What the weights are for."""
        judgement, confidence = self.answer.judgement, self.answer.confidence
        return features(confidence.score, judgement.relevance, judgement.signals, confidence.reading)


def row(asked: Asked, answer: Answer) -> Row:
    """A question of the evidence sets with its answer."""
    right = bool(asked.golds) and (
        shows_gold(answer.text, asked.golds)
        or any(gold_share(answer.text, each) >= QUOTED for each in marked().get(asked.text, ()))
    )
    return Row(asked, answer, right)


@lru_cache(maxsize=1)
def marked() -> Mapping[str, tuple[str, ...]]:
    """The sentences that people marked as answering, by question; golds of many sentences are compared by them."""
    rows = read_lines(data_folder() / "dev" / "clapnq" / "evidence.jsonl")
    return {str(row["query"]): tuple(row["gold_sentences"]) for row in rows if row["sufficient"]}  # type: ignore[arg-type]


def over_one(asked: Sequence[Asked]) -> list[Row]:
    """Each question asked over wiki-mix."""
    with engine() as opened:
        return [row(each, opened.ask(each.text)) for each in asked]


def over_their_own(name: str) -> Iterator[Row]:
    """Each question of a set asked over its own passages."""
    with tempfile.TemporaryDirectory() as folder:
        for n, one in enumerate(read_lines(data_folder() / "dev" / name / "evidence.jsonl")):
            corpus = Path(folder) / f"{n}.jsonl"
            passages = [{"title": "", **each} for each in one["passages"]]  # type: ignore[attr-defined]
            lines = (json.dumps({key: each[key] for key in ("id", "title", "text")}) for each in passages)
            corpus.write_text("\n".join(lines))
            golds = tuple(map(str, one["answer"])) if one["sufficient"] else ()  # type: ignore[call-overload]
            asked = Asked(str(one["id"]), str(one["query"]), str(one["group"]), name, golds)
            with open_engine(data_dir=Path(folder) / "data", collection=f"c{n}") as opened:
                opened.add([corpus])
                yield row(asked, opened.ask(asked.text))


def over_passages() -> Iterator[Row]:
    """The written questions that the reader never saw, asked over all written passages."""
    with written_collection() as opened:
        yield from naturally_asked(opened, held_questions(), "written")


def over_documents() -> Iterator[Row]:
    """The held-out questions over whole documents, each set a collection."""
    sets, questions = asked_questions.sets_folder(), list(asked_questions.held_questions())
    for name in asked_questions.HELD:
        with collection(name, sets / name) as opened:
            yield from naturally_asked(opened, (each for each in questions if each.collection == name), "asked")


def naturally_asked(opened: Engine, questions: Iterable[NaturalQuestion], source: str) -> Iterator[Row]:
    """Each question that has an answer, or none, asked of a collection."""
    for each in questions:
        if each.answerable == "half":  # neither right nor wrong
            continue
        answer, golds = opened.ask(each.text), each.must
        asked = Asked(each.id, each.text, each.id, source, golds)
        yield Row(asked, answer, each.answerable != "none" and shows(answer.text, each.must))


def weights_of(rows: Sequence[Row]) -> Rightness:
    """The weights by logistic regression; none can be negative, so that a better sign never tells against."""
    names = tuple(FEATURES)
    matrix = np.array([[each.signals.get(name, 0.0) for name in names] for each in rows])
    labels = np.array([each.right for each in rows], float)

    def loss(point: np.ndarray) -> float:
        raw = matrix @ point[:-1] + point[-1]
        return float((np.logaddexp(0, raw) - labels * raw).sum() + 0.5 * PENALTY * point[:-1] @ point[:-1])

    bounds = [(0.0, None)] * len(names) + [(None, None)]
    found = minimize(loss, np.zeros(len(names) + 1), method="L-BFGS-B", bounds=bounds).x
    weights = {name: round(float(each), 4) for name, each in zip(names, found, strict=False)}
    return Rightness(weights, round(float(found[-1]), 4), 1.0, 0.0)


def with_bars(weights: Rightness, signals: Sequence[float], rows: Sequence[Row], unanswerable: int) -> Rightness:
    """The weights with the signals from which on an answer counts as answering, or as not.

    `yes` is the least at which few of the answers shown are wrong and marked, and few of the `unanswerable`
    questions that were asked are; `no` the greatest below which hardly any answer is right.
    """
    signals_of = np.array(signals)
    right = np.array([each.right for each in rows])
    lacking = np.array([not each.asked.golds for each in rows])
    yes = 1.0
    for bar in sorted(set(signals_of.round(3)), reverse=True):
        over = signals_of >= bar
        wrong = (over & ~right & ~lacking).sum() / max(1, (~lacking).sum())
        if wrong > MARKED_WRONG or (over & lacking).sum() / unanswerable > MARKED_LACKING:
            break
        yes = float(bar)
    no = 0.0
    for bar in sorted(set(signals_of.round(3))):
        under = signals_of <= bar
        if under.sum() >= LEAST_UNDER and right[under].mean() > RIGHT_UNDER:
            break
        no = float(bar)
    return replace(weights, yes=round(yes, 3), no=round(no, 3))


def signalled(sets: Mapping[str, Sequence[Row]], unanswerable: int) -> tuple[dict[str, Scored], Rightness]:
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
    natural = [name for name in NATURAL if name in sets]
    signals = [float(signal) for name in natural for signal in found[name].scores]
    return found, with_bars(ours, signals, [each for name in natural for each in sets[name]], unanswerable)


def _signal(weights: Rightness, row: Row) -> float:
    return weights.of(row.signals)


def _judged(rows: Sequence[Row], happened: Sequence[bool]) -> Scored:
    return _scored(rows, [each.sufficiency for each in rows], happened)


def _scored(rows: Sequence[Row], scores: Sequence[float], happened: Sequence[bool]) -> Scored:
    return Scored(np.array(scores), np.array(happened, dtype=bool), tuple(each.group for each in rows))


def main() -> None:
    """Ask the sets that are named, or all, fit, write."""
    chosen = sys.argv[1:] or [*NATURAL, "wiki-mix", *SMALL]
    asking = {"written": over_passages, "asked": over_documents, "wiki-mix": lambda: over_one(questions())}
    with nothing_declined():
        sets = {name: list(asking.get(name, partial(over_their_own, name))()) for name in chosen}
    write(sets)


@contextmanager
def nothing_declined() -> Iterator[None]:
    """The shipped bar `no` is 0 for so long: a bar fitted on what an older one let through would only ever rise."""
    shipped = TARGET.read_text()
    body = json.loads(shipped)
    body["read"]["no"] = 0.0
    TARGET.write_text(json.dumps(body, indent=2) + "\n")
    try:
        yield
    finally:
        TARGET.write_text(shipped)


def write(sets: Mapping[str, Sequence[Row]]) -> None:
    """Fit the weights and the bars, and keep the scores of each set."""
    unanswerable = sum(not each.asked.golds for name in NATURAL for each in sets.get(name, ()))
    rated = {name: [each for each in rows if each.rated] for name, rows in sets.items()}
    found, weights = signalled(rated, unanswerable)
    rows_of = {name: len(each.scores) for name, each in found.items() if name not in KEPT_OUT["answers"]}
    provenance = {
        "made_by": "benchmarks/calibration/answers.py",
        "date": datetime.now(UTC).date().isoformat(),
        "revision": revision(),
        "trained_on": rows_of,
    }
    plain = json.loads(TARGET.read_text())["plain"]
    TARGET.write_text(json.dumps(provenance | {"plain": plain, "read": asdict(weights)}, indent=2) + "\n")
    keep("answers", found)
    keep("asked", {name: _judged(rows, [each.rated for each in rows]) for name, rows in sets.items()})
    if "wiki-mix" in sets:
        large = sets["wiki-mix"]
        searched = _judged(large, [bool(each.asked.golds) for each in large])
        keep("searched", {"wiki-mix": replace(searched, groups=tuple(each.asked.group for each in large))})
    print(weights)


if __name__ == "__main__":
    main()
