"""The gate: which changes of a metric are too much, and whether a comparison shows one.

A requirement is a sentence: `groundedness may not fall by more than 0.01`, `cost may not rise by more than 10 %`.
It is broken where the change that was measured is larger than the limit and is also established: chance alone makes
the metric fall (or rise) so far in at most 5 % of comparisons of two equal systems. Several requirements share
these 5 %, by Holm's correction. So a gate over equal systems passes in 19 of 20 comparisons, however noisy the
answers are; benchmarks/compare measures how large a change it finds then.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.errors import UsageError
from assay.evals.metrics.metric import Metric
from assay.evals.statistics import PairedTest, holm, smallest_fall
from assay.types import Status, Value

# The share of comparisons of equal systems in which the gate may fail (chosen, as is usual).
ALPHA = 0.05
# Of fewer pairs no figure is given (chosen): one of them more or less would be 20 points and more.
FEWEST_PAIRS = 5
_EXAMPLE = '"groundedness may not fall by more than 0.01; cost may not rise by more than 10 %"'
_NUMBER = re.compile(r"(\d+(?:\.\d+)?|\.\d+) ?(%|points?|)")
# Two changes are the same if they differ by no more than what adding up rounds away.
_ROUNDING = 1e-9
Direction = Literal["fall", "rise"]


@dataclass(frozen=True, slots=True)
class Requirement(Value):
    """A metric that may not fall, or rise, by more than a limit.

    `most` is in the metric's own unit; with `unit` "%" it is a percentage of the first system's value, with
    "points" hundredths of a share.
    """

    metric: str
    direction: Direction
    most: float = 0.0
    unit: Literal["", "%", "points"] = ""

    def __str__(self) -> str:
        """The requirement as it can be typed.

        >>> str(Requirement("cost", "rise", 10, "%"))
        'cost may not rise by more than 10 %'
        """
        unit = "point" if self.unit == "points" and self.most == 1 else self.unit
        limit = f" by more than {self.most:g} {unit}".rstrip() if self.most else ""
        return f"{self.metric} may not {self.direction}{limit}"

    def limit(self, first: float) -> float:
        """The largest change that is allowed, in the metric's unit, where the first system has the value `first`.

        >>> Requirement("cost", "rise", 10, "%").limit(0.5), Requirement("recall", "fall", 2, "points").limit(0.9)
        (0.05, 0.02)
        """
        return self.most * {"": 1.0, "%": abs(first) / 100, "points": 0.01}[self.unit]


@dataclass(frozen=True, slots=True)
class GatedPairs(Value):
    """The pairs of a requirement: the values on the cases that both systems have, and their test."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    first_value: float
    second_value: float
    test: PairedTest
    is_mean: bool = True


@dataclass(frozen=True, slots=True)
class Ruling(Value):
    """The ruling on a requirement, and its reason.

    `change` is how far the metric fell (or rose), below 0 where it went the other way, and `limit` how far it may;
    both in the metric's unit. `p` is one-sided, `adjusted` the same by Holm's correction. `smallest` is the
    smallest change that would be established beside this noise, None where that cannot be told. All are None where
    the metric could not be compared: the status is unknown then, and the gate does not pass.
    """

    requirement: Requirement
    status: Status
    why: str
    change: float | None = None
    limit: float | None = None
    p: float | None = None
    adjusted: float | None = None
    smallest: float | None = None


@dataclass(frozen=True, slots=True)
class Gate(Value):
    """The rulings on all requirements; it passes if every one of them passed."""

    passed: bool
    rulings: tuple[Ruling, ...]


def parse_requirements(texts: Sequence[str]) -> tuple[Requirement, ...]:
    """The requirements of some texts, each with one or more that are parted by semicolons.

    A requirement is METRIC may not fall|rise [by more than NUMBER [%|points]]; `may` can be left out. Without a
    number, no change is allowed. Raises UsageError for anything else, and for a metric that is named twice in one
    direction.

    >>> for requirement in parse_requirements(["cost not rise by more than 10%; groundedness may not fall"]):
    ...     print(requirement)
    cost may not rise by more than 10 %
    groundedness may not fall
    """
    found = [_requirement(part) for text in texts for part in text.split(";") if part.strip()]
    if not found:
        raise UsageError("the gate has no requirement", hint=f"write e.g. {_EXAMPLE}")
    for place, requirement in enumerate(found):
        for other in found[:place]:
            if (other.metric, other.direction) == (requirement.metric, requirement.direction):
                raise UsageError(
                    f"the gate states twice how far {other.metric} may {other.direction}", hint="state it once"
                )
    return tuple(found)


