from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, kstwobign

from assay.calibration.curves import has_shifted, kolmogorov_smirnov

samples = st.lists(st.integers(0, 20), min_size=4, max_size=60)


@given(samples, samples)
def test_the_distance_agrees_with_scipy(one, two):
    found = kolmogorov_smirnov(one, two)
    assert found.distance == pytest.approx(ks_2samp(one, two, method="asymp").statistic)
    root = np.sqrt(len(one) * len(two) / (len(one) + len(two)))
    assert found.p == pytest.approx(kstwobign.sf(root * found.distance), abs=1e-9)


def test_few_signals_raise_no_alarm():
    assert not has_shifted([1.0] * 49, [0.0] * 500)
    assert has_shifted([1.0] * 50, [0.0] * 500)


def test_signals_of_the_fit_rarely_raise_an_alarm():
    generator = np.random.default_rng(0)
    alarms = [has_shifted(list(generator.random(100)), list(generator.random(200))) for _ in range(300)]
    assert sum(alarms) <= 9  # p < .01: 3 are expected


def test_only_the_latest_signals_are_read():
    assert not has_shifted([5.0] * 500 + list(np.linspace(0, 1, 50)), list(np.linspace(0, 1, 200)))


def test_an_empty_sample_is_refused():
    with pytest.raises(ValueError, match="two samples"):
        kolmogorov_smirnov([], [1.0])
