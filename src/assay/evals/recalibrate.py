"""A collection's own calibration, from labels of its recorded answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from assay.calibration.fit import Fit, MadeFor, Measured
from assay.calibration.rightness import shipped_rightness, signal_of
from assay.calibration.shipped import shipped, weights_behind
from assay.errors import UsageError
from assay.evals.fitting import fit, measured
from assay.evals.labels_file import Labelled
from assay.nlp.tokens import words
from assay.records.figures import searches_of
from assay.records.labels import Labels
from assay.types import AnswerReading, Value

# How many of the collection's latest questions say how its evidence usually looks.
_COMPARED = 1000


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """A labelled answer as a calibration reads it.

    `origin` says what it came from, `score` is what a probability is read from and `gate` the sufficiency of its
    evidence, both 0 to 1; answers of one `group` answer questions of the same words. `searches` counts the
    rounds, and `is_read` says whether a reader read the answer as text.
    """

    label: Labelled
    run_id: str
    origin: MadeFor
    score: float
    gate: float
    group: str
    searches: int
    is_read: bool

    @classmethod
    def of(cls, labels: Labels, collection: str, row: Labelled, embedding: str) -> Self:
        """The answer that a label names; UsageError, naming the line, where it is none of the collection's."""
        answer = _answer(labels, collection, row)
        return cls(
            label=row,
            run_id=str(answer["run_id"]),
            origin=_origin(answer, embedding),
            score=_signal(answer),
            gate=float(answer["judgement"]["sufficiency"] or 0.0),
            group=" ".join(words(answer["question"])),
            searches=searches_of(answer),
            is_read=_is_read(answer["confidence"].get("reading")),
        )


@dataclass(frozen=True, slots=True)
class Recalibrated(Value):
    """A new calibration, and the error of the one in force on the same labels; None where that does not apply."""

    fit: Fit
    before: Measured | None


def recalibrate(labels: Labels, collection: str, rows: Sequence[Labelled], embedding: str) -> Recalibrated:
    """The calibration of the collection's labelled answers; `embedding` is the hash of its embedding model.

    UsageError, naming the line, for a run that is not there or comes twice, is of another collection, was not
    answered, or was answered by other parts than the first.
    """
    answers = [LabelledAnswer.of(labels, collection, row, embedding) for row in rows]
    _refuse_twice(rows, [answer.run_id for answer in answers])
    for answer in answers:
        other = answers[0].origin.differs(answer.origin)
        if other:
            raise _refused(answer.label, f"{other} answered it than the first one labelled")
    now = calibration_for(labels, collection, answers[0].origin)
    right = [row.right for row in rows]
    before = measured([now.probability(answer.score) for answer in answers], right) if now else None
    return Recalibrated(fit_answers(labels, collection, answers), before)


def fit_answers(labels: Labels, collection: str, answers: Sequence[LabelledAnswer]) -> Fit:
    """The calibration of answers that came from the same parts. Raises UsageError where none can be fitted."""
    gates = [answer.gate for answer in answers]
    try:
        return fit(
            "answers",
            f"{len(answers)} labelled answers of {collection}",
            answers[0].origin,
            [answer.score for answer in answers],
            [answer.label.right for answer in answers],
            [answer.group for answer in answers],
            gates=gates,
            reference=labels.store.latest_sufficiencies(collection, _COMPARED) or gates,
        )
    except ValueError as error:
        raise UsageError(
            f"no calibration can be fitted: {error}", hint="label answers to more different questions"
        ) from error


def calibration_for(labels: Labels, collection: str, origin: MadeFor) -> Fit | None:
    """The calibration that the collection uses for answers of this origin; None where it does not apply to them."""
    now = labels.store.calibration_in_use(collection).fit or shipped()["answers"]
    return now if now.made_for.differs(origin) is None else None


def _is_read(reading: Mapping[str, Any] | None) -> bool:
    """True if a reader read the answer as text; a quoted row of a table has thresholds of its own."""
    return reading is not None and reading.get("row") is None


def _refuse_twice(rows: Sequence[Labelled], runs: Sequence[str]) -> None:
    """Two lines may name one run, since the beginning of its id does."""
    first: dict[str, int] = {}
    for row, run in zip(rows, runs, strict=True):
        if run in first:
            raise _refused(row, f"run {run} is labelled in line {first[run]} already")
        first[run] = row.number


def _answer(labels: Labels, collection: str, row: Labelled) -> Mapping[str, Any]:
    try:
        record = labels.store.load(row.id)
    except UsageError as error:
        raise _refused(row, str(error)) from error
    if record.run.collection != collection:
        raise _refused(row, f"run {row.id} is of collection {record.run.collection}, not {collection}")
    if record.answer is None or record.answer["outcome"] not in ("answered", "partial"):
        raise _refused(row, f"run {row.id} has no answer")
    return record.answer


def _signal(answer: Mapping[str, Any]) -> float:
    """The signal that a probability of the answer is read from."""
    confidence, judgement = answer["confidence"], answer["judgement"]
    read = confidence.get("reading")
    reading = AnswerReading(**read) if read else None
    rightness, score = shipped_rightness(read=reading is not None), float(confidence["score"])
    return signal_of(rightness, score, judgement["relevance"], judgement["signals"], reading)[0]


def _origin(answer: Mapping[str, Any], embedding: str) -> MadeFor:
    models = answer["models"]
    judge = str(answer["mode_used"])
    return MadeFor(embedding, judge, models["writer"], models["verifier"], weights_behind("answers"))


def _refused(row: Labelled, what: str) -> UsageError:
    return UsageError(
        f"line {row.number}: {what}", hint="`assay show` lists the runs; correct the line, or take it out"
    )
