"""The steps of the pipeline around what is measured: the time that it takes, and the judge beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from assay.errors import DeadlinePassed, Diverged, ProviderUnreachable
from assay.judging.judge import JudgePipeline, NoJudge
from assay.testing.fakes import ScriptedJudge
from assay.types import Action, Evidence, Judgement, Question

MakeEvidence = Callable[..., Evidence]
ASKED = Question("When did it open?", "When did it open?")
SAID = Judgement(0.8, Action.ANSWER, "as scripted", issues=("old",), mode_used="fast")
OTHER = Judgement(0.2, Action.EXTERNAL, "otherwise", mode_used="balanced")


class ScriptedClock:
    """Tells the times written down for it."""

    def __init__(self, *times: float) -> None:
        self._times = list(times)

    def monotonic(self) -> float:
        return self._times.pop(0)

    def time(self) -> float:
        raise AssertionError("nobody asks for the date")

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody sleeps")


@dataclass(frozen=True, slots=True)
class FailingJudge:
    error: BaseException

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        raise self.error


def scripted(said: Judgement, found: Evidence) -> ScriptedJudge:
    return ScriptedJudge({found.ids: said})


async def test_the_time_is_measured_on_the_clock(evidence: MakeEvidence) -> None:
    found = evidence("text")
    pipeline = JudgePipeline(scripted(SAID, found), ScriptedClock(7.0, 7.25))
    judged = await pipeline.judge(ASKED, found)
    assert judged == replace(SAID, ms=250.0, ambiguity=judged.ambiguity)


async def test_a_judgement_that_is_only_recorded_changes_nothing(evidence: MakeEvidence) -> None:
    found = evidence("text")
    judged = await NoJudge(scripted(OTHER, found)).judge(ASKED, found)
    assert judged.shadow == OTHER
    assert replace(judged, shadow=None) == await NoJudge().judge(ASKED, found)
    assert judged.to_dict()["shadow"]["sufficiency"] == 0.2


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (ProviderUnreachable("no connection", hint="try later"), "the shadow judge failed: no connection"),
        (DeadlinePassed("10 s are over", hint="allow more"), "the shadow judge failed: 10 s are over"),
        (ValueError("a defect\x1b"), "the shadow judge failed: ValueError: a defect"),
    ],
)
async def test_a_recorded_judge_that_fails_changes_nothing(
    evidence: MakeEvidence, error: Exception, named: str
) -> None:
    found = evidence("text")
    judged = await NoJudge(FailingJudge(error)).judge(ASKED, found)
    assert replace(judged, shadow=None) == await NoJudge().judge(ASKED, found)
    assert judged.shadow is not None
    assert (judged.shadow.sufficiency, judged.shadow.issues) == (None, (named,))


@pytest.mark.parametrize("error", [Diverged("step 3", hint="-"), asyncio.CancelledError()])
async def test_a_diverged_replay_and_a_cancelled_question_end(evidence: MakeEvidence, error: BaseException) -> None:
    found = evidence("text")
    with pytest.raises(type(error)):
        await NoJudge(FailingJudge(error)).judge(ASKED, found)


async def test_the_judge_that_counts_may_fail(evidence: MakeEvidence) -> None:
    found = evidence("text")
    with pytest.raises(ValueError, match="a defect"):
        await JudgePipeline(FailingJudge(ValueError("a defect")), ScriptedClock(0.0, 0.0)).judge(ASKED, found)
