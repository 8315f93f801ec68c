"""The policy is total: whatever the judgement, it gives an action that can be carried out, or ABSTAIN."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.policy import FALLBACK, next_action
from assay.types import Action, Judgement, Limits, Step

actions = st.sampled_from(list(Action))
judgements = st.builds(
    Judgement,
    sufficiency=st.none() | st.floats(0, 1),
    recommendation=actions,
    reason=st.just("because"),
)
steps = st.lists(st.builds(Step, actions, st.just(("q",)), st.just(frozenset()), st.none()), max_size=4)


@given(judgements, steps, st.integers(1, 4), st.frozensets(actions))
def test_the_action_can_be_carried_out(judgement, path, rounds, able):
    action = next_action(judgement, path, Limits(rounds=rounds), able)
    assert action in able or action is Action.ABSTAIN


@given(judgements, steps, st.integers(1, 4), st.frozensets(actions))
def test_searching_again_ends_with_the_rounds(judgement, path, rounds, able):
    action = next_action(judgement, path, Limits(rounds=rounds), able)
    if action in (Action.REFINE, Action.EXTERNAL):
        assert len(path) + 1 < rounds


@given(judgements, st.integers(2, 4))
def test_with_everything_possible_the_recommendation_holds(judgement, rounds):
    assert next_action(judgement, (), Limits(rounds=rounds), frozenset(Action)) is judgement.recommendation


@given(judgements, steps, st.frozensets(actions))
def test_never_a_costlier_action_than_recommended_is_skipped_back_to(judgement, path, able):
    action = next_action(judgement, path, Limits(rounds=9), able)
    if judgement.recommendation in FALLBACK:
        assert FALLBACK.index(action) >= FALLBACK.index(judgement.recommendation)
