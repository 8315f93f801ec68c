"""The difference of two ends of runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.records.difference import RunEnd, difference
from assay.records.runs import RunStore
from assay.types import (
    Acted,
    Action,
    Check,
    CheckChange,
    Claim,
    ClaimChange,
    Confidence,
    Done,
    Failed,
    SentenceChange,
    Severity,
    Status,
    Step,
    Verdict,
)

from .test_runs import answer


def claim(n: int, text: str, verdict: Verdict = Verdict.SUPPORTED, support: float | None = 0.9) -> Claim:
    return Claim(n, text, 0, len(text), (), verdict, support)


def end(text: str = "It rained. [1]", **changes: object) -> RunEnd:
    return RunEnd.of_answer(replace(answer("01JA", text), **changes))


def test_an_answer_does_not_differ_from_itself_or_from_one_with_other_times():
    assert difference(end(), end(ms=99.0, first_verified_ms=3.0, run_id="01JB")).is_empty


def test_numbers_that_round_alike_do_not_differ():
    one, other = (end(confidence=Confidence(None, score, "high")) for score in (0.9001, 0.9004))
    assert difference(one, other).is_empty
    (change,) = difference(one, end(confidence=Confidence(None, 0.91, "high"))).changed
    assert (change.path, change.before, change.after) == ("confidence.score", 0.9001, 0.91)


def test_sentences_stand_side_by_side_without_their_marks():
    found = difference(
        end("It rained. [1] It froze. [2] It thawed. [3]"),
        end("It rained. [2] It snowed. [1] It thawed. [3] Ja. [1]"),
    )
    assert found.sentences == (
        SentenceChange("same", "It rained.", "It rained."),
        SentenceChange("changed", "It froze.", "It snowed."),
        SentenceChange("same", "It thawed.", "It thawed."),
        SentenceChange("added", None, "Ja."),
    )
    assert difference(end("It rained. It froze."), end("It froze.")).sentences[0].state == "removed"


def test_claims_are_known_by_their_texts_and_told_where_their_verdicts_differ():
    one = end(claims=(claim(1, "It rained."), claim(2, "It rained."), claim(3, "It froze.")))
    other = end(claims=(claim(1, "It froze."), claim(2, "It rained.", Verdict.CONTRADICTED, 0.1)))
    assert difference(one, other).claims == (
        ClaimChange("It rained.", 1, 2, "supported", "contradicted", 0.9, 0.1),
        ClaimChange("It rained.", 2, None, "supported", None, 0.9, None),
    )


def test_checks_are_compared_by_the_claims_that_they_are_about():
    def check(name: str, status: Status, about: int | None) -> Check:
        return Check(name, status, Severity.WARN, about, None if status is Status.PASSED else "why")

    one = end(claims=(claim(1, "It froze."),), checks=(check("numbers", Status.PASSED, 1),))
    shifted = (claim(1, "It rained."), claim(2, "It froze."))
    same = end(claims=shifted, checks=(check("numbers", Status.PASSED, 2),))
    other = end(
        claims=shifted, checks=(check("numbers", Status.FAILED, 2), check("language", Status.UNKNOWN, None))
    )
    assert difference(one, same).checks == ()
    assert difference(one, other).checks == (
        CheckChange("numbers", "It froze.", ("passed",), ("failed",)),
        CheckChange("language", "", (), ("unknown",)),
    )


def test_the_end_of_a_record_is_that_of_its_answer(tmp_path: Path):
    store = RunStore(tmp_path / "runs.sqlite")
    acted = Acted(seq=1, step=Step(Action.REFINE, ("q",), frozenset(), 0.5), reason="it may not suffice")
    given = answer("01JA")
    store.open("01JA", "How hot?")
    store.receive("01JA", acted)
    store.receive("01JA", Done(seq=2, answer=given))
    assert RunEnd.of_record(store.load("01JA")) == RunEnd.of_answer(replace(given, trace=(acted,)))
    assert difference(RunEnd.of_record(store.load("01JA")), RunEnd.of_answer(given)).changed[0].before == ["REFINE"]
    store.close()


def test_an_error_and_an_answer_differ_in_everything(tmp_path: Path):
    store = RunStore(tmp_path / "runs.sqlite")
    store.open("01JA", "How hot?")
    store.receive("01JA", Failed(seq=1, error="DeadlinePassed", message="too late", hint="wait"))
    found = difference(RunEnd.of_record(store.load("01JA")), end())
    error = found.change("error")
    assert error is not None
    assert (error.before, error.after) == ("DeadlinePassed: too late", "")
    assert [row.state for row in found.sentences] == ["added"]
    assert not found.is_empty
    store.close()
