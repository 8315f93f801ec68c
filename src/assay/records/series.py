"""Figures over time: a row for each hour or day, and the spikes and drops among them. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from types import MappingProxyType
from typing import Literal

from assay.records.figures import RunFigures
from assay.records.values import TimedFigures
from assay.types import FiguresRow, Spike, Tries

Every = Literal["hour", "day"]
# Seconds of a row. Days are those of UTC, so that they are the same for everyone who looks.
SECONDS: Mapping[Every, float] = MappingProxyType({"hour": 3600.0, "day": 86400.0})
# The most rows of a series (chosen): about a year of hours.
MOST_ROWS = 10_000

# Iglewicz and Hoaglin (1993), How to Detect and Handle Outliers, ASQC, page 11: |0.6745 (x - median) / MAD| > 3.5.
_CONSISTENT = 0.6745
_THRESHOLD = 3.5
# Chosen, with tests/property/test_spikes.py, which holds the false alarms on constant noise below 1 % of values:
# the rows that a value is compared with, the fewest of them, and the fewest runs that a row must have.
_WINDOW, _FEWEST_ROWS, _FEWEST_RUNS = 28, 14, 10
# For numbers that are no shares, as parts of the median: the least deviation that can be an alarm, and the value
# that stands for smaller ones, since 0 has no logarithm. Chosen.
_LEAST, _SMALLEST = 0.05, 1e-3
# The least deviation of the mean confidence (chosen).
_LEAST_CONFIDENCE = 0.01


def series(runs: Iterable[TimedFigures], every: Every) -> tuple[FiguresRow, ...]:
    """A row for each hour or day from the first run to the last, also for those without runs; at most `MOST_ROWS`.

    The latest ones are kept.

    >>> [(row.start, row.runs) for row in series([TimedFigures(0.0, None), TimedFigures(8000.0, None)], "hour")]
    [(0.0, 1), (3600.0, 0), (7200.0, 1)]
    """
    seconds = SECONDS[every]
    by_row: dict[int, list[RunFigures | None]] = {}
    for run in runs:
        by_row.setdefault(math.floor(run.started / seconds), []).append(run.figures)
    if not by_row:
        return ()
    last = max(by_row)
    first = max(min(by_row), last - MOST_ROWS + 1)
    return tuple(_row(number * seconds, by_row.get(number, ())) for number in range(first, last + 1))


def _row(start: float, runs: Sequence[RunFigures | None]) -> FiguresRow:
    ended = [run for run in runs if run is not None]
    delivered = [run for run in ended if run.delivered]
    failed = len(runs) - len(ended)
    outcomes = Counter(run.outcome for run in ended) + Counter(error=failed)
    repairs: Counter[str] = Counter()
    for run in delivered:
        repairs.update(run.repairs)
    marks = sum(run.citations for run in delivered)
    tries = sum((run.tries or Tries() for run in ended), Tries())
    times = sorted(run.ms for run in ended)
    return FiguresRow(
        start,
        len(runs),
        dict(sorted(outcomes.items())),
        dict(sorted(Counter(run.verdict for run in delivered).items())),
        dict(sorted(Counter(run.level or "none" for run in delivered).items())),
        dict(sorted(repairs.items())),
        _share(failed, len(runs)),
        _share(len(ended) - len(delivered), len(ended)),
        _share(sum(run.reflections > 0 for run in delivered), len(delivered)),
        _mean(run.searches for run in ended if run.searches),
        _mean(run.confidence for run in delivered if run.confidence is not None),
        _share(marks - sum(run.invalid_citations for run in delivered), marks),
        tries.first_share,
        percentile(times, 0.5),
        percentile(times, 0.95),
        _mean(run.tokens for run in ended if run.tokens is not None),
        _mean(run.cost for run in ended if run.cost is not None),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The least of some rising values that at least this share of them does not exceed; None of none.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 0.5), percentile([1.0, 2.0, 3.0, 4.0], 0.95)
    (2.0, 4.0)
    """
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


