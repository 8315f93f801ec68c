"""The value of a metric over an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.types import Value

Better = Literal["higher", "lower", "neither"]
Statistic = Literal["mean", "p50", "p95", "p99", "other"]
Unit = Literal["", "ms", "tokens", "USD", "count"]


@dataclass(frozen=True, slots=True)
class Metric(Value):
    """One number of an evaluation, or the cause why there is none.

    `value` is None exactly where `cause` says why. `n` counts the cases that it was measured on. `per_case` has the
    value of each of them by the case's id, the mean over its repeats. `statistic` says how `value` follows from
    these: it is their mean or a percentile, or, with "other", cannot be had from them alone. `better` says which
    way is better; `unit` is "" for a share or score. `group` is the table that the metric stands in.
    `curve` are points to plot, such as the reliability behind a calibration error.
    """

    name: str
    value: float | None
    n: int = 0
    cause: str = ""
    per_case: Mapping[str, float] = field(default_factory=dict)
    better: Better = "higher"
    unit: Unit = ""
    statistic: Statistic = "mean"
    group: str = ""
    curve: tuple[tuple[float, float], ...] = ()
