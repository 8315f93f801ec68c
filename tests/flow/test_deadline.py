"""A deadline that passes once there is an answer: the best so far is given, and what was not tested is unknown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace

import pytest

from assay.core.budget import Budget
from assay.core.pipeline import run_question
from assay.core.run import Run
from assay.core.stages import Stages
from assay.core.tape import SystemClock, Tape
from assay.errors import BudgetSpent, DeadlinePassed, ProviderFailed
from assay.models.run_model import RunModel
from assay.prompting import random_fence
from assay.records.replay import ModelTape, TapedFences
from assay.repair.rewrite import ModelRepairer
from assay.repair.rules import ComposedRepairer, RulesRepairer
from assay.testing.fakes import (
    ScriptedAssessor,
    ScriptedJudge,
    ScriptedRetriever,
    ScriptedRules,
    ScriptedVerifier,
    ScriptedWriter,
    review_of,
    scripted_stages,
)
from assay.types import (
    Action,
    Answer,
    Assessment,
    Check,
    Event,
    Evidence,
    Finished,
    Hit,
    Judgement,
    Limits,
    ModelReply,
    ModelRequest,
    Outcome,
    Passage,
    Question,
    RepairKind,
    Sentence,
    SentenceVerified,
    SentenceWithdrawn,
    Severity,
    Status,
    Verdict,
)

QUESTION = "How hot is boiling water?"
PASSAGE = Passage("p1", "d1", "r", 0, 27, "Water boils at 100 degrees.", title="Water")
GOOD, BAD, OPEN = Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN
HOT, COLD, WET = "It boils at 100 degrees.", "It freezes at 5 degrees.", "It is wet."
DONE = Finished("stop")
LATE = DeadlinePassed("no time is left", hint="allow more")


async def never() -> None:
    """Wait for what never comes."""
    await asyncio.Event().wait()


@dataclass
class Slow:
    """Writes its parts; where there is None it waits until nobody waits for it any more."""

    drafts: list[tuple[Sentence | Finished | None, ...]]

    async def write(self, question, evidence, advice) -> AsyncGenerator[Sentence | Finished, None]:
        for part in self.drafts.pop(0):
            if part is None:
                await never()
            else:
                yield part


@dataclass
class SlowModel:
    """A model that never answers."""

    name: str = "slow"
    host: str = ""
    asked: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        await never()
        raise AssertionError

    async def aclose(self) -> None:
        """Nothing is held."""


def stages(writer, model=None, *, reviews=None, **given) -> Stages:
    suffices = Judgement(sufficiency=0.9, recommendation=Action.ANSWER, reason="covered", mode_used="fast")
    reviewed = {
        HOT: review_of((HOT, GOOD)),
        COLD: review_of((COLD, BAD)),
        f"{HOT} {COLD}": review_of((COLD, BAD)),
        f"{HOT} {WET}": review_of((WET, GOOD)),
    }
    told: list[str] = []
    verifier = ScriptedVerifier(reviewed | (reviews or {}))
    rewriter = ModelRepairer(model, told.append, random_fence) if model else RulesRepairer(verifier)
    usual = {
        "retriever": ScriptedRetriever({(QUESTION,): Evidence((Hit(PASSAGE, 1.0),))}),
        "judge": ScriptedJudge({frozenset({"p1"}): suffices}),
        "writer": writer,
        "fallback_writer": ScriptedWriter({}),
        "verifier": verifier,
        "repairer": ComposedRepairer(RulesRepairer(verifier), {RepairKind.REWRITE: rewriter}),
        "allowed_actions": frozenset({Action.ANSWER}),
        "allowed_repairs": frozenset({RepairKind.REWRITE, RepairKind.HEDGE, RepairKind.DROP}),
    }
    return scripted_stages(**(usual | given))


def run_of(tape: Tape | None = None) -> Run:
    # What waits is cut at once; what does not is done all the same.
    limits = Limits(seconds=0.0, repairs=4)
    return Run("run", "balanced", limits, SystemClock(), Budget(limits, SystemClock()), tape)


async def asked(on: Stages, tape: Tape | None = None) -> tuple[Answer, list[Event]]:
    events: list[Event] = []
    return await run_question(QUESTION, (), run_of(tape), on, events.append), events


def said(*texts: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(n, text) for n, text in enumerate(texts, 1))


async def test_a_repair_that_lasts_too_long_leaves_the_answer_without_what_failed():
    model = SlowModel()
    answer, events = await asked(stages(Slow([(*said(HOT, COLD), DONE)]), model))
    assert (answer.text, answer.outcome, len(model.asked)) == (HOT, Outcome.ANSWERED, 1)
    assert [claim.text for claim in answer.dropped] == [COLD]
    assert answer.dropped[0].history[-1].state == "dropped"
    assert any(
        "the deadline passed before the answer was fully tested and repaired" in each for each in answer.warnings
    )
    assert [type(event) for event in events if isinstance(event, SentenceVerified | SentenceWithdrawn)] == [
        SentenceVerified,
        SentenceWithdrawn,
    ]


async def test_or_with_it_marked_where_nothing_is_to_be_dropped():
    allowed_repairs = frozenset({RepairKind.REWRITE, RepairKind.HEDGE})
    answer, _ = await asked(stages(Slow([(*said(HOT, COLD), DONE)]), SlowModel(), allowed_repairs=allowed_repairs))
    assert answer.text == f"{HOT} {COLD} ⚠"
    assert (answer.verdict, answer.validate()) == (BAD, False)


async def test_what_comes_after_that_is_not_tested_and_marked_so():
    model = SlowModel()
    answer, _ = await asked(stages(Slow([(*said(HOT, COLD, WET), DONE)]), model))
    assert answer.text == f"{HOT} {WET} ⚠"
    assert (answer.verdict, answer.validate(), len(model.asked)) == (OPEN, False, 1)
    (unknown,) = [each for each in answer.checks if each.status is Status.UNKNOWN]
    assert (unknown.cause, unknown.severity) == ("deadline", Severity.BLOCK)


@pytest.mark.parametrize("error", [LATE, BudgetSpent("no calls", hint="more"), ProviderFailed("down", hint="wait")])
async def test_a_test_that_cannot_be_made_is_unknown_and_no_error(error):
    on = stages(Slow([(*said(HOT, WET), DONE)]), reviews={f"{HOT} {WET}": error})
    answer, _ = await asked(on)
    assert answer.text == f"{HOT} {WET} ⚠"
    assert (answer.verdict, answer.validate(), answer.outcome) == (OPEN, False, Outcome.ANSWERED)
    assert any("deadline passed" in each for each in answer.warnings) == (error is LATE)


async def test_what_was_verified_while_the_time_went_for_repairs_is_a_partial_answer():
    answer, _ = await asked(stages(Slow([(*said(HOT, COLD), None)]), SlowModel()))
    assert (answer.text, answer.outcome) == (HOT, Outcome.PARTIAL)
    assert any("before the answer was fully written" in each for each in answer.warnings)


@pytest.mark.parametrize("draft", [(None,), (*said(HOT), None), (*said(COLD), None), (*said(COLD), DONE)])
async def test_where_nothing_passed_in_time_there_is_no_answer(draft):
    with pytest.raises(DeadlinePassed, match="not answered within 0 s"):
        await asked(stages(Slow([draft]), SlowModel()))


WEAK = Assessment((), 0.6, False, "hash")
BROKEN = (Check("rule:short", Status.FAILED, Severity.REPAIR, None, "too long"),)


async def test_a_second_draft_that_is_not_finished_does_not_cost_the_first():
    writer = Slow([(*said(HOT), DONE), (*said(WET), None)])
    rules = ScriptedRules({HOT: BROKEN})
    again = frozenset({RepairKind.REGENERATE})
    on = stages(writer, rules=rules, allowed_repairs=again, reviews={WET: review_of((WET, GOOD))})
    answer, _ = await asked(on)
    assert (answer.text, answer.outcome, answer.drafts) == (HOT, Outcome.ANSWERED, 1)
    assert answer.warnings == ("the answer was not written again: the question was not answered within 0 s",)
    assert answer.repairs == ()


class SlowRules(ScriptedRules):
    async def examine(self, question: Question, evidence: Evidence, text: str):
        await never()


class SlowAssessor(ScriptedAssessor):
    async def assess(self, question, evidence, draft, review):
        await never()


async def test_output_rules_that_could_not_be_looked_at_are_unknown():
    on = stages(Slow([(*said(HOT), DONE)]), rules=SlowRules({}), allowed_repairs=frozenset({RepairKind.REGENERATE}))
    answer, _ = await asked(on)
    (unknown,) = [each for each in answer.checks if each.status is Status.UNKNOWN]
    assert (unknown.name, unknown.severity, unknown.cause[:9]) == ("rules", Severity.BLOCK, "deadline:")
    assert (answer.text, answer.validate()) == (HOT, False)
    assert [each.check for each in answer.findings] == ["rules"]


async def test_an_assessment_that_was_not_made_in_time_is_none():
    answer, _ = await asked(stages(Slow([(*said(HOT), DONE)]), assessor=SlowAssessor({})))
    assert (answer.text, answer.assessment) == (HOT, None)
    assert "the answer was not assessed: the question was not answered within 0 s" in answer.warnings


async def test_a_run_that_was_cut_is_the_same_when_it_is_replayed():
    def on(tape: Tape, model) -> Stages:
        made = stages(Slow([(*said(HOT, COLD, WET), DONE)]))
        taped = ModelRepairer(
            RunModel(model, tape=ModelTape(tape)), lambda _note: None, TapedFences(random_fence, tape)
        )
        return replace(made, repairer=ComposedRepairer(made.repairer, {RepairKind.REWRITE: taped}))

    tape = Tape()
    answer, _ = await asked(on(tape, SlowModel()), tape)
    assert answer.text == f"{HOT} {WET} ⚠"
    replayed, gone = Tape(tape.entries), SlowModel()
    again, _ = await asked(on(replayed, gone), replayed)
    assert (again.text, again.claims, again.warnings) == (answer.text, answer.claims, answer.warnings)
    assert gone.asked == []