# --- spikes and drops ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Watched:
    """A number of the rows: `of` reads it, `count` how many runs it is of.

    `least` is its least deviation around a median in so many runs, None for a number of any size above 0, of which
    the logarithm is compared.
    """

    of: Callable[[FiguresRow], float | None]
    count: Callable[[FiguresRow], int]
    least: Callable[[float, int], float] | None = None


def _delivered(row: FiguresRow) -> int:
    return sum(row.verdicts.values())


def _ended(row: FiguresRow) -> int:
    return row.runs - row.outcomes.get("error", 0)


def _by_chance(share: float, count: int) -> float:
    """The standard deviation of a share of so many runs; of 0 or 1 as if one run had been otherwise."""
    inner = min(max(share, 1 / (count + 1)), count / (count + 1))
    return math.sqrt(inner * (1 - inner) / count)


_WATCHED: Mapping[str, _Watched] = MappingProxyType(
    {
        "failed_share": _Watched(lambda row: row.failed_share, lambda row: row.runs, _by_chance),
        "abstained_share": _Watched(lambda row: row.abstained_share, _ended, _by_chance),
        "reflection_rate": _Watched(lambda row: row.reflection_rate, _delivered, _by_chance),
        "confidence": _Watched(lambda row: row.confidence, _delivered, lambda _usual, _count: _LEAST_CONFIDENCE),
        "citation_validity": _Watched(lambda row: row.citation_validity, _delivered, _by_chance),
        "first_try_share": _Watched(lambda row: row.first_try_share, _ended, _by_chance),
        "rounds": _Watched(lambda row: row.rounds, _ended),
        "ms_p50": _Watched(lambda row: row.ms_p50, _ended),
        "tokens": _Watched(lambda row: row.tokens, _ended),
        "cost": _Watched(lambda row: row.cost, _ended),
    }
)


def spikes(rows: Sequence[FiguresRow]) -> tuple[Spike, ...]:
    """The values that are unlike those of the rows before them, oldest first; rows of few runs are passed over.

    A value is one if its modified z-score among the rows before it exceeds 3.5. The deviation counts for at least
    what chance alone gives a share of so many runs, 0.01 for confidence, and 5 % of the median for other numbers.
    """
    found = [spike for name, watched in _WATCHED.items() for spike in _spikes_of(name, watched, rows)]
    return tuple(sorted(found, key=lambda spike: spike.start))


def _spikes_of(name: str, watched: _Watched, rows: Sequence[FiguresRow]) -> Iterable[Spike]:
    known = [
        (row, value)
        for row in rows
        if (value := watched.of(row)) is not None and watched.count(row) >= _FEWEST_RUNS
    ]
    for at in range(_FEWEST_ROWS, len(known)):
        row, value = known[at]
        before = [earlier for _row, earlier in known[max(0, at - _WINDOW) : at]]
        usual = median(before)
        least = None if watched.least is None else watched.least(usual, watched.count(row))
        if is_unusual(value, before, least):
            yield Spike(row.start, name, "spike" if value > usual else "drop", value, usual)


def is_unusual(value: float, before: Sequence[float], least: float | None = None) -> bool:
    """True if a value is unlike those before it; `least` is their least standard deviation, None for no share.

    >>> is_unusual(9.0, [1.0, 1.1, 0.9, 1.0, 1.2]), is_unusual(1.1, [1.0, 1.1, 0.9, 1.0, 1.2])
    (True, False)
    """
    usual = median(before)
    if least is None:
        if not usual:  # more often nothing than not: there is nothing to compare with
            return False
        smallest, least = usual * _SMALLEST, math.log1p(_LEAST)
        value, *before = (math.log(max(number, smallest)) for number in (value, *before))
        usual = median(before)
    deviation = median(abs(number - usual) for number in before) / _CONSISTENT
    return abs(value - usual) > _THRESHOLD * max(deviation, least)
