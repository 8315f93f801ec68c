"""The summary of an evaluation: its metrics, its slices, what failed and what was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from assay.evals.audit import Marks, shipped_cards
from assay.evals.cases import Case
from assay.evals.metrics.catalogue import measure_all
from assay.evals.metrics.gold import is_right
from assay.evals.metrics.metric import Metric
from assay.evals.results import CaseResult
from assay.evals.run_folder import Evaluation, read_cases, read_evaluation, read_results
from assay.types import Value

# The metrics by which slices are compared, and the slice that answerability makes.
HEADLINES = ("failed", "right", "wrong_shown", "recall@10", "citation_f1", "groundedness", "answer_rate")
ANSWERABILITY = "answerability"
# Failures and wrong answers that a report lists, and characters of a text in it (chosen); the folder has all.
MOST_LISTED, MOST_SHOWN = 50, 600


@dataclass(frozen=True, slots=True)
class Slice(Value):
    """The cases that share a value of a slice, and the means of their metrics; those not measured are left out."""

    name: str
    value: str
    cases: int
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Failure(Value):
    """A question whose asking ended with an error, its class and what it says."""

    case: str
    repeat: int
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class WrongResult(Value):
    """A result that is not right: what was asked, what would have been right, and what was said."""

    case: str
    question: str
    expected: str
    text: str
    outcome: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Summary(Value):
    """An evaluation in numbers; `asked` counts results of the `cases * repeats` that are due.

    `errors` counts the failures by class; `failures` and `wrong` list the first of them. `judge` says how the judge
    of claims, on whose verdicts groundedness rests, does on labelled claims; None where nobody measured it.
    """

    schema: ClassVar[str] = "assay-eval-summary/1"

    folder: str
    evaluation: Evaluation
    asked: int
    failed: int
    metrics: tuple[Metric, ...]
    slices: tuple[Slice, ...] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    wrong: tuple[WrongResult, ...] = ()
    judge: Marks | None = None

    @property
    def due(self) -> int:
        """Number of results of a complete evaluation."""
        return self.evaluation.cases * self.evaluation.repeats

    def metric(self, name: str) -> Metric:
        """The metric of this name; raises KeyError where there is none."""
        return {metric.name: metric for metric in self.metrics}[name]

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON types, metrics by name and without their values by case, which the folder has."""
        body = Value.to_dict(self)
        left_out = ("name", "per_case", "curve")
        metrics = {
            metric["name"]: {name: value for name, value in metric.items() if name not in left_out}
            for metric in body.pop("metrics")
        }
        return {"schema": self.schema, **body, "evaluation": self.evaluation.to_dict(), "metrics": metrics}


