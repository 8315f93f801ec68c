"""A deadline that was asked for holds for anyone's text too: what was not tested in time is unknown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.core.fix import fix_draft
from assay.core.run import Deadline, lateness
from assay.core.stages import Stages
from assay.engine import Engine
from assay.prompting import random_fence
from assay.repair.rewrite import ModelRepairer
from assay.repair.rules import ComposedRepairer, RulesRepairer
from assay.settings import load_settings
from assay.testing.fakes import scripted_stages
from assay.types import (
    Limits,
    ModelReply,
    ModelRequest,
    Passage,
    RepairKind,
    Severity,
    Status,
    Verdict,
)
from assay.verification.model_verifier import ClaimRequest, ModelVerifier, Ruling
from assay.verification.verifier import DeterministicVerifier
from assay.wiring import open_checker

SAID = "It rained in Ulm on Wednesday."
NOWHERE = Path("/nowhere")
PASSAGE = Passage("p", "d", "r", 0, len(SAID), SAID)
MANY = " ".join([SAID] * 100)


async def never() -> None:
    """Wait for what never comes."""
    await asyncio.Event().wait()


@dataclass
class SetClock:
    """Tells the time that it was set to."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class SlowTier:
    """A tier that never rules."""

    name: str = "slow"
    cost: int = 1

    async def rule(self, asked: Sequence[ClaimRequest]) -> tuple[Ruling, ...]:
        await never()
        raise AssertionError


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


def late_after(looks: int) -> Callable[[], Callable[[], bool]]:
    """In time at so many looks at the clock, late from then on."""
    left = [looks]

    def late() -> bool:
        left[0] -= 1
        return left[0] < 0

    return lambda: late


async def test_what_is_not_tested_in_time_is_unknown_and_what_was_tested_keeps_its_verdict():
    review = await DeterministicVerifier(lateness=late_after(1)).check(MANY, (PASSAGE,))
    verdicts = [claim.verdict for claim in review.claims]
    assert [claim.n for claim in review.claims] == list(range(1, 101))
    tested = verdicts.count(Verdict.SUPPORTED)
    assert 0 < tested < 100
    assert verdicts == [Verdict.SUPPORTED] * tested + [Verdict.UNKNOWN] * (100 - tested)
    opened = [each for each in review.checks if each.status is Status.UNKNOWN]
    assert {(each.name, each.cause, each.severity) for each in opened} == {("support", "deadline", Severity.BLOCK)}
    assert [each.claim for each in opened] == list(range(tested + 1, 101))


async def test_in_time_a_text_is_tested_as_it_is_without_a_deadline():
    text = f"{MANY} It snowed in Rome [1]. It rained in Ulm on Friday [2]."
    hurried = await DeterministicVerifier(lateness=late_after(1000)).check(text, (PASSAGE,))
    assert hurried == await DeterministicVerifier().check(text, (PASSAGE,))


def test_what_begins_past_the_deadline_to_close_has_as_long_again():
    clock = SetClock(100.0)
    begun = lateness(4.0, clock)
    first = begun()
    assert not first()
    clock.now = 104.0
    assert first()
    closing = begun()
    assert not closing()
    clock.now = 108.0
    assert closing()


async def test_a_tier_that_is_late_could_not_say_which_leaves_the_check_open():
    text = "Wednesday in Ulm was rained on."
    verifier = ModelVerifier(DeterministicVerifier(), SlowTier(), Deadline(0.0).within)
    review = await verifier.check(text, (PASSAGE,))
    alone = await DeterministicVerifier().check(text, (PASSAGE,))
    assert alone.claims[0].support is not None
    (told,) = [each for each in review.checks if each.name == "verifier"]
    assert (told.status, told.severity, told.cause) == (Status.UNKNOWN, Severity.BLOCK, "slow: deadline")


async def test_a_repair_that_is_late_leaves_what_failed_marked_and_nothing_else_is_asked():
    model, verifier = SlowModel(), DeterministicVerifier()
    told: list[str] = []
    rewriter = ModelRepairer(model, told.append, random_fence)
    on = scripted_stages(
        verifier=verifier,
        repairer=ComposedRepairer(RulesRepairer(verifier), {RepairKind.REWRITE: rewriter}),
        allowed_repairs=frozenset({RepairKind.REWRITE, RepairKind.HEDGE, RepairKind.DROP}),
    )
    on = replace(on, in_time=Deadline(0.0).within)
    draft = f"{SAID} Elephants eat trees in Kenya. Nobody likes the cold soup of Rome."
    made = await fix_draft(draft, (PASSAGE,), on, Limits(repairs=4))
    assert made.given_text == (f"{SAID} Elephants eat trees in Kenya. ⚠ Nobody likes the cold soup of Rome. ⚠")
    assert len(model.asked) <= 1
    assert made.review.claims[0].verdict is Verdict.SUPPORTED


def test_only_a_deadline_that_was_asked_for_cuts_anyones_text():
    assert (
        load_settings({}, environment={}, folder=NOWHERE, config_file=NOWHERE).settings.was_set("deadline") is False
    )
    by_variable = load_settings({}, environment={"ASSAY_DEADLINE": "4"}, folder=NOWHERE, config_file=NOWHERE)
    assert by_variable.settings.was_set("deadline")
    with open_checker(models=False) as engine:
        assert composed(engine).lateness is None
    with open_checker(models=False, deadline=4.0) as engine:
        assert composed(engine).lateness is not None


def composed(engine: Engine) -> DeterministicVerifier:
    """The verifier of anyone's text."""

    async def stages() -> Stages:
        return (await engine._begin_unrecorded("a text"))[1]

    verifier = asyncio.run(stages()).verifier
    assert isinstance(verifier, DeterministicVerifier)
    return verifier
