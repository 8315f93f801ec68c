"""The comparison of two systems, or two evaluation folders, on the same cases, and whether it passes a gate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from assay.errors import UsageError
from assay.evals.cases import Case
from assay.evals.gate import ALPHA, FEWEST_PAIRS, Gate, GatedPairs, Requirement, require_gateable, rule
from assay.evals.metrics.catalogue import MEASURES
from assay.evals.metrics.measure import Measure, measure
from assay.evals.metrics.metric import Better, Metric, Statistic
from assay.evals.results import CaseResult
from assay.evals.run_folder import Evaluation, read_cases, read_evaluation, read_results
from assay.evals.statistics import PairedTest, difference_interval, holm, paired_test, statistic_of
from assay.types import Change, Value

# Cases of a metric that are named, those that lost most first (chosen).
_NAMED = 20
Effect = Literal["better", "worse", "changed", "unclear", "same", "unknown"]
Slices = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class CaseChange(Value):
    """The values of one case in the first and in the second system."""

    case: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class SliceChange(Value):
    """A metric on the `n` pairs of one slice; of fewer than 5 pairs there is no figure, and all is None."""

    key: str
    value: str
    n: int
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class MetricChange(Value):
    """A metric in both systems, on the `n` cases that have it in both.

    `difference` is the second value less the first, `low` to `high` its interval of 95 %. `p` is two-sided and by
    `test`; `adjusted` is the same corrected for the number of metrics that moved (Holm). The `effect` is better or
    worse where `adjusted` is at most .05, changed where neither way is better, same where no case differs, unclear
    where chance may explain the difference, and unknown where `cause` says why nothing can be said. `unpaired`
    counts the cases that have the metric in one system only. `lost` are the cases that lost most, at most 20.
    """

    name: str
    group: str
    unit: str
    better: Better
    statistic: Statistic
    n: int
    effect: Effect
    cause: str = ""
    unpaired: int = 0
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    test: str = ""
    p: float | None = None
    adjusted: float | None = None
    slices: tuple[SliceChange, ...] = ()
    lost: tuple[CaseChange, ...] = ()


@dataclass(frozen=True, slots=True)
class OutcomeChange(Value):
    """Number of results that ended so in the first system and in the second; an error's outcome is "failed"."""

    first: str
    second: str
    n: int


@dataclass(frozen=True, slots=True)
class LeftOut(Value):
    """A case that could not be compared, and why."""

    case: str
    why: str


@dataclass(frozen=True, slots=True)
class Comparison(Value):
    """Two systems on the same cases.

    `first` and `second` name them, and `settings` are what differs in how they were set up. `cases` counts the
    cases that both were asked; `left_out` are the others. `outcomes` are the pairs of outcomes, the most frequent
    first. `gate` is None where nothing was required.
    """

    schema: ClassVar[str] = "assay-compare/1"

    first: str
    second: str
    settings: tuple[Change, ...]
    cases: int
    left_out: tuple[LeftOut, ...]
    outcomes: tuple[OutcomeChange, ...]
    metrics: tuple[MetricChange, ...]
    gate: Gate | None = None

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON types, `schema` first."""
        return {"schema": self.schema, **Value.to_dict(self)}

    def named(self, effect: Effect) -> tuple[str, ...]:
        """The names of the metrics of one effect, in order."""
        return tuple(metric.name for metric in self.metrics if metric.effect == effect)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A metric on the cases that both systems have it for."""

    first: Metric
    second: Metric
    cases: tuple[str, ...]

    @property
    def values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        one, other = self.first.per_case, self.second.per_case
        return tuple(float(one[case]) for case in self.cases), tuple(float(other[case]) for case in self.cases)


def compare(
    names: tuple[str, str],
    settings: Sequence[Change],
    cases: Sequence[Case],
    first: Sequence[CaseResult],
    second: Sequence[CaseResult],
    *,
    requirements: Sequence[Requirement] = (),
    measures: Sequence[Measure] = MEASURES,
    left_out: Sequence[LeftOut] = (),
) -> Comparison:
    """Compare two systems by their results on the cases that both were asked.

    A case that one of them was not asked is added to `left_out`. Raises UsageError where no case is left, and for a
    requirement that cannot be held against the measures.
    """
    asked, asked_too = {result.case for result in first}, {result.case for result in second}
    both = [case for case in cases if case.id in asked and case.id in asked_too]
    if not both:
        raise UsageError(
            f"{names[0]} and {names[1]} have no case in common",
            hint="evaluate both on the same cases, and compare again",
        )
    alone = [
        LeftOut(case.id, f"no result in {' and in '.join(missing)}")
        for case in cases
        if (missing := [name for name, ids in zip(names, (asked, asked_too), strict=True) if case.id not in ids])
    ]
    slices = {case.id: case.slices for case in both}
    changes, gate = compare_metrics(
        measure(both, first, measures), measure(both, second, measures), slices, requirements
    )
    return Comparison(
        *names,
        tuple(settings),
        len(both),
        (*left_out, *alone),
        _outcome_changes(first, second),
        changes,
        gate,
    )


