"""Every fault of a verifier model's service, alone and beside a verifier that works: no claim passes in silence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay import open_engine
from assay.models.openai import OpenAiModel
from assay.models.run_model import RunModel
from assay.types import Passage, Review, Status, Verdict
from assay.verification.model_verifier import ModelTier, ModelVerifier
from assay.verification.verifier import DeterministicVerifier
from support.provider import FAULTS, Asked, Fault, LocalProvider

in_one_loop = pytest.mark.asyncio(loop_scope="module")

SOURCE = "The old mill stood by the river for two centuries. It burned down in the winter of 1901. It is gone."
CLAIM = "Fire destroyed the ancient mill beside the river."
PASSAGE = Passage("p1", "p1", "r1", 0, len(SOURCE), SOURCE)
# Faults after which the model's reply is still whole and as asked.
GOOD_ENOUGH = {
    "json-in-prose",
    "json-in-fences",
    "usage-missing",
    "usage-negative",
    "unknown-fields",
    "stream-split-utf8",
}


def asked_of(verdict: str) -> str:
    part = {"text": CLAIM, "verdict": verdict, "sentences": [1, 2]}
    return json.dumps({"claims": [{"number": 1, "parts": [part]}]})


def answered(asked: Asked) -> str:
    """An honest verifier, which finds the claim supported."""
    return asked_of("supported")


# Faults that a limit of time ends, which is short for them; a busy machine has plenty for all others.
SLOW = "slow"
SLOW_FAULTS = {"accept-and-hang", "stream-pings", "stream-drip"}
FITTING = [fault for fault in FAULTS.values() if fault.fits(Asked("openai", "m", (), {}, False))]


@pytest.fixture(scope="module")
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(answered) as running:
        yield running


@pytest.fixture(autouse=True)
def _clean(provider: LocalProvider) -> Iterator[None]:
    provider.forget()
    yield
    provider.behave()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def models(provider: LocalProvider) -> AsyncIterator[dict[str | None, OpenAiModel]]:
    opened = {
        place: OpenAiModel(
            "fake",
            api_key="sk-0123456789abcdef",
            base_url=provider.address("openai", None if place == SLOW else place),
            seconds=0.5 if place == SLOW else 20.0,
            idle_seconds=0.3 if place == SLOW else 20.0,
        )
        for place in (None, SLOW, *(fault.id for fault in FITTING if fault.place == "address"))
    }
    yield opened
    for model in opened.values():
        await model.aclose()


async def reviewed(model: OpenAiModel) -> Review:
    async with asyncio.timeout(120):
        tier = ModelTier(RunModel(model))
        return await ModelVerifier(DeterministicVerifier(), tier).check(CLAIM, (PASSAGE,))


def model_of(fault: Fault, models: dict[str | None, OpenAiModel]) -> OpenAiModel:
    if fault.id in SLOW_FAULTS:
        return models[SLOW]
    return models[fault.id if fault.place == "address" else None]


def assert_told(review: Review) -> None:
    """The claim is not supported, and a check says that a verifier could not be heard and why."""
    [claim] = review.claims
    assert claim.verdict is not Verdict.SUPPORTED
    [check] = [each for each in review.checks if each.name == "verifier"]
    assert check.status is Status.UNKNOWN
    assert check.cause
    [event] = [each for each in claim.history if each.by == "openai:fake"]
    assert event.state == "unknown"


@in_one_loop
async def test_an_honest_verifier_is_heard(models: dict[str | None, OpenAiModel]) -> None:
    [claim] = (await reviewed(models[None])).claims
    assert claim.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("profile", ["fast", "balanced", "thorough"])
async def test_an_engine_asks_its_verifier_model_at_every_depth(
    profile: str, provider: LocalProvider, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {
        "openai_base_url": provider.address("openai", None),
        "openai_api_key": "sk-0123456789abcdef",
    }
    engine = open_engine(data_dir=tmp_path, verifier_model="openai:fake", profile=profile, **settings)
    async with aclosing(engine):
        checked = await engine.acheck(CLAIM, [PASSAGE])
    assert [claim.verdict for claim in checked.claims] == [Verdict.SUPPORTED]
    assert len(provider.requests) == 1


@pytest.mark.parametrize("fault", FITTING, ids=lambda fault: fault.id)
@in_one_loop
async def test_no_fault_passes_in_silence(
    fault: Fault, provider: LocalProvider, models: dict[str | None, OpenAiModel]
) -> None:
    if fault.place != "address":
        provider.misbehave(fault.id)
    review = await reviewed(model_of(fault, models))
    if fault.id in GOOD_ENOUGH:
        assert review.claims[0].verdict is Verdict.SUPPORTED
    else:
        assert_told(review)
