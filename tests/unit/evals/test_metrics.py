"""Our metrics against scikit-learn's, and by hand where it has none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score, roc_auc_score

from assay.evals.metrics import auroc, ndcg, paired_bootstrap, recall, selective_accuracy

pairs = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40)


@given(pairs.filter(lambda rows: len({label for _, label in rows}) == 2))
def test_auroc_agrees_with_scikit_learn(rows):
    scores, labels = [float(score) for score, _ in rows], [label for _, label in rows]
    assert auroc(scores, labels) == pytest.approx(roc_auc_score(labels, scores))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12).filter(any))
def test_ndcg_agrees_with_scikit_learn(gains):
    ranked = [str(i) for i in range(len(gains))]
    expected = ndcg_score([gains], [list(range(len(gains), 0, -1))], k=10)
    assert ndcg(ranked, {str(i): float(g) for i, g in enumerate(gains) if g}) == pytest.approx(expected)


def test_what_is_undefined_is_refused():
    with pytest.raises(ValueError, match="positives and negatives"):
        auroc([0.1, 0.2], [True, True])
    with pytest.raises(ValueError, match="relevant"):
        ndcg(["a"], {})
    with pytest.raises(ValueError, match="relevant"):
        recall(["a"], frozenset())


def test_the_bootstrap_draws_whole_groups_and_sees_a_real_difference():
    right_first, right_second = np.array([1, 1, 1, 0] * 50), np.array([0, 1, 0, 0] * 50)
    interval = paired_bootstrap(
        lambda rows: float(right_second[rows].mean()),
        lambda rows: float(right_first[rows].mean()),
        [str(i // 4) for i in range(200)],
    )
    assert interval.below
    assert interval.difference == interval.low == interval.high == -0.5


def test_a_noisy_difference_is_not_below():
    scores = np.tile([1.0, -1.0], 20)
    interval = paired_bootstrap(
        lambda rows: float(scores[rows].mean()), lambda _rows: 0.0, [str(i) for i in range(40)]
    )
    assert interval.low < 0 < interval.high
    assert not interval.below


def test_selective_accuracy_falls_as_more_is_answered():
    points = selective_accuracy([0.9, 0.8, 0.1, 0.1], [True, True, False, True])
    assert [(p.answered, p.accuracy) for p in points] == [(0.25, 1.0), (0.5, 1.0), (1.0, 0.75)]
