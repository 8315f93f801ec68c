"""What searching again is worth: learned from questions asked both ways, where it is measurably better."""

from __future__ import annotations

from assay.core.stages import SearchUtility
from assay.evals.cases import Answerability, Case
from assay.evals.learning import State
from assay.evals.learning_search import AskedTwice, SearchedAgain, asked_twice, learn_searching
from assay.evals.results import CaseResult
from assay.judging.recommendation import Thresholds
from assay.types import Action, Outcome, Passage, Triage

NOW = SearchUtility({(Action.REFINE, Triage.AMBIGUOUS): -0.01}, {Action.REFINE: 0.4}, 0.02)


def asked(count: int, helped: int, hurt: int = 0, triage: Triage = Triage.AMBIGUOUS) -> list[AskedTwice]:
    """Questions of which another search turns `helped` right and `hurt` wrong, each taking half a second."""
    return [
        AskedTwice(
            f"question {n} {triage}",
            triage,
            n < hurt,
            {Action.REFINE: SearchedAgain(hurt <= n < hurt + helped, 0.5)},
        )
        for n in range(count)
    ]


def test_a_search_that_helps_is_learned_with_its_seconds():
    found = learn_searching(asked(60, 20, 2), NOW, "rules")
    assert found.lesson.state is State.LEARNED
    assert found.result == {"rules": {"REFINE": {"ambiguous": 0.3, "seconds": 0.5}}}
    assert (found.lesson.before["searched again"], found.lesson.after["searched again"]) == (0, 1)
    assert found.lesson.after["right"] == round(20 / 60, 3)


def test_what_chance_may_do_is_not_learned():
    found = learn_searching(asked(60, 3, 2), NOW, "rules")
    assert (found.lesson.state, found.result) == (State.UNCHANGED, None)


def test_what_harms_is_left_off_again():
    eager = SearchUtility({(Action.REFINE, Triage.AMBIGUOUS): 0.5}, {Action.REFINE: 0.4}, 0.02)
    found = learn_searching(asked(60, 0, 20), eager, "model")
    assert found.result == {"model": {"REFINE": {"ambiguous": -0.333, "seconds": 0.5}}}


def test_of_a_triage_with_few_questions_the_gain_stays():
    some = [*asked(60, 30), *asked(9, 9, triage=Triage.INCORRECT)]
    found = learn_searching(some, NOW, "rules")
    assert found.result == {"rules": {"REFINE": {"ambiguous": 0.5, "seconds": 0.5}}}
    assert learn_searching(some[:39], NOW, "rules").lesson.state is State.TOO_FEW


def test_only_questions_of_known_answer_that_were_searched_for_again_count():
    cases = [
        Case("helped", "How high is it?", answers=("8 m",)),
        Case("once", "How wide is it?", answers=("9 m",)),
        Case("unknown", "How deep is it?"),
        Case("refused", "How old is it?", answerability=Answerability.NONE),
        Case("failed", "How new is it?", answers=("1",)),
        Case("own", "How long is it?", answers=("7 m",), passages=(Passage("p", "p", "", 0, 3, "7 m"),)),
    ]

    def result(case: str, text: str = "", rounds: int = 1, ms: float = 100.0) -> CaseResult:
        outcome = None if case == "failed" and rounds == 2 else Outcome.ANSWERED if text else Outcome.ABSTAINED
        return CaseResult(case, 0, outcome, text, sufficiency=0.5, rounds=rounds, ms=ms)

    once = [result(case.id) for case in cases]
    again = [
        result("helped", "It is 8 m high.", 2, 700.0),
        result("once"),
        *(result(name, "8 m", 2) for name in ("unknown", "refused", "failed", "own")),
    ]
    found = asked_twice(cases, once, {Action.REFINE: again}, Thresholds())
    assert [(one.group, one.is_right, one.triage) for one in found] == [
        ("how high is it", False, Triage.AMBIGUOUS),
        ("how old is it", True, Triage.AMBIGUOUS),
    ]
    assert found[0].after == {Action.REFINE: SearchedAgain(is_right=True, seconds=0.6)}
    assert not found[1].after[Action.REFINE].is_right