@dataclass(slots=True)
class _Listing:
    """Lists kept of the results while they pass by."""

    cases: Mapping[str, Case]
    asked: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    wrong: list[WrongResult] = field(default_factory=list)

    def passing(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """The results, each noted."""
        for result in results:
            self.asked += 1
            case = self.cases.get(result.case)
            if result.outcome is None:
                self.errors[result.error] += 1
                if len(self.failures) < MOST_LISTED:
                    self.failures.append(Failure(result.case, result.repeat, result.error, result.message))
            elif case is not None and len(self.wrong) < MOST_LISTED and is_right(case, result) is False:
                self.wrong.append(_wrong(case, result))
            yield result


def summarise(folder: Path) -> Summary:
    """The summary of the evaluation in a folder, finished or not.

    Results are read once and not kept. Raises UsageError where the folder contains no evaluation, and DamagedStore
    for a line that is no case or no result.
    """
    evaluation, cases = read_evaluation(folder), tuple(read_cases(folder))
    listing = _Listing({case.id: case for case in cases})
    metrics = measure_all(cases, listing.passing(read_results(folder)))
    return Summary(
        str(folder),
        evaluation,
        listing.asked,
        listing.errors.total(),
        metrics,
        slices_of(cases, metrics),
        dict(listing.errors.most_common()),
        tuple(listing.failures),
        tuple(listing.wrong),
        judge_of(evaluation),
    )


def judge_of(evaluation: Evaluation) -> Marks | None:
    """The marks of the judge of claims on labelled ones: those that ship, None for another checker or a model."""
    models = evaluation.models
    ships = models.get("checker") == "bundled" and "verifier" not in models
    return shipped_cards()["support"].all if ships else None


def slices_of(cases: Sequence[Case], metrics: Sequence[Metric]) -> tuple[Slice, ...]:
    """The slices of the cases with the means of the headline metrics, by name and value.

    Answerability makes a slice where the cases differ in it.
    """
    members: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        own = {} if case.answerability is None else {ANSWERABILITY: case.answerability.value}
        for key in {**own, **case.slices}.items():
            members.setdefault(key, []).append(case.id)
    kinds = Counter(name for name, _ in members)
    by_name = {metric.name: metric for metric in metrics}
    measured = [by_name[name] for name in HEADLINES if name in by_name and by_name[name].statistic == "mean"]
    return tuple(
        Slice(
            name,
            value,
            len(ids),
            {metric.name: mean for metric in measured if (mean := _mean(metric, ids)) is not None},
        )
        for (name, value), ids in sorted(members.items())
        if kinds[name] > 1 or name != ANSWERABILITY
    )


def _mean(metric: Metric, ids: Sequence[str]) -> float | None:
    values = [metric.per_case[key] for key in ids if key in metric.per_case]
    return fmean(values) if values else None


def _wrong(case: Case, result: CaseResult) -> WrongResult:
    nuggets = tuple(wordings[0] for wordings in case.nuggets)
    expected = " | ".join(case.answers or case.patterns or nuggets) or "no answer: the documents do not have it"
    outcome = "" if result.outcome is None else result.outcome.value
    return WrongResult(case.id, _cut(case.question), _cut(expected), _cut(result.text), outcome, result.run_id)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


# How values and heads are worded, the same in every report.


# The sign of the better direction.
ARROWS = {"higher": "↑", "lower": "↓", "neither": " "}
LEGEND = "↑ higher is better, ↓ lower is better"


def value_text(value: float | None, unit: str) -> str:
    """A metric's value in its unit.

    >>> value_text(0.91666, ""), value_text(12.4, "ms"), value_text(0.00012, "USD"), value_text(None, "")
    ('0.917', '12 ms', '$0.00012', '–')
    """
    if value is None:
        return "–"
    if unit == "ms":
        return f"{value:,.0f} ms"
    if unit == "USD":
        return f"${value:,.5f}"
    return f"{value:,.0f}" if unit == "tokens" else f"{value:.2f}" if unit == "count" else f"{value:.3f}"


def headline(summary: Summary) -> str:
    """The data set and settings, in one line."""
    about = summary.evaluation
    repeats = f", {about.repeats} times each" if about.repeats > 1 else ""
    where = f"collection {about.collection}" if about.collection else "passages of their own"
    return f"{about.cases} questions of {about.dataset}{repeats}; {where}; profile {about.profile}"


def state(summary: Summary) -> str:
    """Counts of what was asked and what failed, in one line."""
    left = summary.due - summary.asked
    waiting = f"; {left} not asked yet" if left > 0 else ""
    errors = ", ".join(f"{count} {name}" for name, count in summary.errors.items())
    failed = f"{summary.failed} failed ({errors})" if summary.failed else "none failed"
    return f"{summary.asked} asked, {failed}{waiting}"


def judge_text(summary: Summary) -> str:
    """Reliability of the groundedness, in one line; "" where it was not measured."""
    if summary.metric("groundedness").value is None:
        return ""
    marks = summary.judge
    if marks is None or marks.precision is None or marks.caught is None:
        return "groundedness is by verdicts of a judge that was not measured here: measure it with `assay audit`"
    return (
        f"groundedness is by assay's own verdicts: on {marks.n:,} labelled claims, {marks.precision:.0%} of those "
        f"that it called supported are, and it let {1 - marks.caught:.0%} of the false ones pass"
    )


def measured(summary: Summary) -> dict[str, list[Metric]]:
    """The metrics that have a value, by group."""
    groups: dict[str, list[Metric]] = {}
    for metric in summary.metrics:
        if metric.value is not None:
            groups.setdefault(metric.group, []).append(metric)
    return groups


def not_measured(summary: Summary) -> dict[str, list[str]]:
    """The names of the metrics without a value, by the cause."""
    causes: dict[str, list[str]] = {}
    for metric in summary.metrics:
        if metric.value is None:
            causes.setdefault(metric.cause, []).append(metric.name)
    return causes
