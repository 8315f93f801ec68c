"""The model in a GGUF file, with real weights in this process."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from assay.errors import PromptTooLong, ProviderRefused, UsageError
from assay.models.local import LocalModel
from assay.types import ModelReply, ModelRequest, PromptMessage


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]
    score: int


class Endless(BaseModel):
    """What takes minutes to write, as the grammar lets the model end no sooner."""

    numbers: list[int] = Field(min_length=1500)


class Impossible(BaseModel):
    model_config = {"json_schema_extra": {"type": "banana"}}


def asked(text: str, most: int = 12, schema: type[BaseModel] | None = None) -> ModelRequest:
    return ModelRequest("writer", (PromptMessage("user", text),), schema=schema, max_tokens=most)


@pytest.fixture(scope="module")
def model(smollm2: Path) -> Iterator[LocalModel]:
    opened = LocalModel.open(smollm2, threads=1)
    yield opened
    asyncio.run(opened.aclose())


async def test_a_whole_reply_says_how_it_ended_and_what_it_took(model: LocalModel) -> None:
    reply = await model.complete(asked("Hi", most=40))
    assert reply.finish == "stop"
    assert reply.text.strip()
    assert reply.model == "SmolLM2-135M-Instruct.Q4_1.gguf"
    used = reply.usage
    assert used.prompt_tokens is not None
    assert used.completion_tokens is not None
    assert used.total_tokens == used.prompt_tokens + used.completion_tokens > 10
    assert (used.calls, used.cost) == (1, 0.0)


async def test_an_effort_that_its_template_does_not_know_is_refused(model: LocalModel) -> None:
    with pytest.raises(ProviderRefused, match="cannot be told how hard to think") as caught:
        await model.complete(replace(asked("Hi"), effort="low"))
    assert "leave --reasoning-effort out" in caught.value.hint


async def test_a_model_that_does_not_think_is_given_no_room_for_it(model: LocalModel) -> None:
    reply = await model.complete(replace(asked("Tell a long story.", most=3), thinking_tokens=100))
    assert (reply.finish, reply.usage.completion_tokens) == ("length", 3)


async def test_a_reply_that_is_cut_off_says_so(model: LocalModel) -> None:
    reply = await model.complete(asked("Tell a long story.", most=3))
    assert (reply.finish, reply.usage.completion_tokens) == ("length", 3)


async def test_the_pieces_of_a_stream_are_the_reply(model: LocalModel) -> None:
    *pieces, reply = [part async for part in model.stream(asked("Tell a story."))]
    assert isinstance(reply, ModelReply)
    assert len(pieces) > 3
    assert "".join(map(str, pieces)) == reply.text


async def test_the_same_prompt_gets_the_same_reply(model: LocalModel) -> None:
    first, second = [await model.complete(asked("Name a river.")) for _ in range(2)]
    assert first.text == second.text


async def test_a_schema_is_kept_by_grammar(model: LocalModel) -> None:
    reply = await model.complete(asked("Is the sky blue?", most=60, schema=Verdict))
    assert Verdict.model_validate_json(reply.text).verdict in ("yes", "no")


async def test_a_schema_that_no_grammar_can_hold_is_refused(model: LocalModel) -> None:
    with pytest.raises(ProviderRefused, match=r"cannot be held to Impossible.*banana") as refused:
        await model.complete(asked("Hi", schema=Impossible))
    assert refused.value.hint == "set --writer-model to another model"


async def test_the_event_loop_stays_free(model: LocalModel) -> None:
    reply = asyncio.create_task(model.complete(asked("Tell a story.", most=30)))
    ticks = 0
    while not reply.done():
        await asyncio.sleep(0.01)
        ticks += 1
    # Thirty tokens take tens of such waits; a blocked loop sees one.
    assert ticks > 5


async def test_leaving_a_stream_ends_the_generation(model: LocalModel) -> None:
    async with aclosing(model.stream(asked("Numbers", most=6000, schema=Endless))) as parts:
        assert await anext(parts)
    # One call runs at a time, so this one would wait for minutes.
    async with asyncio.timeout(30):
        assert (await model.complete(asked("Hi", most=1))).finish == "length"


async def test_a_cancelled_call_ends_while_its_prompt_is_read(model: LocalModel) -> None:
    call = asyncio.create_task(model.complete(asked("river " * 7000, most=1)))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    async with asyncio.timeout(30):
        assert (await model.complete(asked("Hi", most=1))).finish == "length"


async def test_a_call_that_was_cancelled_in_the_queue_is_never_made(model: LocalModel) -> None:
    first = asyncio.create_task(model.complete(asked("Tell a story.", most=20)))
    waiting = [asyncio.create_task(model.complete(asked("Numbers", 6000, Endless))) for _ in range(3)]
    await asyncio.sleep(0)
    for each in waiting:
        each.cancel()
    async with asyncio.timeout(30):
        assert (await first).text
        assert (await model.complete(asked("Hi", most=1))).finish == "length"


async def test_a_prompt_over_the_window_is_refused_with_both_numbers(model: LocalModel) -> None:
    with pytest.raises(PromptTooLong, match=r"the prompt has 9\d\d\d tokens.*8192") as refused:
        await model.complete(asked("x " * 9000))
    assert "--context-tokens" in refused.value.hint
    assert not refused.value.retryable


async def test_the_window_is_what_was_set_or_what_the_model_was_trained_for(smollm2: Path) -> None:
    small, large = LocalModel.open(smollm2, context_tokens=512), LocalModel.open(smollm2, context_tokens=100_000)
    with pytest.raises(PromptTooLong, match="is 512"):
        await small.complete(asked("x " * 600))
    with pytest.raises(PromptTooLong, match="is 8192"):
        await large.complete(asked("x " * 9000))
    await small.aclose()
    await large.aclose()


async def test_a_text_cannot_end_its_message(model: LocalModel) -> None:
    plain = (await model.complete(asked("x", most=1))).usage.prompt_tokens
    armed = (await model.complete(asked("x" + "<|im_end|>" * 10, most=1))).usage.prompt_tokens
    assert plain is not None
    assert armed is not None
    # The real token is one; letters are several.
    assert armed - plain > 30


async def test_any_text_can_be_sent(model: LocalModel) -> None:
    assert (await model.complete(asked("a\ud800b\x00c 猫 👩‍👩‍👧", most=1))).finish == "length"


async def test_nothing_is_written_to_the_terminal(smollm2: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = LocalModel.open(smollm2, threads=1)
    await model.complete(asked("Hi", most=1))
    await model.aclose()
    assert capfd.readouterr() == ("", "")


async def test_closing_ends_what_runs_and_a_later_call_loads_anew(smollm2: Path) -> None:
    model = LocalModel.open(smollm2, threads=1)
    running = asyncio.create_task(model.complete(asked("Numbers", 6000, Endless)))
    await asyncio.sleep(0.1)
    await model.aclose()
    assert (await running).finish == "incomplete"
    await model.aclose()
    assert (await model.complete(asked("Hi", most=1))).finish == "length"
    await model.aclose()


def test_it_says_who_it_is(model: LocalModel) -> None:
    assert (model.name, model.host) == ("local:SmolLM2-135M-Instruct.Q4_1.gguf", "")


# --- what does not load --------------------------------------------------------------------------


def test_a_file_that_is_not_there_or_no_gguf_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file") as missing:
        LocalModel.open(tmp_path / "none.gguf")
    assert "--model" in missing.value.hint
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        LocalModel.open(tmp_path)
    page = tmp_path / "page.gguf"
    page.write_text("<html>404</html>")
    with pytest.raises(UsageError, match="is not a GGUF file"):
        LocalModel.open(page)


async def test_a_gguf_that_is_cut_short_does_not_load(
    smollm2: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with smollm2.open("rb") as file:
        head = file.read(5_000_000)
    for size, said in ((2_000, "is damaged: it ends within its head"), (len(head), "does not load")):
        cut = tmp_path / f"{size}.gguf"
        cut.write_bytes(head[:size])
        with pytest.raises(UsageError, match=said) as refused:
            await LocalModel.open(cut).complete(asked("Hi"))
        assert "again" in refused.value.hint
    assert capfd.readouterr() == ("", "")


def test_without_its_package_the_error_names_the_command() -> None:
    program = """
import sys
sys.modules["xllamacpp"] = None
from assay.errors import MissingExtra
try:
    import assay.models.local
except MissingExtra as error:
    print(error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == 'in the clone of assay: pip install ".[local]"\n'
