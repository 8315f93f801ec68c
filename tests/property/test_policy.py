"""The policy is total: whatever the judgement, it gives an action that can be carried out, or ABSTAIN."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.policy import next_action
from assay.types import Action, Judgement, Limits, Step, Triage
from assay.worth import SEARCHING, Worth

actions = st.sampled_from(list(Action))
found = st.frozensets(st.sampled_from("abc"))
judgements = st.builds(
    Judgement,
    sufficiency=st.none() | st.floats(0, 1),
    recommendation=actions,
    reason=st.just("because"),
    triage=st.none() | st.sampled_from(list(Triage)),
)
steps = st.lists(st.builds(Step, actions, st.just(("q",)), found, st.none()), max_size=4)
worths = st.builds(
    Worth,
    st.dictionaries(st.tuples(st.sampled_from(SEARCHING), st.sampled_from(list(Triage))), st.floats(-1, 1)),
    st.dictionaries(st.sampled_from(SEARCHING), st.floats(0, 10)),
    st.floats(0, 1),
)
ALWAYS = Worth({(action, triage): 1.0 for action in SEARCHING for triage in Triage})


@given(judgements, found, steps, st.integers(1, 6), st.frozensets(actions), worths)
def test_the_action_can_be_carried_out_and_has_a_reason(judgement, ids, path, rounds, able, worth):
    choice = next_action(judgement, ids, path, Limits(rounds=rounds), able, worth)
    assert choice.action in able or choice.action is Action.ABSTAIN
    assert choice.reason.startswith("because")


@given(judgements, found, steps, st.integers(1, 6), st.frozensets(actions), worths)
def test_searching_again_ends_with_the_rounds(judgement, ids, path, rounds, able, worth):
    choice = next_action(judgement, ids, path, Limits(rounds=rounds), able, worth)
    assert choice.action not in SEARCHING or len(path) + 1 < rounds


@given(judgements, found, steps, worths)
def test_an_answer_that_can_be_given_is_given(judgement, ids, path, worth):
    choice = next_action(judgement, ids, path, Limits(rounds=9), frozenset(Action), worth)
    assert (choice.action is Action.ANSWER) == (judgement.recommendation is Action.ANSWER)


@given(judgements, st.sampled_from(SEARCHING), found)
def test_a_search_that_brought_nothing_is_not_made_again(judgement, action, ids):
    path = [Step(action, ("q",), ids, None)]
    choice = next_action(judgement, ids, path, Limits(rounds=9), frozenset(Action), ALWAYS)
    assert choice.action is not action


@given(judgements, found, steps, st.frozensets(actions))
def test_only_a_recommended_question_back_is_asked(judgement, ids, path, able):
    choice = next_action(judgement, ids, path, Limits(rounds=9), able, ALWAYS)
    assert choice.action is not Action.CLARIFY or judgement.recommendation is Action.CLARIFY


@given(judgements, found, steps, worths)
def test_what_is_worth_nothing_is_not_done(judgement, ids, path, worth):
    choice = next_action(judgement, ids, path, Limits(rounds=9), frozenset(Action), Worth())
    assert choice.action not in SEARCHING
