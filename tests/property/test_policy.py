"""The policy is total: whatever the judgement, it gives an action that can be carried out, or ABSTAIN."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assay.core.policy import next_action
from assay.core.stages import SEARCHING, SearchUtility
from assay.types import Action, Judgement, Limits, Step, Triage

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
    SearchUtility,
    st.dictionaries(st.tuples(st.sampled_from(SEARCHING), st.sampled_from(list(Triage))), st.floats(-1, 1)),
    st.dictionaries(st.sampled_from(SEARCHING), st.floats(0, 10)),
    st.floats(0, 1),
    st.floats(0, 1),
)
ALWAYS = SearchUtility({(action, triage): 1.0 for action in SEARCHING for triage in Triage})


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
    sure = judgement.sufficiency is None or judgement.sufficiency >= worth.answer_threshold
    recommended = judgement.recommendation is Action.ANSWER
    assert choice.action is not Action.ANSWER or recommended
    assert choice.action is Action.ANSWER or not (recommended and sure)
    assert choice.action is not Action.ABSTAIN or not recommended or any(step.passage_ids != ids for step in path)


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
    choice = next_action(judgement, ids, path, Limits(rounds=9), frozenset(Action), SearchUtility())
    assert choice.action not in SEARCHING


@given(judgements, found, steps, st.integers(1, 6))
def test_outside_is_asked_once(judgement, ids, path, rounds):
    choice = next_action(judgement, ids, path, Limits(rounds=rounds), frozenset(Action), ALWAYS)
    assert choice.action is not Action.EXTERNAL or all(step.action is not Action.EXTERNAL for step in path)


UNSURE = Judgement(0.75, Action.ANSWER, "because", triage=Triage.CORRECT)
OUTSIDE = SearchUtility(
    {(Action.EXTERNAL, Triage.CORRECT): 0.3, (Action.EXTERNAL, Triage.AMBIGUOUS): 0.3}, answer_threshold=0.8
)


def test_an_answer_that_is_not_sure_waits_for_a_search_that_is_worth_it():
    able = frozenset(Action)
    assert next_action(UNSURE, frozenset("a"), (), Limits(rounds=2), able, OUTSIDE).action is Action.EXTERNAL
    assert next_action(UNSURE, frozenset("a"), (), Limits(rounds=1), able, OUTSIDE).action is Action.ANSWER
    at_home = able - {Action.EXTERNAL}
    assert next_action(UNSURE, frozenset("a"), (), Limits(rounds=2), at_home, OUTSIDE).action is Action.ANSWER


def test_after_a_search_that_changed_the_evidence_an_answer_must_be_sure():
    path = [Step(Action.EXTERNAL, ("q",), frozenset("a"), 0.75)]
    able, limits = frozenset(Action), Limits(rounds=2)
    assert next_action(UNSURE, frozenset("ab"), path, limits, able, OUTSIDE).action is Action.ABSTAIN
    assert next_action(UNSURE, frozenset("a"), path, limits, able, OUTSIDE).action is Action.ANSWER


def test_asking_back_waits_for_what_may_settle_it_outside_unless_nothing_could():
    able, limits = frozenset(Action), Limits(rounds=2)
    asked = Judgement(0.4, Action.CLARIFY, "because", triage=Triage.AMBIGUOUS, ambiguity=0.6)
    assert next_action(asked, frozenset("a"), (), limits, able, OUTSIDE).action is Action.EXTERNAL
    path = [Step(Action.EXTERNAL, ("q",), frozenset("a"), 0.4)]
    assert next_action(asked, frozenset("ab"), path, limits, able, OUTSIDE).action is Action.CLARIFY
    unclear = replace(asked, ambiguity=0.9)
    assert next_action(unclear, frozenset("a"), (), limits, able, OUTSIDE).action is Action.CLARIFY
