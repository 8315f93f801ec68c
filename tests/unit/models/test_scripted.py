"""The model that follows a script."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import PromptTooLong, ProviderFailed, ProviderUnreachable, UsageError
from assay.models.scripted import ScriptedModel
from assay.types import ModelRequest, PromptMessage, Role, Usage

NOT_SAID = Usage(None, None, None, None, calls=1, cost=0.0)


def asked(text: str, role: Role = "writer") -> ModelRequest:
    return ModelRequest(role, (PromptMessage("system", "Answer."), PromptMessage("user", text)))


def scripted(tmp_path: Path, *rules: Any) -> ScriptedModel:
    path = tmp_path / "script.json"
    path.write_text(json.dumps(rules))
    return ScriptedModel.load(path)


async def test_the_first_rule_that_fits_answers(tmp_path: Path) -> None:
    model = scripted(
        tmp_path,
        {"role": "judge", "reply": {"verdict": "yes"}},
        {"contains": "boil", "reply": "At 100 °C [1]."},
        {"reply": "I do not know.", "finish": "length"},
    )
    replies = [await model.complete(each) for each in (asked("boil", "judge"), asked("boil"), asked("freeze"))]
    assert [each.text for each in replies] == ['{"verdict": "yes"}', "At 100 °C [1].", "I do not know."]
    assert [each.finish for each in replies] == ["stop", "stop", "length"]
    assert [each.role for each in model.requests] == ["judge", "writer", "writer"]


async def test_usage_is_what_the_script_says_and_else_unknown(tmp_path: Path) -> None:
    counted = {"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24, "cached_tokens": 0}
    model = scripted(tmp_path, {"contains": "a", "reply": "x", "usage": counted}, {"reply": "y"})
    assert (await model.complete(asked("a"))).usage == Usage(20, 4, 24, 0, calls=1, cost=0.0)
    assert (await model.complete(asked("b"))).usage == NOT_SAID


@pytest.mark.parametrize(("pieces", "count"), [(1, 1), (4, 4), (100, 14)])
async def test_a_stream_comes_in_pieces_and_ends_with_the_reply(tmp_path: Path, pieces: int, count: int) -> None:
    model = scripted(tmp_path, {"reply": "At 100 °C [1].", "pieces": pieces, "delay": 0.001})
    *parts, reply = [part async for part in model.stream(asked("boil"))]
    assert len(parts) == count
    assert "".join(map(str, parts)) == "At 100 °C [1]."
    assert reply == await model.complete(asked("boil"))


async def test_an_empty_reply_has_no_pieces(tmp_path: Path) -> None:
    model = scripted(tmp_path, {"reply": "", "finish": "empty", "pieces": 3})
    (reply,) = [part async for part in model.stream(asked("boil"))]
    assert not isinstance(reply, str)
    assert reply.finish == "empty"


async def test_an_error_is_raised_in_a_stream_behind_its_pieces(tmp_path: Path) -> None:
    broken = {"kind": "unreachable", "message": "reset", "retryable": True, "retry_after": 2}
    model = scripted(
        tmp_path,
        {"role": "judge", "error": {"kind": "too long"}},
        {"reply": "At 100", "pieces": 2, "error": broken},
    )
    parts = model.stream(asked("boil"))
    assert [await anext(parts), await anext(parts)] == ["At ", "100"]
    with pytest.raises(ProviderUnreachable, match=r"fake:script.json: reset") as reset:
        await anext(parts)
    assert (reset.value.retryable, reset.value.retry_after) == (True, 2)
    with pytest.raises(PromptTooLong):
        await model.complete(asked("boil", "judge"))


async def test_what_is_not_scripted_fails_and_says_what_was_asked(tmp_path: Path) -> None:
    model = scripted(tmp_path, {"role": "judge", "reply": "x"})
    long = "Why does water boil at a lower temperature on the top of Mount Everest?"
    with pytest.raises(ProviderFailed, match=r'nothing for the writer .* "Why does .* top of …"') as failed:
        await model.complete(asked(long))
    assert '{"role": "writer"' in failed.value.hint
    assert not failed.value.retryable


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "Invalid JSON"),
        ('{"reply": "x"}', "should be a valid array"),
        ('[{"reply": "x"}, {"role": "poet", "reply": "x"}]', "rule 2: role: Input should be 'condenser'"),
        ('[{"reply": "x", "repley": "y"}]', "rule 1: repley: Extra inputs"),
        ('[{"role": "writer"}]', "rule 1: it has neither a reply nor an error"),
        ('[{"reply": "x", "pieces": 0}]', "rule 1: pieces"),
        ('[{"error": {"kind": "sad"}}]', "rule 1: error: kind"),
    ],
)
def test_a_script_that_is_wrong_names_its_rule(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=said) as wrong:
        ScriptedModel.load(path)
    assert str(path) in str(wrong.value)
    assert "JSON list of rules" in wrong.value.hint


def test_a_script_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file") as missing:
        ScriptedModel.load(tmp_path / "none.json")
    assert "fake:PATH" in missing.value.hint


async def test_it_says_who_it_is_and_closes(tmp_path: Path) -> None:
    model = scripted(tmp_path, {"reply": "x"})
    assert (model.name, model.host) == ("fake:script.json", "")
    await model.aclose()
    await model.aclose()
