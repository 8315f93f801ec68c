"""The same real model behind an OpenAI-compatible server: the adapter alone, then whole questions."""

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from assay.engine import Engine
from assay.errors import PromptTooLong
from assay.models.openai import OpenAiModel
from assay.types import (
    Done,
    Event,
    Failed,
    Message,
    ModelReply,
    ModelRequest,
    PromptMessage,
    SentenceProvisional,
    SentenceVerified,
    SentenceWithdrawn,
)
from assay.wiring import open_engine

# A busy machine is no reason to fail: seconds for a reply, and for a question.
PATIENCE = DEADLINE = 300.0
# Seconds for a question whose reply this model seldom ends, as any model is given room to think, 7,000 tokens. Time
# that is up is an end like any other.
AMPLE = 12.0


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]
    score: int


class Endless(BaseModel):
    """What takes minutes to write, as the grammar lets the model end no sooner."""

    numbers: list[int] = Field(min_length=1500)


def asked(text: str, most: int = 12, schema: type[BaseModel] | None = None) -> ModelRequest:
    return ModelRequest("writer", (PromptMessage("user", text),), schema=schema, max_tokens=most)


@pytest.fixture
async def model(smollm2_url: str) -> AsyncIterator[OpenAiModel]:
    opened = OpenAiModel("smollm2", base_url=f"{smollm2_url}/v1", seconds=PATIENCE, idle_seconds=PATIENCE)
    yield opened
    await opened.aclose()


async def busy(url: str) -> bool:
    """Whether the server is generating anything."""

    def slots() -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{url}/slots", timeout=PATIENCE) as reply:  # noqa: S310 - our own server
            found: list[dict[str, Any]] = json.load(reply)
            return found

    return any(slot["is_processing"] for slot in await asyncio.to_thread(slots))


async def becomes_idle(url: str) -> None:
    """Wait until the server generates nothing; what it was asked for takes minutes."""
    async with asyncio.timeout(30):
        while await busy(url):
            await asyncio.sleep(0.05)


# --- the adapter ---------------------------------------------------------------------------------


async def test_a_whole_reply_says_how_it_ended_and_what_it_took(model: OpenAiModel) -> None:
    reply = await model.complete(asked("Tell a long story.", most=4))
    assert (reply.finish, reply.usage.completion_tokens) == ("length", 4)
    assert reply.text
    assert reply.usage.prompt_tokens
    assert (await model.complete(asked("Hi", most=60))).finish == "stop"


async def test_the_pieces_of_a_stream_are_the_reply(model: OpenAiModel) -> None:
    *pieces, reply = [part async for part in model.stream(asked("Tell a story."))]
    assert isinstance(reply, ModelReply)
    assert len(pieces) > 3
    assert "".join(map(str, pieces)) == reply.text
    assert reply.usage.completion_tokens == 12


async def test_a_schema_is_kept_by_grammar(model: OpenAiModel) -> None:
    reply = await model.complete(asked("Is the sky blue?", most=60, schema=Verdict))
    assert Verdict.model_validate_json(reply.text).verdict in ("yes", "no")


async def test_leaving_a_stream_ends_the_generation(model: OpenAiModel, smollm2_url: str) -> None:
    """Only a stream's: this server does not look whether the client of a whole reply is still there."""
    async with aclosing(model.stream(asked("Numbers", most=6000, schema=Endless))) as parts:
        assert await anext(parts)
        assert await busy(smollm2_url)
    await becomes_idle(smollm2_url)


async def test_a_prompt_over_the_window_is_too_long(model: OpenAiModel) -> None:
    with pytest.raises(PromptTooLong, match="8192"):
        await model.complete(asked("x " * 9000))


# --- whole questions -----------------------------------------------------------------------------

RATES = """# Rates

The savings rate is 2.5 percent a year. It was set on 3 May 2021 by the board of the Harbour Bank.

A transfer within the country is free. A transfer abroad costs 4 euros.
"""
QUESTION = "What is the savings rate of the Harbour Bank?"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "rates.md"
    path.write_text(RATES)
    return path


def opened(tmp_path: Path, url: str, deadline: float = DEADLINE, **settings: Any) -> Engine:
    return open_engine(
        data_dir=tmp_path / "data",
        model="openai:smollm2",
        openai_base_url=f"{url}/v1",
        deadline=deadline,
        request_seconds=PATIENCE,
        idle_seconds=PATIENCE,
        offline=True,
        detail=1,
        reflection=False,  # an answer's assessment, which nothing here looks at, takes such a model minutes
        **settings,
    )


def told_once(events: list[Event]) -> None:
    """Every sentence has exactly one end, and the run one last event."""
    shown = [each.sentence.number for each in events if isinstance(each, SentenceProvisional)]
    ended = [each.sentence.number for each in events if isinstance(each, SentenceVerified | SentenceWithdrawn)]
    assert shown == ended
    assert [isinstance(each, Done | Failed) for each in events] == [False] * (len(events) - 1) + [True]


async def test_judge_and_writer_end_in_an_answer_or_in_words(
    tmp_path: Path, document: Path, smollm2_url: str
) -> None:
    """So weak a model may fail at anything, and may write until its time is up; nothing of that may be silent."""
    async with opened(tmp_path, smollm2_url, AMPLE, profile="thorough") as engine:
        engine.add([document])
        async with aclosing(engine.stream(QUESTION)) as run:
            events = [event async for event in run]
    told_once(events)
    last = events[-1]
    if isinstance(last, Failed):
        assert last.hint
        return
    assert isinstance(last, Done)
    assert last.answer.text
    assert last.answer.usage.calls >= 1
    # Of a call that was left before its end nobody knows the tokens.
    left = ("what followed was not read", "the deadline passed")
    told = " ".join(last.answer.warnings)
    assert last.answer.usage.prompt_tokens is not None or any(each in told for each in left)


async def test_a_follow_up_is_made_to_stand_alone(tmp_path: Path, document: Path, smollm2_url: str) -> None:
    history = [Message("user", QUESTION), Message("assistant", "2.5 percent a year.")]
    async with opened(tmp_path, smollm2_url, profile="fast") as engine:
        engine.add([document])
        async with aclosing(engine.stream("And who was it that set it?", history)) as run:
            events = [event async for event in run]
    told_once(events)