def require_measurable(requirements: Sequence[Requirement], measures: Sequence[Measure] = MEASURES) -> None:
    """Raise UsageError for a requirement that cannot be held against the measures, before anything is asked."""
    require_gateable(requirements, {metric.name: metric for metric in measure((), (), measures)})


def _outcome_changes(first: Sequence[CaseResult], second: Sequence[CaseResult]) -> tuple[OutcomeChange, ...]:
    """The pairs of outcomes over the cases and repeats that both systems have."""
    before = {(result.case, result.repeat): result for result in first}
    pairs = Counter(
        (_outcome(before[key]), _outcome(result))
        for result in second
        if (key := (result.case, result.repeat)) in before
    )
    return tuple(OutcomeChange(*pair, n) for pair, n in pairs.most_common())


def _outcome(result: CaseResult) -> str:
    return "failed" if result.outcome is None else result.outcome.value


def compare_metrics(
    first: Sequence[Metric], second: Sequence[Metric], slices: Slices, requirements: Sequence[Requirement] = ()
) -> tuple[tuple[MetricChange, ...], Gate | None]:
    """Each metric in both systems, which have the same metrics in the same order; the gate if anything is required.

    `slices` has the slices of each case by its id. Raises UsageError for a requirement that cannot be held against
    these metrics.
    """
    require_gateable(requirements, {metric.name: metric for metric in second})
    pairs = {
        one.name: _Pairs(one, other, tuple(case for case in one.per_case if case in other.per_case))
        for one, other in zip(first, second, strict=True)
    }
    tests = {
        name: paired_test(*of.values, of.first.statistic)
        for name, of in pairs.items()
        if of.first.statistic != "other" and len(of.cases) >= FEWEST_PAIRS
    }
    # A metric that no case differs in cannot be called different by chance, and so counts for none of several.
    moved = {name: test.either for name, test in tests.items() if pairs[name].values[0] != pairs[name].values[1]}
    adjusted = dict(zip(moved, holm(list(moved.values())), strict=True))
    changes = tuple(_change(of, tests.get(name), adjusted.get(name, 1.0), slices) for name, of in pairs.items())
    if not requirements:
        return changes, None
    gated = {one.metric for one in requirements} & tests.keys()
    return changes, rule(requirements, {name: _gated(pairs[name], tests[name]) for name in gated})


def _gated(pairs: _Pairs, test: PairedTest) -> GatedPairs:
    first, second = pairs.values
    statistic = pairs.first.statistic
    return GatedPairs(
        first, second, statistic_of(first, statistic), statistic_of(second, statistic), test, statistic == "mean"
    )


def _change(pairs: _Pairs, test: PairedTest | None, adjusted: float, slices: Slices) -> MetricChange:
    """The change of a metric."""
    metric, n = pairs.first, len(pairs.cases)
    about = (metric.name, metric.group, metric.unit, metric.better, metric.statistic, n)
    unpaired = len(pairs.first.per_case) + len(pairs.second.per_case) - 2 * n
    if test is None:
        return MetricChange(*about, "unknown", _cause(pairs), unpaired, *_values(pairs))
    first, second = pairs.values
    low, high = difference_interval(first, second, metric.statistic)
    one, other = statistic_of(first, metric.statistic), statistic_of(second, metric.statistic)
    return MetricChange(
        *about,
        _effect(first == second, other - one, adjusted, metric.better),
        unpaired=unpaired,
        first=one,
        second=other,
        difference=other - one,
        low=low,
        high=high,
        test=test.name,
        p=test.either,
        adjusted=adjusted,
        slices=_slice_changes(pairs, slices),
        lost=_lost(pairs, metric.better),
    )


def _cause(pairs: _Pairs) -> str:
    """The cause of a comparison without a verdict."""
    if pairs.first.value is None and pairs.second.cause == pairs.first.cause:
        return pairs.first.cause
    for side, metric in (("first", pairs.first), ("second", pairs.second)):
        if metric.value is None:
            return f"the {side} has none: {metric.cause}"
    if pairs.first.statistic == "other":
        return "a figure of all cases together"
    return f"{len(pairs.cases)} pairs are too few"


