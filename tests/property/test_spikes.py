"""Spikes and drops: rarely seen in constant noise, seen where a rate really changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.records.series import is_unusual, spikes
from assay.types import FiguresRow

# Rows before which nothing can be compared, and those in which something may be found.
BEFORE, ROWS = 14, 60


def constant(seed: int, runs: int, share: float) -> list[FiguresRow]:
    """Rows of a service on which nothing changes, with as many runs each as a Poisson process gives."""
    chance = np.random.default_rng(seed)
    return [_row(chance, float(start), int(chance.poisson(runs)), share) for start in range(BEFORE + ROWS)]


def _row(chance: np.random.Generator, start: float, runs: int, share: float) -> FiguresRow:
    failed = int(chance.binomial(runs, share / 4))
    ended = runs - failed
    if not ended:
        return FiguresRow(start, runs, {"error": failed})
    abstained = int(chance.binomial(ended, share))
    delivered = ended - abstained
    row = FiguresRow(
        start,
        runs,
        {"error": failed},
        {"supported": delivered},
        failed_share=failed / runs,
        abstained_share=abstained / ended,
        rounds=float(np.mean(chance.integers(1, 3, ended))),
        first_try_share=chance.binomial(ended, 0.9) / ended,
        ms_p50=float(np.median(chance.lognormal(6, 1, ended))),
        tokens=float(np.mean(chance.lognormal(7, 0.7, ended))),
        cost=float(np.mean(chance.lognormal(-6, 0.7, ended))),
    )
    if not delivered:
        return row
    return replace(
        row,
        reflection_rate=chance.binomial(delivered, share) / delivered,
        confidence=float(np.mean(chance.beta(8, 2, delivered))),
        citation_validity=1 - chance.binomial(delivered * 3, 0.02) / (delivered * 3),
    )


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
@pytest.mark.parametrize("runs", [12, 100])
def test_constant_noise_raises_few_false_alarms(runs: int, share: float):
    alarms = Counter(spike.name for seed in range(30) for spike in spikes(constant(seed, runs, share)))
    values = 30 * ROWS
    assert alarms.total() / (10 * values) < 0.01
    assert max(alarms.values(), default=0) / values < 0.02


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("reflection_rate", 0.45, "spike"),
        ("abstained_share", 0.5, "spike"),
        ("failed_share", 0.3, "spike"),
        ("citation_validity", 0.7, "drop"),
        ("confidence", 0.6, "drop"),
        ("first_try_share", 0.5, "drop"),
        ("ms_p50", 4000.0, "spike"),
        ("cost", 0.0002, "drop"),
    ],
)
def test_a_real_change_is_seen_whatever_the_noise(name: str, value: float, kind: str):
    for seed in range(20):
        rows = constant(seed, 100, 0.1)
        rows[40] = replace(rows[40], **{name: value})
        found = [spike for spike in spikes(rows) if spike.name == name and spike.start == 40.0]
        assert [spike.kind for spike in found] == [kind]
        assert found[0].value == value
        assert (found[0].usual < value) == (kind == "spike")


def test_what_stays_at_its_new_height_is_usual_again():
    rows = [*constant(1, 100, 0.1), *(replace(row, start=row.start + 100) for row in constant(2, 100, 0.5))]
    alarms = [spike.start for spike in spikes(rows) if spike.name == "reflection_rate"]
    assert {100.0, 101.0, 102.0} <= set(alarms)
    assert not [start for start in alarms if start > 130]


def test_rows_of_few_runs_raise_no_alarm_and_count_for_nothing():
    rows = constant(1, 100, 0.1)
    few = [FiguresRow(row.start + 0.5, 3, {}, {"supported": 3}, reflection_rate=1.0, ms_p50=1e6) for row in rows]
    both = sorted([*rows, *few], key=lambda row: row.start)
    assert spikes(both) == spikes(rows)


steady = st.lists(st.floats(0.1, 1e4), min_size=14, max_size=28)


@given(steady, st.floats(0.1, 1e4), st.sampled_from([1e-6, 1e-3, 1e3]))
def test_numbers_of_any_size_are_judged_alike(before: Sequence[float], value: float, scale: float):
    scaled = [number * scale for number in before]
    # At the very threshold rounding may decide.
    close = is_unusual(value * 1.001, before) != is_unusual(value * 0.999, before)
    assert close or is_unusual(value * scale, scaled) == is_unusual(value, before)


@given(st.floats(0, 1e6), st.integers(14, 28))
def test_what_never_changes_is_never_unusual(value: float, count: int):
    assert not is_unusual(value, [value] * count)
    assert not is_unusual(value, [value] * count, 0.01)


def test_nothing_among_nothings_is_no_drop_and_a_first_price_no_spike():
    assert not is_unusual(0.0, [0.0] * 20)
    assert not is_unusual(0.01, [0.0] * 20)
    assert is_unusual(0.0, [0.01] * 20)