def _requirement(text: str) -> Requirement:
    metric, _, rest = " ".join(text.split()).partition(" ")
    words = rest.lower().removeprefix("may ").removeprefix("not ")
    direction, _, limit = words.partition(" ")
    if words == rest.lower().removeprefix("may ") or direction not in ("fall", "rise"):
        raise _unread(text, "it is not of the form METRIC may not fall, or rise")
    kind: Direction = "fall" if direction == "fall" else "rise"
    if not limit:
        return Requirement(metric, kind)
    number = _NUMBER.fullmatch(limit.removeprefix("by more than ").strip())
    if not limit.startswith("by more than ") or number is None:
        raise _unread(text, f"{limit!r} is not `by more than` and a number, perhaps with % or points")
    unit: Literal["", "%", "points"] = "%" if number[2] == "%" else "points" if number[2] else ""
    return Requirement(metric, kind, float(number[1]), unit)


def _unread(text: str, why: str) -> UsageError:
    return UsageError(f"the requirement {text.strip()!r} cannot be read: {why}", hint=f"write e.g. {_EXAMPLE}")


def require_gateable(requirements: Sequence[Requirement], metrics: Mapping[str, Metric]) -> None:
    """Raise UsageError for an unknown metric, one without values of cases, and a limit that is never exceeded."""
    for requirement in requirements:
        metric = metrics.get(requirement.metric)
        if metric is None:
            known = sorted(name for name, metric in metrics.items() if metric.statistic != "other")
            raise UsageError(
                f"the gate names the metric {requirement.metric!r}, which there is not",
                hint=f"one of {', '.join(known)}",
            )
        if metric.statistic == "other":
            raise UsageError(
                f"{metric.name} cannot be gated: it is a figure of all cases together, so nothing says how much of "
                "a change is chance",
                hint="gate a metric that every case has a value of",
            )
        if requirement.unit == "points" and metric.unit:
            raise UsageError(
                f"{metric.name} is in {metric.unit}, and points are of shares",
                hint="give a number, or a percentage",
            )
        if not metric.unit and requirement.limit(1.0) >= 1 and requirement.direction == "fall":
            raise UsageError(
                f"`{requirement}` never fails: {metric.name} lies between 0 and 1",
                hint="write `1 points` for a hundredth",
            )


def rule(requirements: Sequence[Requirement], pairs: Mapping[str, GatedPairs]) -> Gate:
    """Rule on each requirement; a metric without pairs, or with fewer than 5, leaves it unknown."""
    measured = [one for one in requirements if one.metric in pairs and len(pairs[one.metric].first) >= FEWEST_PAIRS]
    values = [getattr(pairs[one.metric].test, one.direction) for one in measured]
    adjusted = dict(zip(measured, zip(values, holm(values), strict=True), strict=True))
    rulings = []
    for requirement in requirements:
        if requirement in adjusted:
            p, with_others = adjusted[requirement]
            rulings.append(_ruling(requirement, pairs[requirement.metric], p, with_others, ALPHA / len(measured)))
            continue
        n = len(pairs[requirement.metric].first) if requirement.metric in pairs else 0
        why = f"{n} cases have it on both sides; at least {FEWEST_PAIRS} are needed"
        rulings.append(Ruling(requirement, Status.UNKNOWN, why))
    return Gate(all(ruling.status is Status.PASSED for ruling in rulings), tuple(rulings))


def _ruling(requirement: Requirement, pairs: GatedPairs, p: float, adjusted: float, alpha: float) -> Ruling:
    falls = requirement.direction == "fall"
    change = (pairs.first_value - pairs.second_value) * (1 if falls else -1)
    limit = requirement.limit(pairs.first_value)
    smallest = None
    if pairs.is_mean:
        better_first = (pairs.first, pairs.second) if falls else (pairs.second, pairs.first)
        smallest = smallest_fall(*better_first, alpha)
    exceeds = change > limit + _ROUNDING * max(1.0, math.fabs(limit))
    established = adjusted <= ALPHA
    status = Status.FAILED if exceeds and established else Status.PASSED
    if not exceeds:
        why = "within the limit"
    elif established:
        why = "more than the limit, and more than chance"
    else:
        why = "more than the limit, but chance alone may make such a change"
    return Ruling(requirement, status, why, change, limit, p, adjusted, smallest)
