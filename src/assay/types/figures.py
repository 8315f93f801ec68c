"""Figures over many runs, over time, and of stated probabilities against labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from assay.types.models import Usage
from assay.types.value import Value


@dataclass(frozen=True, slots=True)
class CheckCost(Value):
    """The cost of a check: `ms` of time, with waiting for a model, and the usage of its model calls.

    `kept` counts the verdicts that were known from an earlier run, for which no model was asked.

    >>> (CheckCost(1.5) + CheckCost(2.0, Usage(calls=1), kept=3)).ms
    3.5
    """

    ms: float = 0.0
    usage: Usage = field(default_factory=Usage)
    kept: int = 0

    def __add__(self, other: CheckCost) -> CheckCost:
        """Both together."""
        return CheckCost(self.ms + other.ms, self.usage + other.usage, self.kept + other.kept)

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """The cost as it was stored."""
        return cls(body["ms"], Usage(**body["usage"]), body["kept"])


@dataclass(frozen=True, slots=True)
class Tries(Value):
    """The attempts that replies of models took: `first` counts the replies at the first attempt.

    >>> (Tries(1, 1, 1) + Tries(1, 0, 3)).mean
    2.0
    """

    replies: int = 0
    first: int = 0
    attempts: int = 0

    def __add__(self, other: Tries) -> Tries:
        """Both together."""
        return Tries(self.replies + other.replies, self.first + other.first, self.attempts + other.attempts)

    @property
    def first_share(self) -> float | None:
        """The share of replies that came at the first attempt; None without replies."""
        return self.first / self.replies if self.replies else None

    @property
    def mean(self) -> float | None:
        """All attempts, failed ones included, divided by the replies; None without replies."""
        return self.attempts / self.replies if self.replies else None


@dataclass(frozen=True, slots=True)
class Lookup(Value):
    """A look for a kept answer: whether one was served, and the model calls that writing it had taken."""

    served: bool = False
    saved_calls: int = 0


@dataclass(frozen=True, slots=True)
class CheckCounts(Value):
    """The counts of a check's results."""

    passed: int = 0
    failed: int = 0
    unknown: int = 0
    skipped: int = 0

    def __add__(self, other: CheckCounts) -> CheckCounts:
        """Both together."""
        return CheckCounts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.unknown + other.unknown,
            self.skipped + other.skipped,
        )


@dataclass(frozen=True, slots=True)
class RunningMean(Value):
    """A mean that takes one value at a time, with its sample variance; unjudged values are counted apart.

    By Welford (1962), Technometrics 4(3), pages 419-420: no sum grows, and a value counts once it is there.

    >>> RunningMean().followed_by(0.05).mean, RunningMean().followed_by(None).mean
    (0.05, None)
    """

    count: int = 0
    mean: float | None = None
    squares: float = 0.0
    unjudged: int = 0

    def followed_by(self, value: float | None) -> RunningMean:
        """The mean with one more value; None is one that nobody judged."""
        if value is None:
            return RunningMean(self.count, self.mean, self.squares, self.unjudged + 1)
        before = self.mean or 0.0
        mean = before + (value - before) / (self.count + 1)
        squares = self.squares + (value - before) * (value - mean)
        return RunningMean(self.count + 1, mean, squares, self.unjudged)

    @property
    def deviation(self) -> float | None:
        """The sample's standard deviation, None for fewer than two values."""
        return math.sqrt(self.squares / (self.count - 1)) if self.count > 1 else None


@dataclass(frozen=True, slots=True)
class Figures(Value):
    """Many runs in numbers; a share or a mean is None if there was nothing to count.

    `reflection_rate` is the share of delivered answers that differ from their first draft, `iterations` the mean
    number of versions of a delivered answer, 1 for the first draft alone. `citation_validity` is the share of marks
    that name a source. `costs` and `ms` are means over runs; a run of unknown price is counted apart. `check_costs`
    are the total costs of the checks by name, with those that several share, over the delivered answers whose
    checks were `measured`. `tries` are the replies of models in runs that gave an answer, with the share at the
    first attempt and the mean number of attempts. `lookups` counts the runs that looked for a kept answer, `reused`
    those that found one, with their share; `saved_calls` are the model calls that writing these answers had taken.
    """

    runs: int = 0
    failed: int = 0
    delivered: int = 0
    reflected: int = 0
    reflections: int = 0
    improved: int = 0
    regressed: int = 0
    reflection_rate: float | None = None
    iterations: float | None = None
    net_improvement: int = 0
    repairs: Mapping[str, int] = field(default_factory=dict)
    quality: RunningMean = RunningMean()
    citations: int = 0
    invalid_citations: int = 0
    citation_validity: float | None = None
    checks: Mapping[str, CheckCounts] = field(default_factory=dict)
    costs: RunningMean = RunningMean()
    ms: RunningMean = RunningMean()
    measured: int = 0
    check_costs: Mapping[str, CheckCost] = field(default_factory=dict)
    tries: Tries = field(default_factory=Tries)
    first_try_share: float | None = None
    mean_tries: float | None = None
    lookups: int = 0
    reused: int = 0
    reuse_share: float | None = None
    saved_calls: int = 0


@dataclass(frozen=True, slots=True)
class FiguresRow(Value):
    """The runs that began within one hour or day, which starts at `start`, Unix seconds.

    `outcomes` counts runs, those that ended with an error among them; `verdicts` and `levels` (of confidence) count
    delivered answers. `rounds` is the mean number of searches of runs that searched, `confidence` the mean score,
    `ms_p50` and `ms_p95` are percentiles of the time of runs that ended without an error. `tokens` and `cost` are
    means over runs for which they are known. Shares and means are None where there was nothing to count.
    """

    start: float
    runs: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    verdicts: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)
    failed_share: float | None = None
    abstained_share: float | None = None
    reflection_rate: float | None = None
    rounds: float | None = None
    confidence: float | None = None
    citation_validity: float | None = None
    first_try_share: float | None = None
    ms_p50: float | None = None
    ms_p95: float | None = None
    tokens: float | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Spike(Value):
    """A value of a row that is unlike those before it; `usual` is their median."""

    start: float
    name: str
    kind: Literal["spike", "drop"]
    value: float
    usual: float


@dataclass(frozen=True, slots=True)
class ReliabilityBin(Value):
    """One reliability bin: its rows, the mean of what was predicted for them and the share that came true."""

    n: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True)
class StatedTrust(Value):
    """Bins of stated probabilities with the share that was labelled right; `ece` is debiased, None below 2 rows."""

    bins: tuple[ReliabilityBin, ...]
    ece: float | None
