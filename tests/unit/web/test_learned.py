from __future__ import annotations

import pytest

from assay.judging.search_utility import learned_utility
from assay.types import Action, Triage


def test_the_bar_moves_with_the_threshold_of_the_judge_and_stays_a_share() -> None:
    usual = learned_utility().answer_threshold
    assert usual > 0.7
    assert learned_utility(correct=0.75).answer_threshold == pytest.approx(usual + 0.05)
    assert learned_utility(correct=1.0).answer_threshold == 1.0


def test_no_bar_is_raised_after_a_model_has_looked() -> None:
    assert learned_utility("model").answer_threshold == 0.7
    assert learned_utility("model", 0.5).answer_threshold == pytest.approx(0.5)


@pytest.mark.parametrize("judge", ["rules", "model"])
@pytest.mark.parametrize("triage", [Triage.AMBIGUOUS, Triage.INCORRECT])
def test_going_outside_is_worth_its_price_once_where_the_documents_do_not_answer(judge, triage) -> None:
    assert learned_utility(judge).of(Action.EXTERNAL, triage, taken=0) > 0
