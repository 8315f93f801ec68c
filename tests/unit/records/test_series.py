"""Figures over time are those of the runs of each hour or day."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.records.figures import figures_of
from assay.records.series import MOST_ROWS, percentile, series
from assay.records.values import TimedFigures
from assay.testing.contracts.records import answer_of
from assay.types import Tries

FIGURES = figures_of(answer_of("01JA").to_dict())
DAY = 86400.0


def run(started: float, **changes: object) -> TimedFigures:
    return TimedFigures(started, replace(FIGURES, **changes))


def test_a_row_counts_the_runs_of_its_day_and_rows_without_runs_are_there():
    rows = series(
        [
            run(10 * DAY + 5, repairs={"dropped": 1}, reflections=1, ms=10.0, tokens=100, cost=0.02, searches=1),
            run(10 * DAY + 6, ms=30.0, tokens=None, cost=None, searches=3, verdict="unknown", confidence=0.5),
            run(
                11 * DAY - 1,
                delivered=False,
                outcome="abstained",
                ms=20.0,
                tries=Tries(4, 3, 5),
                tokens=300,
                cost=0.0,
                searches=0,
            ),
            TimedFigures(10 * DAY + 7, None),
            run(12 * DAY, level=None, confidence=None),
        ],
        "day",
    )
    assert [row.start for row in rows] == [10 * DAY, 11 * DAY, 12 * DAY]
    first, empty, last = rows
    assert (first.runs, first.outcomes) == (4, {"abstained": 1, "answered": 2, "error": 1})
    assert (first.verdicts, first.levels) == ({"supported": 1, "unknown": 1}, {"very_high": 2})
    assert first.repairs == {"dropped": 1}
    assert (first.failed_share, first.abstained_share, first.reflection_rate) == (0.25, 1 / 3, 0.5)
    assert (first.rounds, first.confidence, first.first_try_share) == (2.0, 0.7, 0.75)
    assert (first.ms_p50, first.ms_p95) == (20.0, 30.0)
    assert first.tokens == pytest.approx(200)
    assert first.cost == pytest.approx(0.01)
    assert (empty.runs, empty.outcomes, empty.failed_share, empty.ms_p50) == (0, {}, None, None)
    assert (last.levels, last.confidence) == ({"none": 1}, None)


def test_no_runs_give_no_rows():
    assert series([], "hour") == ()


def test_a_series_has_only_the_latest_rows():
    rows = series([TimedFigures(0.0, None), TimedFigures(3600.0 * 2 * MOST_ROWS, None)], "hour")
    assert len(rows) == MOST_ROWS
    assert rows[-1].start == 3600.0 * 2 * MOST_ROWS


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 2.0), (0.95, 3.0), (1.0, 3.0)])
def test_a_percentile_is_one_of_the_values(share: float, value: float):
    assert percentile([1.0, 2.0, 3.0], share) == value
    assert percentile([], share) is None
