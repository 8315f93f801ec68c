"""A judge's card against scikit-learn's numbers, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, precision_score, recall_score

from assay.evals.audit import Seen, agreement, card, marks, shipped_cards

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=60).filter(
    lambda made: len({label for label, _ in made}) == 2 and len({says for _, says in made}) == 2
)


@given(pairs)
def test_shares_agree_with_scikit_learn(made):
    labels, said = [label for label, _ in made], [says for _, says in made]
    found = marks([Seen(label, says, None) for label, says in made])
    assert found.precision == pytest.approx(precision_score(labels, said))
    assert found.recall == pytest.approx(recall_score(labels, said))
    assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(labels, said))
    assert found.auroc is None


@given(pairs)
def test_kappa_agrees_with_scikit_learn(made):
    one, two = [label for label, _ in made], [says for _, says in made]
    assert agreement(made).kappa == pytest.approx(cohen_kappa_score(one, two))


def test_not_knowing_is_not_calling_it_right():
    found = marks([Seen(True, None, 0.5), Seen(True, True, 0.9), Seen(False, None, 0.4), Seen(False, False, 0.1)])
    assert (found.unknown, found.precision, found.recall, found.balanced_accuracy) == (0.5, 1.0, 0.5, 0.75)
    assert found.auroc == 1.0


def test_a_card_tells_sets_edits_agreement_and_cost():
    rows = [
        Seen(True, True, 0.9, "a", "", {"other": True}, 10.0, 0.01),
        Seen(False, True, 0.8, "a", "number", {"other": False}, 20.0, 0.03),
        Seen(False, False, 0.2, "b", "name", None, 30.0, None),
    ]
    found = card("mine", rows)
    assert {name: each.n for name, each in found.sets.items()} == {"a": 2, "b": 1}
    assert {name: (each.n, each.right) for name, each in found.edits.items()} == {"name": (2, 1), "number": (2, 1)}
    assert {name: each.balanced_accuracy for name, each in found.edits.items()} == {"name": 1.0, "number": 0.5}
    assert {name: each.caught for name, each in found.edits.items()} == {"name": 1.0, "number": 0.0}
    assert found.agreement["other"].share == 0.5
    assert (found.ms, found.cost) == (20.0, None)
    assert found.sets["b"].precision is None


def test_every_judge_that_ships_has_a_card_with_its_sets_or_edits():
    found = shipped_cards()
    assert sorted(found) == ["checks, copied sentences", "checks, reworded sentences", "sufficiency", "support"]
    for each in found.values():
        assert each.sets or each.edits
        assert each.all.balanced_accuracy is not None
        assert each.cost == 0.0


def test_a_card_of_nothing_is_refused():
    with pytest.raises(ValueError, match="needs rows"):
        card("mine", [])
