from __future__ import annotations

from assay.calibration import Logistic, sigmoid


def test_a_higher_score_is_never_less_likely() -> None:
    fitted = Logistic(slope=1.6, intercept=-9.0)
    found = [fitted.probability(score / 10) for score in range(-200, 200)]
    assert found == sorted(found)
    assert 0 <= found[0] < found[-1] <= 1


def test_the_ends_do_not_overflow() -> None:
    assert sigmoid(-1e308) == 0.0
    assert sigmoid(1e308) == 1.0
    assert sigmoid(-744.0) > 0
