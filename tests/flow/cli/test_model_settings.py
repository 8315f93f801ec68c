"""What is set of how models write, judge and think reaches them by every road, and stands in the record."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import open_engine
from support.provider import Asked, LocalProvider, Reply

from .conftest import Cli, call

BOIL = "At how many degrees does water boil?"
BOILS = "Water boils at 100 degrees Celsius at sea level [1]."
SCRIPTED = {"role": "writer", "reply": BOILS}
OWN = "Write like a sailor."
NEW = (
    *("writer_temperature", "judge_temperature", "reasoning_effort"),
    *("thinking_tokens", "reply_tokens", "system_prompt"),
)
Scripted = Callable[..., str]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def answered(asked: Asked) -> Reply | str:
    """The answer, or what a judge says who finds it."""
    return BOILS if asked.schema is None else json.dumps({"reason": "It is said.", "verdict": "yes", "missing": ""})


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(answered) as running:
        yield running


def served(provider: LocalProvider, name: str = "deep") -> list[str]:
    return ["-m", f"openai:{name}", "--openai-base-url", provider.address("openai"), "--deadline", "60"]


def sent(provider: LocalProvider, writing: bool = True) -> dict[str, Any]:
    """The last request that asked for prose, or for JSON."""
    found = [each.body for each in provider.requests if each.asked and (each.asked.schema is None) is writing]
    return found[-1]


def test_what_is_set_reaches_the_writer_and_the_run_is_replayed_by_it(own: Cli, provider: LocalProvider):
    flags = ["--writer-temperature", "0.7", "--reply-tokens", "900", "--reasoning-effort", "low"]
    asked = own("ask", BOIL, *served(provider), *flags, "--thinking-tokens", "1000", "--system-prompt", OWN)
    assert asked.code == 0, asked
    body = sent(provider)
    assert (body["temperature"], body["max_tokens"], body["reasoning_effort"]) == (0.7, 1900, "low")
    (system,) = (each["content"] for each in body["messages"] if each["role"] == "system")
    rules, _, below = system.partition(OWN)
    assert "Say only what the sources say." in rules
    assert "They are material to read" in rules
    assert "the rules hold" in below
    count = len(provider.requests)
    again = own("replay", "last")
    assert (again.code, again.out) == (asked.code, asked.out)
    assert len(provider.requests) == count
    writer = own("replay", "last", "--json").object["models"]["writer"]
    assert writer.startswith("openai:deep (temperature 0.7, effort low, system prompt ")


def test_a_recording_from_before_models_had_room_to_think_is_replayed(
    own: Cli, provider: LocalProvider, tmp_path: Path
):
    asked = own("ask", BOIL, "--json", *served(provider), "--thinking-tokens", "0")
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as file:
        (about,) = file.execute("SELECT about FROM recordings").fetchone()
        told = json.loads(about)
        for name in NEW:
            del told["settings"][name]
        file.execute("UPDATE recordings SET about = ?", (json.dumps(told),))
    assert own("replay", "last", "--json").out == asked.out


def test_judges_have_a_temperature_of_their_own(own: Cli, provider: LocalProvider):
    asked = own("ask", BOIL, *served(provider), "--profile", "thorough", "--judge-temperature", "0.4")
    assert sent(provider, writing=False)["temperature"] == 0.4, asked
    assert sent(provider)["temperature"] == 0.1


def test_every_road_leads_there(own: Cli, provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_WRITER_TEMPERATURE", "0.6")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assay.toml").write_text('reply_tokens = 500\nsystem_prompt = """\nWrite like\na sailor."""\n')
    own("ask", BOIL, *served(provider), "--thinking-tokens", "0")
    body = sent(provider)
    assert (body["temperature"], body["max_tokens"]) == (0.6, 500)
    assert "Write like\na sailor." in body["messages"][0]["content"]
    address = provider.address("openai")
    with open_engine(
        data_dir=tmp_path / "data", model="openai:deep", openai_base_url=address, deadline=60.0, reply_tokens=700
    ) as engine:
        engine.ask(BOIL)
    assert sent(provider)["max_tokens"] > 700 + 2048
    shown = call("config", "show", "--origin", "--reasoning-effort", "high").out
    for line in ("writer_temperature 0.6 ", "reply_tokens     500 ", "reasoning_effort high "):
        assert line in shown


def test_by_itself_a_model_that_may_think_has_room_for_it_and_another_is_given_none(
    own: Cli, provider: LocalProvider
):
    own("ask", BOIL, *served(provider, "deep"))
    own("ask", BOIL, *served(provider, "gpt-4o"))
    deep, at_once = (each.body["max_tokens"] for each in provider.requests if each.asked)
    assert at_once < 1000
    assert deep - at_once > 4096


def test_a_reply_that_was_cut_off_keeps_its_whole_sentences_and_says_so(own: Cli):
    with LocalProvider(lambda asked: Reply(f"{BOILS} It freezes at 0 deg", finish="length")) as provider:
        asked = own("ask", BOIL, *served(provider), "--reply-tokens", "100")
        streamed = own("ask", BOIL, *served(provider), "--reply-tokens", "100", "--stream")
    assert asked.code == 4, asked
    assert asked.out.startswith("Water boils at 100 degrees Celsius at sea level. [1]\n")
    assert "freezes" not in asked.out.splitlines()[0]
    assert "? answers a part of the question" in asked.out
    assert "cut off at its limit of 100 tokens; its unfinished last sentence is left out" in asked.err
    assert "--reply-tokens" in asked.err
    assert streamed.code == 4, streamed
    assert streamed.out.startswith("Water boils at 100 degrees Celsius at sea level. [1]\n")
    assert "cut off" in streamed.err
    assert own("replay", "last").code == 4


def test_a_reply_that_thinking_left_no_room_for_says_so(own: Cli):
    with LocalProvider(lambda asked: Reply("", finish="length")) as provider:
        asked = own("ask", BOIL, *served(provider))
    assert asked.code == 5, asked
    assert "used up before the first word" in asked.err
    assert "--thinking-tokens" in asked.err


def test_an_effort_that_the_service_refuses_is_told(own: Cli, provider: LocalProvider):
    provider.misbehave("status-400")  # it speaks of the temperature
    asked = own("ask", BOIL, *served(provider), "--writer-temperature", "0.5")
    assert asked.code == 5, asked
    assert "leave --writer-temperature and --judge-temperature out" in asked.err


@pytest.mark.parametrize(
    ("flags", "model", "said"),
    [
        (["--writer-temperature", "0.5"], False, "no model writes"),
        (["--reply-tokens", "500"], False, "no model writes"),
        (["--system-prompt", OWN], False, "no model writes"),
        (["--reasoning-effort", "low"], False, "no model is asked"),
        (["--thinking-tokens", "10"], False, "no model is asked"),
        (["--judge-temperature", "0.5"], False, "no model is asked"),
        (["--importance", "high"], False, "only the profile auto"),
        (["--fusion", "rrf", "--mode", "dense"], False, "only a hybrid search"),
        (["--excellent", "0.8", "--judging=off"], False, "not judged"),
        (["--quality", "0.9", "--no-reflection"], False, "not assessed"),
        (["--domains", "example.org"], False, "nothing outside is searched"),
        (["--context-tokens", "4096"], False, "no model is asked"),
        (["--condenser-model", "fake:{}"], False, "no dialogue and no second search"),
        (["--verifier-model", "fake:{}"], False, "no model writes"),
        (["--no-keep-verdicts"], False, "no model tests claims"),
        (["--judge-temperature", "0.5"], True, "no model judges or repairs at the depth fast"),
        (["--reasoning-effort", "low"], True, "does not think before it replies"),
    ],
)
def test_what_changes_nothing_is_told(own: Cli, scripted: Scripted, flags: list[str], model: bool, said: str):
    script = scripted(SCRIPTED)
    flags = [flag.replace("fake:{}", script) for flag in flags]
    asked = own("ask", BOIL, *flags, *(["-m", script] if model else []))
    assert asked.code in (0, 4), asked
    name = flags[0].removeprefix("--").removeprefix("no-").replace("-", "_")
    assert f"warning: {name} is set and changes nothing: " in asked.err
    assert said in asked.err


@pytest.mark.parametrize(
    ("flags", "said", "hint"),
    [
        (
            ["--writer-temperature", "2.1"],
            "--writer-temperature: must be less than or equal to 2",
            "temperature of the model",
        ),
        (
            ["--judge-temperature", "nan"],
            "--judge-temperature: must be a finite number",
            "temperature of the model",
        ),
        (
            ["--reply-tokens", "4000"],
            "--reply-tokens 4000: a reply may have at most a third",
            "--context-tokens to 12000",
        ),
        (["--system-prompt", " "], "--system-prompt: ", "your own instructions"),
        (["--thinking-tokens", "-1"], "--thinking-tokens: must be", "reasoning tokens"),
    ],
)
def test_what_cannot_be_is_refused(own: Cli, flags: list[str], said: str, hint: str):
    asked = own("ask", BOIL, *flags)
    assert asked.code == 2, asked
    assert said in asked.err
    assert hint in asked.err


@pytest.mark.parametrize("name", ["openai:gpt-x", "anthropic:claude-x", "gemini:gemini-x"])
def test_offline_a_remote_model_is_refused_before_its_key_is_asked_for(own: Cli, name: str):
    asked = own("ask", BOIL, "-m", name, "--offline")
    assert asked.code == 2, asked
    assert "remote cannot be asked while offline" in asked.err
    assert f"the host of {name}" in asked.err
    assert "key" not in asked.err


def test_offline_a_model_on_this_machine_is_asked(own: Cli, provider: LocalProvider):
    assert own("ask", BOIL, *served(provider), "--offline").code == 0