def _values(pairs: _Pairs) -> tuple[float | None, float | None, float | None]:
    """Both values and their difference, of a metric that is a figure of all cases together."""
    one, other = pairs.first.value, pairs.second.value
    if pairs.first.statistic != "other":
        return None, None, None
    return one, other, None if one is None or other is None else other - one


def _effect(same: bool, difference: float, adjusted: float, better: Better) -> Effect:
    """The effect by the test."""
    if same:
        return "same"
    if adjusted > ALPHA:
        return "unclear"
    if better == "neither":
        return "changed"
    return "better" if (difference > 0) == (better == "higher") else "worse"


def _slice_changes(pairs: _Pairs, slices: Slices) -> tuple[SliceChange, ...]:
    """The metric by slice; a slice that all pairs are in says nothing of its own."""
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, case in enumerate(pairs.cases):
        for item in slices.get(case, {}).items():
            found[item].append(place)
    first, second = pairs.values
    changes = []
    for (key, value), places in sorted(found.items()):
        if len(places) == len(pairs.cases):
            continue
        if len(places) < FEWEST_PAIRS:
            changes.append(SliceChange(key, value, len(places)))
            continue
        some, others = [first[place] for place in places], [second[place] for place in places]
        statistic = pairs.first.statistic
        one, other = statistic_of(some, statistic), statistic_of(others, statistic)
        interval = difference_interval(some, others, statistic)
        changes.append(SliceChange(key, value, len(places), one, other, other - one, *interval))
    return tuple(changes)


def _lost(pairs: _Pairs, better: Better) -> tuple[CaseChange, ...]:
    """The cases that the second system is worse on, the worst first."""
    if better == "neither":
        return ()
    sign = 1 if better == "higher" else -1
    changes = [CaseChange(*row) for row in zip(pairs.cases, *pairs.values, strict=True)]
    worse = [change for change in changes if sign * (change.first - change.second) > 0]
    return tuple(sorted(worse, key=lambda change: sign * (change.second - change.first))[:_NAMED])


# What two evaluations of one data set may differ in without being set up otherwise.
_NO_SETTING = frozenset({"schema", "dataset", "shape", "dataset_sha256", "cases", "started"})


def compare_folders(first: Path, second: Path, requirements: Sequence[Requirement] = ()) -> Comparison:
    """Compare two evaluations of the same data set.

    Raises UsageError for a folder without an evaluation, two data sets, or requirements that cannot be held against
    these evaluations, also where one of them has no result of some cases; and DamagedStore for a folder that cannot
    be read.
    """
    before, after = read_evaluation(first), read_evaluation(second)
    if before.dataset_sha256 != after.dataset_sha256:
        changed = (
            f"{before.dataset} changed between them"
            if before.dataset == after.dataset
            else (f"they asked {before.dataset} and {after.dataset}")
        )
        raise UsageError(
            f"{first} and {second} are evaluations of different data sets: {changed}",
            hint="run `assay eval` with both versions on the same file, and compare those folders",
        )
    cases = {case.id: case for folder in (first, second) for case in read_cases(folder)}
    found = compare(
        (str(first), str(second)),
        settings_changes(before, after),
        tuple(cases.values()),
        tuple(read_results(first)),
        tuple(read_results(second)),
        requirements=requirements,
    )
    if requirements and found.left_out:  # what was not asked could hide what the gate is there to find
        missing = found.left_out[0]
        raise UsageError(
            f"a gate needs all questions: {len(found.left_out)} of {len(cases)} are missing on a side; of "
            f"{missing.case} there is {missing.why}",
            hint="finish the evaluation: the same `assay eval` with the same --out goes on where it was",
        )
    return found


def settings_changes(before: Evaluation, after: Evaluation) -> tuple[Change, ...]:
    """Differences in the set-up of the two: versions, collection, settings and models.

    >>> one = Evaluation("q.jsonl", "own", "", 2, 1, "fast", "0.1.0", 0.0, settings={"k": 8})
    >>> other = Evaluation("q.jsonl", "own", "", 2, 1, "fast", "0.2.0", 9.0, settings={"k": 5})
    >>> [(change.path, change.before, change.after) for change in settings_changes(one, other)]
    [('version', '0.1.0', '0.2.0'), ('settings.k', 8, 5)]
    """
    one, other = dict(_flat(before.to_dict())), dict(_flat(after.to_dict()))
    names = [name for name in {**one, **other} if name not in _NO_SETTING]
    return tuple(Change(name, one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name))


def _flat(body: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The values by their paths."""
    for name, value in body.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
