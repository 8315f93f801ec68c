"""From cases and results to metrics: what each result adds is a number or two, and all are read in one pass."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Protocol

import numpy as np

from assay.evals.cases import Case
from assay.evals.metrics.metric import Better, Metric, Statistic, Unit
from assay.evals.results import CaseResult

Score = Callable[[Case, CaseResult], float | None]
Pair = Callable[[Case, CaseResult], tuple[float, float] | None]
Points = tuple[tuple[float, float], ...]
_PERCENTILES: Mapping[Statistic, int] = {"p50": 50, "p95": 95, "p99": 99}


@dataclass(slots=True)
class Observed:
    """Observations of a measure: for each result that it is defined on, the case's place and one or two numbers."""

    places: array[int] = field(default_factory=lambda: array("l"))
    values: array[float] = field(default_factory=lambda: array("d"))
    others: array[float] = field(default_factory=lambda: array("d"))

    def add(self, place: int, value: float, other: float = 0.0) -> None:
        """Take what one result gave."""
        self.places.append(place)
        self.values.append(value)
        self.others.append(other)


class Measure(Protocol):
    """A measure of an evaluation: called with cases and results, it gives the metric."""

    @property
    def name(self) -> str:
        """The metric's name."""
        ...

    def observe(self, place: int, case: Case, result: CaseResult, observed: Observed) -> None:
        """Add what a result says; `place` is that of its case."""
        ...

    def metric(self, ids: Sequence[str], observed: Observed) -> Metric:
        """The metric of what was observed; `ids` are those of the cases by place."""
        ...

    def __call__(self, cases: Iterable[Case], results: Iterable[CaseResult]) -> Metric:
        """The metric over results of these cases; results of other cases are passed over."""
        ...


def everywhere(_case: Case) -> bool:
    """Every case has what is needed."""
    return True


@dataclass(frozen=True, slots=True)
class MeanMeasure:
    """The mean, or a percentile, of a score over the cases, each case's own being the mean over its repeats.

    `score` is None where it is not defined for a result. A failed result of a case that `applies` counts as
    `failed`, None for measures of what was used or took place. `repeats` puts the scores of one case together;
    where that gives None, the case is left out. `cause` says why there is no value where no result had a score.
    """

    name: str
    group: str
    score: Score
    cause: str
    applies: Callable[[Case], bool] = everywhere
    failed: float | None = 0.0
    better: Better = "higher"
    unit: Unit = ""
    statistic: Statistic = "mean"
    repeats: Callable[[Sequence[float]], float | None] = fmean

    def observe(self, place: int, case: Case, result: CaseResult, observed: Observed) -> None:
        """Add the score of the result."""
        if not self.applies(case):
            return
        value = self.failed if result.outcome is None else self.score(case, result)
        if value is not None:
            observed.add(place, value)

    def metric(self, ids: Sequence[str], observed: Observed) -> Metric:
        """The mean or percentile of the cases' scores."""
        by_case: dict[int, list[float]] = {}
        for place, value in zip(observed.places, observed.values, strict=True):
            by_case.setdefault(place, []).append(value)
        together = ((place, self.repeats(scores)) for place, scores in sorted(by_case.items()))
        per_case = {ids[place]: mean for place, mean in together if mean is not None}
        return Metric(
            self.name,
            _summary(self.statistic, list(per_case.values())) if per_case else None,
            len(per_case),
            "" if per_case else self.cause,
            per_case,
            self.better,
            self.unit,
            self.statistic,
            self.group,
        )

    def __call__(self, cases: Iterable[Case], results: Iterable[CaseResult]) -> Metric:
        """The metric over results of these cases."""
        return measure(cases, results, (self,))[0]


@dataclass(frozen=True, slots=True)
class PairMeasure:
    """A statistic of pairs of numbers, one of each result, such as a score and whether the answer was right.

    `pair` gives them, None where it is not defined; it sees failed results too. `combine` gives the value and
    raises ValueError with the cause where there is none; `curve` gives points to plot.
    """

    name: str
    group: str
    pair: Pair
    combine: Callable[[Sequence[float], Sequence[bool]], float]
    cause: str
    curve: Callable[[Sequence[float], Sequence[bool]], Points] | None = None
    better: Better = "higher"

    def observe(self, place: int, case: Case, result: CaseResult, observed: Observed) -> None:
        """Add the pair of the result."""
        found = self.pair(case, result)
        if found is not None:
            observed.add(place, *found)

    def metric(self, ids: Sequence[str], observed: Observed) -> Metric:
        """The statistic of the pairs."""
        n, labels = len(set(observed.places)), [label > 0 for label in observed.others]
        metric = Metric(self.name, None, n, self.cause, better=self.better, statistic="other", group=self.group)
        if not n:
            return metric
        try:
            value = self.combine(observed.values, labels)
        except ValueError as error:
            return replace(metric, cause=str(error))
        return replace(
            metric, value=value, cause="", curve=self.curve(observed.values, labels) if self.curve else ()
        )

    def __call__(self, cases: Iterable[Case], results: Iterable[CaseResult]) -> Metric:
        """The metric over results of these cases."""
        return measure(cases, results, (self,))[0]


def measure(
    cases: Iterable[Case], results: Iterable[CaseResult], measures: Sequence[Measure]
) -> tuple[Metric, ...]:
    """The metrics of results, read once; of a case and repeat that comes twice, the first counts.

    Results of cases that are not given are passed over, so that some of the cases make a slice. Raises nothing: a
    metric without a value has the cause.
    """
    known = {case.id: (place, case) for place, case in enumerate(cases)}
    ids = list(known)
    observed = [Observed() for _ in measures]
    seen: set[tuple[int, int]] = set()
    for result in results:
        place, case = known.get(result.case, (-1, None))
        if case is None or (place, result.repeat) in seen:
            continue
        seen.add((place, result.repeat))
        for one, gathered in zip(measures, observed, strict=True):
            one.observe(place, case, result, gathered)
    return tuple(one.metric(ids, gathered) for one, gathered in zip(measures, observed, strict=True))


def _summary(statistic: Statistic, values: Sequence[float]) -> float:
    """The mean or the percentile, by linear interpolation (Hyndman and Fan 1996, type 7)."""
    percent = _PERCENTILES.get(statistic)
    return fmean(values) if percent is None else float(np.percentile(values, percent))
