"""The official OpenAI client, unchanged, against the server."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from assay import open_engine
from assay.server.settings import ServerSettings
from support.served import Served, serving

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = [{"role": "user", "content": "At how many degrees does water boil?"}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "water.md").write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([folder / "water.md"])
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serving(ServerSettings(engine={"data_dir": folder})) as server:
        yield server


def client_of(server: Served) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.address}/v1", api_key="none needed", max_retries=0)


def test_collections_are_models(served: Served) -> None:
    with client_of(served) as client:
        assert [model.id for model in client.models.list()] == ["default"]
        assert client.models.retrieve("default").owned_by == "assay"
        with pytest.raises(openai.NotFoundError, match="there is no model 'nope'"):
            client.models.retrieve("nope")


def test_a_completion_has_its_citations_as_annotations(served: Served) -> None:
    with client_of(served) as client:
        reply = client.chat.completions.create(model="default", messages=QUESTION)  # type: ignore[call-overload]
    message = reply.choices[0].message
    assert "100 degrees" in message.content
    citation = message.annotations[0].url_citation
    assert message.content[citation.start_index : citation.end_index] == "[1]"
    assert citation.title == "Water"
    address, _, place = citation.url.partition("?")
    assert address.startswith(f"{served.address}/#/documents/default/")
    span = {name: int(at) for name, at in urllib.parse.parse_qsl(place)}
    assert message.content.startswith(WATER[span["start"] : span["end"]])
    assert reply.assay["verified"] is True
    assert reply.usage.total_tokens == 0


def test_a_stream_gives_the_verified_sentences_and_the_usage(served: Served) -> None:
    with client_of(served) as client:
        chunks = list(
            client.chat.completions.create(  # type: ignore[call-overload]
                model="default", messages=QUESTION, stream=True, stream_options={"include_usage": True}
            )
        )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "100 degrees" in text
    assert text.endswith("[1]")
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-2].assay["outcome"] == "answered"
    assert chunks[-1].usage.prompt_tokens == 0


def test_what_cannot_be_verified_is_not_streamed(folder: Path, tmp_path: Path) -> None:
    reply = (
        "Water boils at 100 degrees Celsius at sea level [1]. Water boils at 700 degrees Celsius at sea level [1]."
    )
    script = tmp_path / "writer.json"
    script.write_text(json.dumps([{"role": "writer", "reply": reply, "pieces": 9}]), encoding="utf-8")
    settings = ServerSettings(engine={"data_dir": folder, "model": f"fake:{script}", "repairs": 0})
    with serving(settings) as server, client_of(server) as client:
        stream = client.chat.completions.create(model="default", messages=QUESTION, stream=True)  # type: ignore[call-overload]
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
    assert "100 degrees" in text
    assert "700" not in text


def test_a_question_without_an_answer_is_declined_in_the_stream(served: Served) -> None:
    asked = [{"role": "user", "content": "Who won the chess championship of 1972?"}]
    with client_of(served) as client:
        stream = client.chat.completions.create(model="default", messages=asked, stream=True)  # type: ignore[call-overload]
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "do not answer" in text
    assert chunks[-1].assay["outcome"] == "abstained"


def test_what_has_no_effect_is_named(served: Served) -> None:
    messages = [{"role": "system", "content": "Be brief."}, *QUESTION]
    tool = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}
    with client_of(served) as client:
        reply = client.chat.completions.create(  # type: ignore[call-overload]
            model="default", messages=messages, tools=[tool], temperature=0.2
        )
    assert reply.assay["passed_over"] == ["tools", "temperature", "messages of role system"]


def test_errors_are_in_the_shape_of_openai(served: Served) -> None:
    with client_of(served) as client:
        with pytest.raises(openai.NotFoundError, match="there is no collection 'gpt-4'"):
            client.chat.completions.create(model="gpt-4", messages=QUESTION)  # type: ignore[call-overload]
        with pytest.raises(openai.UnprocessableEntityError, match="the last message is not the user's"):
            client.chat.completions.create(  # type: ignore[call-overload]
                model="default", messages=[{"role": "assistant", "content": "Hello."}]
            )
