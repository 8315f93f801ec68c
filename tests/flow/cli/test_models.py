"""ask, judge and doctor with language models: the whole loop at no cost, and what cannot work is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import open_engine
from assay.errors import UsageError
from support.provider import LocalProvider

from .conftest import Cli, call

BOIL = "At how many degrees does water boil?"
BRIDGE = "When was the Harbour Bridge opened?"
BOILS = {"role": "writer", "contains": BOIL, "reply": "Water boils at 100 degrees Celsius at sea level [1]."}
OPENED = {"role": "writer", "contains": BRIDGE, "reply": "The Harbour Bridge was opened on 3 May 1932 [1]."}
TOKENS = {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320}
Scripted = Callable[..., str]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_script_writes_the_answer_and_the_line_below_says_what_it_took(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted({**BOILS, "usage": TOKENS, "pieces": 5}))
    assert asked.code == 0, asked
    assert asked.out.startswith("Water boils at 100 degrees Celsius at sea level. [1]\n")
    assert "1 model call · 320 tokens · no cost · " in asked.out
    assert "first sentence verified after " in asked.out
    assert "judged fast" in asked.out


def test_tokens_that_nobody_counted_are_unknown_and_never_zero(own: Cli, scripted: Scripted):
    assert "1 model call · tokens unknown · " in own("ask", BOIL, "-m", scripted(BOILS)).out


def test_a_sentence_that_no_source_bears_out_is_dropped_and_told(own: Cli, scripted: Scripted):
    reply = "Water boils at 100 degrees Celsius at sea level [1]. Its price in Paris is 40 euros [1]."
    asked = own("ask", BOIL, "-m", scripted({"reply": reply}))
    assert asked.code == 0, asked
    assert "Paris" not in asked.out
    assert "repairs: 1 dropped" in asked.out
    shown = own("show", "last").out
    assert "dropped claims" in shown
    assert "Its price in Paris is 40 euros." in shown


def test_a_rule_that_only_warns_is_told_and_changes_no_verdict(own: Cli, scripted: Scripted, tmp_path: Path):
    house = tmp_path / "house.toml"
    house.write_text(
        '[[rule]]\nid = "cta"\nkind = "call_to_action"\nparams = { phrases = ["call us"] }\n', encoding="utf-8"
    )
    asked = own("ask", BOIL, "-m", scripted(BOILS), "--rules", house)
    assert asked.code == 0
    assert (
        '✗ rule:cta: no sentence invites the reader with words such as "call us"\n✓ answers the question'
        in asked.out
    )


def test_an_assessment_below_what_was_asked_is_told_and_shown_with_its_scores(own: Cli, scripted: Scripted):
    two = f"{BOIL} Who built the Harbour Bridge?"
    asked = own("ask", two, "-m", scripted(BOILS), "--quality", "0.999")
    assert "assessed as weak" not in asked.out
    assert "warning: the answer may be incomplete, by its own assessment" in asked.err
    shown = own("show", "last")
    assert "\nassessment\n  overall 0." in shown.out
    assert "\n  accuracy 1.000: " in shown.out
    assert "by its own assessment" in shown.err


def test_of_an_answer_that_reached_the_whole_the_criterion_under_its_floor_is_told(own: Cli, scripted: Scripted):
    two = f"{BOIL} Who built the Harbour Bridge?"
    asked = own("ask", two, "-m", scripted(BOILS), "--quality", "0.1", "--floor", "0.999")
    assert "warning: the answer may be incomplete, by its own assessment" in asked.err
    assert ", at least 0.100 needed, 0.999 in each criterion" in own("show", "last").out


def test_where_nothing_written_passes_the_sources_are_quoted(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted({"reply": "Its price in Paris is 40 euros [1]."}))
    assert asked.code == 0, asked
    assert "100 degrees" in asked.out
    assert "did not pass its tests" in asked.err


def test_a_wrong_number_is_corrected_from_its_source(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted({"reply": "Water boils at 250 degrees Celsius at sea level [1]."}))
    assert asked.code == 0, asked
    assert asked.out.startswith("Water boils at 100 degrees Celsius at sea level. [1]\n")
    assert "repairs: 1 corrected" in asked.out
    assert "corrected by rules" in own("show", "last").out


def test_what_is_not_borne_out_is_marked_where_that_is_wanted(own: Cli, scripted: Scripted):
    reply = "Water boils at 100 degrees Celsius at sea level [1]. Its price in Paris is 40 euros [1]."
    asked = own("ask", BOIL, "-m", scripted({"reply": reply}), "--unsupported", "mark")
    assert asked.code == 4, asked
    assert "Its price in Paris is 40 euros. [1] ⚠" in asked.out
    assert "repairs: 1 marked ⚠" in asked.out


def test_a_question_is_no_answer_and_the_sources_are_quoted(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted({"reply": "Was it 90 degrees?"}))
    assert asked.code == 0, asked
    assert "100 degrees" in asked.out


@pytest.mark.parametrize("reply", ["I don't know.", "# Water boils at 90 degrees"])
def test_what_claims_nothing_is_not_verified(own: Cli, scripted: Scripted, reply: str):
    asked = own("ask", BOIL, "-m", scripted({"reply": reply}))
    assert asked.code == 4, asked
    assert "claims nothing that can be tested" in asked.out


def test_stream_prints_verified_sentences_only(own: Cli, scripted: Scripted):
    reply = "Water boils at 100 degrees Celsius at sea level [1]. Its price in Paris is 40 euros [1]."
    asked = own("ask", BOIL, "--stream", "--references", "-m", scripted({"reply": reply}))
    assert asked.code == 0, asked
    assert asked.out.startswith("Water boils at 100 degrees Celsius at sea level. [1]\n(1 sentence was dropped")
    assert "Paris" not in asked.out
    assert "- [1] Water" in asked.out


def test_stream_of_what_is_not_there_says_so(own: Cli, scripted: Scripted):
    asked = own("ask", "Who won the chess tournament in Reykjavik?", "--stream", "-m", scripted(BOILS))
    assert asked.code == 3
    assert asked.out.startswith("The documents do not answer")


def test_a_style_names_the_sources_and_the_object_keeps_the_numbers(own: Cli, scripted: Scripted):
    model = scripted(BOILS)
    shown = own("ask", BOIL, "-m", model, "--citation-style", "named", "--references")
    assert shown.out.startswith("Water boils at 100 degrees Celsius at sea level. [Water]")
    assert "\nSources:\n- Water" in shown.out
    kept = own("ask", BOIL, "-m", model, "--citation-style", "named", "--json").object
    assert kept["text"] == "Water boils at 100 degrees Celsius at sea level. [1]"


@pytest.mark.parametrize(
    ("flags", "name"), [(["--detail", "9"], "detail"), (["--expertise", "expert"], "expertise")]
)
def test_what_only_a_model_heeds_is_told_of_where_none_writes(
    own: Cli, scripted: Scripted, flags: list[str], name: str
):
    quoted = own("ask", BOIL, *flags)
    assert quoted.code == 0, quoted
    assert f"warning: {name} is set and changes nothing" in quoted.err
    assert "warning" not in own("ask", BOIL, *flags, "-m", scripted(BOILS)).err
    again = own("replay", "last", "--json").object
    assert again["warnings"] == []


def test_a_stream_says_that_it_has_numbers(own: Cli, scripted: Scripted):
    model = scripted(BOILS)
    told = own("ask", BOIL, "-m", model, "--stream", "--citation-style", "named").err
    assert told.startswith("warning: --citation-style is ignored")
    assert own("ask", BOIL, "-m", model, "--stream").err == ""


def test_a_reason_to_judge_at_a_lower_depth_is_told_whole(own: Cli, scripted: Scripted):
    error = {"kind": "refused", "message": "no model of that name; " * 8 + "the end"}
    asked = own(
        *("ask", BOIL, "-m", scripted(BOILS, {"role": "judge", "error": error}), "--profile", "thorough"),
        *("--retry-seconds", "0"),
    )
    assert "the end" in asked.out.splitlines()[-1]


def test_many_lines_are_answered_together_and_in_order(own: Cli, scripted: Scripted):
    model = scripted({**BOILS, "delay": 0.2}, OPENED)
    lines = [
        {"id": n, "question": question} for n, question in enumerate([BOIL, BRIDGE, "", BRIDGE, "Why is 7 odd?"])
    ]
    asked = own("ask", "--jsonl", "-m", model, "--at-once", "3", stdin="\n".join(map(json.dumps, lines)).encode())
    assert asked.code == 0, asked
    assert [each["id"] for each in asked.objects] == [0, 1, 2, 3, 4]
    texts = [each.get("text", each.get("error")) for each in asked.objects]
    assert "100 degrees" in texts[0]
    assert "1932" in texts[1] == texts[3]
    assert texts[2] == "the question is empty"


def test_the_depth_is_named(own: Cli, scripted: Scripted):
    judge = {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}}
    asked = own("ask", BOIL, "-m", scripted(BOILS, judge), "--profile", "balanced", "--json")
    assert asked.code == 0, asked
    assert asked.object["profile"] == "balanced"
    assert "balanced" in asked.object["mode_used"]


def test_judge_says_at_which_depth_it_judged_and_why_not_deeper(own: Cli, scripted: Scripted):
    error = {"kind": "refused", "message": "no such model"}
    judged = own("judge", BOIL, "-m", scripted({"role": "judge", "error": error}), "--profile", "thorough")
    assert judged.code == 0, judged
    assert "? judge: the thorough judge could not ask its model: fake:script.json: no such model" in judged.out
    assert "judged fast (" in judged.out.splitlines()[-1]
    assert "judged" not in own("judge", BOIL).out


@pytest.mark.parametrize("name", ["fake", "openai:fake"])
def test_a_bare_name_belongs_to_the_service_that_is_set_also_where_a_provider_is_called_so(own: Cli, name: str):
    with LocalProvider() as provider:
        asked = own("ask", BOIL, "-m", name, "--openai-base-url", provider.url, "--json")
    assert asked.object["models"]["writer"] == "openai:fake"


def test_auto_says_why(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted(BOILS), "--profile", "auto", "--importance", "low")
    assert asked.code == 0, asked
    assert "judged fast (" in asked.out


@pytest.mark.parametrize(
    ("flags", "code", "said", "hint"),
    [
        (["-m", "nobody:model"], 2, "names no model of a known provider", "provider:model"),
        (["-m", "openai:"], 2, "names no model", "provider:model"),
        (["-m", "openai:gpt-x"], 2, "openai needs a key", "OPENAI_API_KEY"),
        (["-m", "gemini:x"], 2, "gemini needs a key", "GEMINI_API_KEY"),
        (["-m", "anthropic:x"], 2, "anthropic needs a key", "ANTHROPIC_API_KEY"),
        (["-m", "openai:x", "--openai-base-url", "example.org"], 2, "--openai-base-url: ", "address"),
        (
            ["-m", "openai:x", "--openai-base-url", "http://127.0.0.1:1/v1"],
            5,
            "no connection",
            "set --openai-base-url to",
        ),
        (["--max-cost", "inf"], 2, "--max-cost: must be a finite number", "US dollars"),
        (["--deadline", "nan"], 2, "--deadline: must be a finite number", "seconds"),
        (
            ["-m", "openai:x", "--openai-base-url", "http://example.org/v1", "--offline"],
            2,
            "offline mode",
            "local:",
        ),
        (
            ["-m", "openai:nobody-knows", "--openai-base-url", "http://127.0.0.1:1/v1", "--max-cost", "1"],
            2,
            "--max-cost cannot be kept: the price of openai:nobody-knows is unknown",
            "assay.toml",
        ),
        (["-m", "local:/nowhere/model.gguf"], 2, "/nowhere/model.gguf", "GGUF"),
        (["-m", "local:{here}"], 2, "GGUF", "local:PATH"),
        (["-m", "fake:/nowhere/script.json"], 2, "/nowhere/script.json", "JSON"),
        (["-m", "fake:{here}"], 2, "rule 1: role", "list of rules"),
        (["--max-calls", "-1"], 2, "--max-calls: must be", "model calls"),
        (["--prices", "{"], 2, "--prices: ", "US dollars"),
        (["--profile", "thorough"], 2, "no model is set", "--model"),
        (["--stream", "--json"], 2, "--stream", "leave out one"),
    ],
)
def test_what_cannot_work_is_told_before_or_instead_of_an_answer(
    own: Cli, tmp_path: Path, flags: list[str], code: int, said: str, hint: str
):
    broken = tmp_path / "broken.json"
    broken.write_text('[{"role": "poet"}]')
    asked = own("ask", BOIL, "--retry-seconds", "0", *(flag.replace("{here}", str(broken)) for flag in flags))
    assert asked.code == code, asked
    assert asked.out == ""
    message, next_step = asked.err.removesuffix("\n").split("\nhint: ")
    assert message.startswith("error: ")
    assert said in message
    assert hint in next_step


def test_a_model_that_cannot_be_opened_hinders_no_verb_that_asks_none(
    own: Cli, sources: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY_MODEL", "openai:gpt-x")
    for arguments in (
        ["ls"],
        ["add", sources],
        ["search", "water"],
        ["rm", "Water", "--yes"],
        ["reindex"],
        ["show"],
    ):
        done = own(*arguments)
        assert done.code == 0, (arguments, done)
    line = b'{"id": 1, "claim": "It is hot.", "context": "It is 40 degrees hot."}'
    assert "verdict" in call("check", "--jsonl", stdin=line).object
    assert own("ask", BOIL).code == 2


def test_a_model_that_cannot_be_opened_leaves_no_collection_behind(tmp_path: Path):
    with pytest.raises(UsageError, match="needs a key"):
        open_engine(data_dir=tmp_path / "data", model="openai:gpt-x")
    assert not (tmp_path / "data").exists()


def test_offline_refuses_the_host_of_embeddings_too(own: Cli):
    asked = own("search", BOIL, "--embedder", "openai:vectors", "--offline")
    assert asked.code == 2, asked
    assert "offline mode refuses api.openai.com" in asked.err


def test_a_script_without_a_reply_says_what_to_add(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted({"role": "judge", "reply": {}}))
    assert asked.code == 5
    assert 'add a rule such as {"role": "writer"' in asked.err


def test_calls_are_bounded(own: Cli, scripted: Scripted):
    asked = own("ask", BOIL, "-m", scripted(BOILS), "--max-calls", "0")
    assert asked.code == 5, asked
    assert "hint: " in asked.err


# --- doctor -------------------------------------------------------------------------------------


def _examined(*arguments: object) -> tuple[int, dict[str, dict[str, Any]]]:
    looked = call("doctor", "--json", *arguments)
    return looked.code, {each["name"]: each for each in looked.object["examined"]}


def _answer(asked: Any) -> str:
    return "ready" if asked.schema is None else '{"ready": true}'


def test_doctor_names_the_host_of_each_role_and_tests_each_way(filled: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-0123456789canary")
    with LocalProvider(answer=_answer) as provider:
        code, found = _examined(
            "--data-dir", filled, "-m", "openai:tiny", "--openai-base-url", provider.url, "--offline"
        )
    assert code == 0, found
    assert found["role writer"]["detail"].startswith("openai:tiny → 127.0.0.1, key from environment")
    assert {"role condenser", "role judge", "role writer"} <= found.keys()
    assert "→ this process" in found["role embedder"]["detail"]
    assert "dimensions" in found["role embedder"]["detail"]
    assert found["offline"]["detail"] == "only this machine may be contacted"
    for way in ("chat", "stream", "JSON"):
        assert found[f"openai:tiny {way}"]["status"] == "passed"
    assert "canary" not in json.dumps(found)


def test_doctor_says_what_fails_and_what_to_do(filled: Path):
    with LocalProvider(answer=lambda asked: "ready") as provider:
        provider.misbehave("status-401", where=lambda asked: asked.model == "locked")
        code, found = _examined(
            *("--data-dir", filled, "-m", "openai:proser", "--openai-base-url", provider.url),
            *("--judge-model", "openai:locked", "--simple-model", "gemini:x"),
        )
    assert code == 5, found
    assert found["openai:proser chat"]["status"] == "passed"
    assert found["openai:proser JSON"]["status"] == "failed"
    assert "use a model that can give JSON" in found["openai:proser JSON"]["detail"]
    assert found["openai:locked chat"]["status"] == "failed"
    assert found["openai:locked stream"] == {
        "name": "openai:locked stream",
        "status": "unknown",
        "detail": "not tested: chat failed",
    }
    assert "GEMINI_API_KEY" in found["role simple writer"]["detail"]


def test_doctor_without_a_model_says_how_to_set_one(filled: Path):
    code, found = _examined("--data-dir", filled)
    assert code == 0
    assert found["role writer"]["status"] == "skipped"
    assert "--model" in found["role writer"]["detail"]


def test_a_model_that_answers_nothing_is_no_refusal_of_the_documents(own: Cli, scripted: Scripted):
    nothing = own("ask", BOIL, "-m", scripted({"role": "writer", "reply": ""}))
    assert (nothing.code, nothing.out) == (5, "")
    assert "the model answered nothing" in nothing.err
    declined = own("ask", BOIL, "--json", "-m", scripted({"role": "writer", "reply": "NO ANSWER"}))
    assert (declined.code, declined.object["outcome"]) == (3, "abstained")
    assert "the model found no answer in the sources" in declined.object["warnings"]
