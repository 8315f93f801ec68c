"""Retrievers and chat models of frameworks as parts of an engine, by stand-ins of what they look like."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from assay import open_checker
from assay.errors import ProviderFailed, UsageError
from assay.integrations.own import model_from, retriever_from
from assay.types import ModelReply, ModelRequest, PromptMessage

RAIN, SNOW = "It rains in May.", "It snows in January."


class LangChainRetriever:
    async def ainvoke(self, query: str) -> list[Any]:
        documents = {"rain": [(RAIN, "a"), (SNOW, "b")], "snow": [(SNOW, "b")]}[query]
        return [SimpleNamespace(page_content=text, id=name, metadata={"score": 0.5}) for text, name in documents]


class LlamaIndexRetriever:
    async def aretrieve(self, query: str) -> list[Any]:
        node = SimpleNamespace(get_content=lambda: RAIN, node_id="a", metadata={"title": "Rain"})
        return [SimpleNamespace(node=node, score=None), SimpleNamespace(node=node, score=0.3)]


class HaystackRetriever:
    def run(self, query: str) -> dict[str, Any]:
        return {"documents": [SimpleNamespace(content=RAIN, id="a", meta={}, score=2.5)]}


class Broken:
    async def ainvoke(self, query: str) -> list[Any]:
        raise ConnectionError("no database")


async def test_the_retrievers_of_three_frameworks():
    found = await retriever_from(LangChainRetriever()).retrieve(("rain", "snow"))
    assert [(hit.passage.passage_id, hit.passage.text, hit.score) for hit in found.hits] == [
        ("a", RAIN, 0.5),
        ("b", SNOW, 0.5),
    ]
    nodes = await retriever_from(LlamaIndexRetriever()).retrieve(("rain",))
    assert [(hit.passage.passage_id, hit.passage.title, hit.score) for hit in nodes.hits] == [
        ("a", "Rain", 0.0),
        ("a#2", "Rain", 0.3),
    ]
    documents = await retriever_from(HaystackRetriever()).retrieve(("rain",))
    assert [(hit.passage.text, hit.score, hit.scores.dense) for hit in documents.hits] == [(RAIN, 2.5, None)]
    with pytest.raises(ProviderFailed, match="Broken failed: ConnectionError: no database") as raised:
        await retriever_from(Broken()).retrieve(("rain",))
    assert raised.value.hint


class Verdict(BaseModel):
    fits: bool


def request(**fields: Any) -> ModelRequest:
    return ModelRequest("writer", (PromptMessage("system", "Be brief."), PromptMessage("user", "When?")), **fields)


@dataclass
class Chunk:
    content: Any
    usage_metadata: dict[str, int] | None = None
    response_metadata: dict[str, str] = field(default_factory=dict)

    def __add__(self, other: Chunk) -> Chunk:
        return Chunk(self.content + other.content, other.usage_metadata, other.response_metadata)


@dataclass
class LangChainModel:
    reason: str = "stop"
    model_name: str = "mine"
    asked: list[Any] = field(default_factory=list)

    async def ainvoke(self, messages: list[tuple[str, str]]) -> Chunk:
        self.asked.append(messages)
        used = {"input_tokens": 5, "output_tokens": 2}
        return Chunk([{"type": "text", "text": "In May."}], used, {"finish_reason": self.reason})

    async def astream(self, messages: list[tuple[str, str]]):
        yield Chunk("In ")
        yield Chunk("May.", {"input_tokens": 5, "output_tokens": 2}, {"finish_reason": self.reason})


async def streamed(model: Any) -> list[str | ModelReply]:
    return [part async for part in model.stream(request())]


async def test_a_model_of_langchain():
    own = LangChainModel()
    model = model_from(own)
    reply = await model.complete(request(schema=Verdict))
    assert (model.name, reply.model, reply.text, reply.finish) == (
        "langchain:mine",
        "langchain:mine",
        "In May.",
        "stop",
    )
    assert (reply.usage.prompt_tokens, reply.usage.total_tokens, reply.usage.cost) == (5, 7, None)
    assert own.asked[0][0] == ("system", "Be brief.")
    assert '"fits"' in own.asked[0][1][1]
    *pieces, last = await streamed(model)
    assert pieces == ["In ", "May."]
    assert isinstance(last, ModelReply)
    assert (last.text, last.finish, last.usage.completion_tokens) == ("In May.", "stop", 2)
    assert (await model_from(LangChainModel("max_tokens")).complete(request())).finish == "length"
    assert (await model_from(LangChainModel("content_filter")).complete(request())).finish == "other"
    for tuned in ({"temperature_set": True}, {"effort": "low"}):
        with pytest.raises(UsageError, match="keeps its own temperature"):
            await model.complete(request(**tuned))


class LlamaIndexModel:
    async def achat(self, messages: list[Any]) -> Any:
        assert [(each.role, each.content) for each in messages] == [("system", "Be brief."), ("user", "When?")]
        return SimpleNamespace(message=SimpleNamespace(content="In May."))

    async def astream_chat(self, messages: list[Any]) -> Any:
        async def chunks():
            for piece in ("In ", None, "May."):
                yield SimpleNamespace(delta=piece)

        return chunks()


async def test_a_model_of_llama_index(monkeypatch: pytest.MonkeyPatch):
    llms = ModuleType("llama_index.core.llms")
    llms.ChatMessage = SimpleNamespace  # type: ignore[attr-defined]
    for name in ("llama_index", "llama_index.core"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "llama_index.core.llms", llms)
    model = model_from(LlamaIndexModel(), "mine:x")
    reply = await model.complete(request())
    assert (model.name, reply.text, reply.usage.prompt_tokens) == ("mine:x", "In May.", None)
    *pieces, last = await streamed(model)
    assert pieces == ["In ", "May."]
    assert isinstance(last, ModelReply)
    assert (last.text, last.finish) == ("In May.", "stop")


class HaystackModel:
    model = "mine"

    def run(self, messages: list[Any]) -> dict[str, Any]:
        assert messages == [("system", "Be brief."), ("user", "When?")]
        meta = {"finish_reason": "stop", "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
        return {"replies": [SimpleNamespace(text="In May.", meta=meta)]}


async def test_a_model_of_haystack(monkeypatch: pytest.MonkeyPatch):
    dataclasses = ModuleType("haystack.dataclasses")
    dataclasses.ChatMessage = SimpleNamespace(  # type: ignore[attr-defined]
        from_system=lambda text: ("system", text),
        from_user=lambda text: ("user", text),
        from_assistant=lambda text: ("assistant", text),
    )
    monkeypatch.setitem(sys.modules, "haystack", ModuleType("haystack"))
    monkeypatch.setitem(sys.modules, "haystack.dataclasses", dataclasses)
    model = model_from(HaystackModel())
    assert (await model.complete(request())).usage.total_tokens == 7
    *pieces, last = await streamed(model)
    assert (pieces, isinstance(last, ModelReply) and last.finish, model.name) == (
        ["In May."],
        "stop",
        "haystack:mine",
    )


@pytest.mark.parametrize("make", [retriever_from, model_from])
def test_what_belongs_to_no_framework_is_refused(make: Any):
    with pytest.raises(UsageError, match="a str is no") as raised:
        make("text")
    assert raised.value.hint


def test_an_engine_answers_with_them(tmp_path: Any):
    class Retriever:
        async def ainvoke(self, query: str) -> list[Any]:
            return [SimpleNamespace(page_content=RAIN, id="a", metadata={"title": "Weather"})]

    class Model(LangChainModel):
        async def astream(self, messages: list[tuple[str, str]]):
            yield Chunk("It rains in May [1].")

    with open_checker(data_dir=tmp_path, retriever=retriever_from(Retriever()), llm=model_from(Model())) as engine:
        answer = engine.ask("When does it rain?")
    assert (answer.text, answer.models.writer) == ("It rains in May. [1]", "langchain:mine")
    assert answer.validate()
