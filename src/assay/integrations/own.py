"""Retrievers and chat models of LangChain, LlamaIndex and Haystack as parts of an engine.

`retriever_from` and `model_from` take an object of any of the three and give what `open_engine(retriever=…, llm=…)`
takes. The framework itself is imported only where a message of its own class must be made.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from assay.errors import ProviderFailed, UsageError
from assay.integrations.passages import FrameworkDocument, passages_of
from assay.types import Evidence, Finish, Hit, ModelReply, ModelRequest, PromptMessage, Scores, Usage

# Services' words for a reply that hit its length limit, and for one that ended by itself.
_LENGTH = frozenset({"length", "max_tokens", "MAX_TOKENS"})
_STOP = frozenset({"stop", "end_turn", "STOP", "eos", "complete", "stop_sequence"})


# --- retrievers ------------------------------------------------------------------------------------


def retriever_from(retriever: Any) -> FrameworkRetriever:
    """Wrap a retriever of LangChain, LlamaIndex or Haystack for `open_engine(retriever=…)`.

    Its passages keep their order; a score that it gives orders them and is no cosine. Raises UsageError for an
    object of another kind.
    """
    for method, search in (("aretrieve", _llama_index), ("ainvoke", _langchain), ("run", _haystack)):
        if callable(getattr(retriever, method, None)):
            return FrameworkRetriever(retriever, search)
    raise UsageError(
        f"a {type(retriever).__name__} is not a retriever of LangChain, LlamaIndex or Haystack",
        hint="give one with ainvoke, aretrieve or run, or write async def retrieve(queries) -> assay.Evidence",
    )


class _Search(Protocol):
    async def __call__(self, retriever: Any, query: str) -> list[tuple[FrameworkDocument, float]]: ...


@dataclass(frozen=True, slots=True)
class FrameworkRetriever:
    """Finds passages with a framework's retriever; `search` sends it one query."""

    retriever: Any
    search: _Search

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The passages for the queries without repeats. Raises ProviderFailed for any error of the retriever."""
        found = [await self._query(query) for query in queries]
        passages = passages_of(document for result in found for document, _score in result)
        scores = [score for result in found for _document, score in result]
        hits = (Hit(passage, score, Scores()) for passage, score in zip(passages, scores, strict=True))
        return Evidence(_without_repeats(hits) if len(queries) > 1 else tuple(hits))

    async def _query(self, query: str) -> list[tuple[FrameworkDocument, float]]:
        try:
            return await self.search(self.retriever, query)
        except Exception as error:  # a boundary to another program's code
            raise _provider_error(self.retriever, error) from error


def _without_repeats(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """The hits without those that an earlier query found."""
    seen: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        seen.setdefault((hit.passage.document_id.partition("#")[0], hit.passage.text), hit)
    return tuple(seen.values())


async def _langchain(retriever: Any, query: str) -> list[tuple[FrameworkDocument, float]]:
    documents = await retriever.ainvoke(query)
    return [
        (
            FrameworkDocument(document.page_content, getattr(document, "id", None), document.metadata),
            _score(document.metadata),
        )
        for document in documents
    ]


async def _llama_index(retriever: Any, query: str) -> list[tuple[FrameworkDocument, float]]:
    nodes = await retriever.aretrieve(query)
    return [
        (FrameworkDocument(hit.node.get_content(), hit.node.node_id, hit.node.metadata), float(hit.score or 0.0))
        for hit in nodes
    ]


async def _haystack(retriever: Any, query: str) -> list[tuple[FrameworkDocument, float]]:
    found = await asyncio.to_thread(retriever.run, query=query)
    return [
        (FrameworkDocument(document.content, document.id, document.meta), float(document.score or 0.0))
        for document in found["documents"]
    ]


def _score(metadata: Mapping[str, Any]) -> float:
    score = metadata.get("score", metadata.get("relevance_score", 0.0))
    return float(score) if isinstance(score, int | float) else 0.0


# --- chat models -----------------------------------------------------------------------------------


def model_from(model: Any, name: str = "") -> FrameworkModel:
    """Wrap a chat model of LangChain, LlamaIndex or Haystack for `open_engine(llm=…)`.

    `name` is what answers call it, else the framework and the model's own name. Temperature and length stay as the
    model has them. Raises UsageError for an object of another kind.
    """
    for method, chat in (("achat", _LlamaIndexChat()), ("ainvoke", _LangChainChat()), ("run", _HaystackChat())):
        if callable(getattr(model, method, None)):
            return FrameworkModel(model, chat, name or f"{chat.framework}:{_own_name(model)}")
    raise UsageError(
        f"a {type(model).__name__} is not a chat model of LangChain, LlamaIndex or Haystack",
        hint="give one with ainvoke, achat or run, or an object with the methods of assay.core.stages.LLM",
    )


class _Chat(Protocol):
    """The calls of one framework."""

    framework: str

    async def reply(self, model: Any, messages: Sequence[PromptMessage]) -> ModelReply:
        """The whole reply."""
        ...

    def pieces(self, model: Any, messages: Sequence[PromptMessage]) -> AsyncIterator[str | ModelReply]:
        """The reply in pieces, then as a whole if the framework says how it ended."""
        ...


@dataclass(frozen=True, slots=True)
class FrameworkModel:
    """Calls a framework's chat model. Its host is unknown, so offline mode refuses it."""

    model: Any
    chat: _Chat
    name: str

    @property
    def host(self) -> str:
        """A note that the host is unknown."""
        return self.chat.framework

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The complete reply. Raises ProviderFailed for any error of the model, UsageError as `_refuse_tuning`."""
        _refuse_tuning(request)
        try:
            return replace(await self.chat.reply(self.model, _messages(request)), model=self.name)
        except Exception as error:  # a boundary to another program's code
            raise _provider_error(self.model, error) from error

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply in pieces, then as a whole. Raises as `complete`."""
        _refuse_tuning(request)
        text, ending = "", ModelReply("", "stop", Usage(None, None, None, None, calls=1, cost=None), self.name)
        try:
            async for piece in self.chat.pieces(self.model, _messages(request)):
                if isinstance(piece, ModelReply):
                    ending = piece
                elif piece:
                    text += piece
                    yield piece
        except Exception as error:  # a boundary to another program's code
            raise _provider_error(self.model, error) from error
        finish: Finish = ending.finish if text else "empty"
        yield ModelReply(text, finish, ending.usage, self.name)

    async def aclose(self) -> None:
        """Do nothing: the caller closes the model."""


def _refuse_tuning(request: ModelRequest) -> None:
    """Raise UsageError for a temperature or an effort, which cannot be set through the framework."""
    if request.temperature_set or request.effort is not None:
        raise UsageError(
            "a framework's model keeps its own temperature and effort",
            hint="set them where you make it, and leave out writer_temperature, judge_temperature and effort",
        )


def _messages(request: ModelRequest) -> tuple[PromptMessage, ...]:
    """The prompt; the schema of a JSON reply is put into words, since frameworks differ in how they take it."""
    if request.schema is None:
        return request.messages
    asked = f"Reply with one JSON object that fits this JSON schema: {json.dumps(request.reply_schema)}"
    return (*request.messages[:-1], PromptMessage("user", f"{request.messages[-1].text}\n\n{asked}"))


class _LangChainChat:
    framework = "langchain"

    async def reply(self, model: Any, messages: Sequence[PromptMessage]) -> ModelReply:
        return _from_langchain(await model.ainvoke([(message.role, message.text) for message in messages]))

    async def pieces(self, model: Any, messages: Sequence[PromptMessage]) -> AsyncIterator[str | ModelReply]:
        whole: Any = None
        async for chunk in model.astream([(message.role, message.text) for message in messages]):
            yield _text_of(chunk.content)
            whole = chunk if whole is None else whole + chunk
        if whole is not None:
            yield _from_langchain(whole)


def _from_langchain(message: Any) -> ModelReply:
    used = getattr(message, "usage_metadata", None) or {}
    said = getattr(message, "response_metadata", None) or {}
    reason = said.get("finish_reason") or said.get("stop_reason") or said.get("done_reason")
    usage = _usage(used.get("input_tokens"), used.get("output_tokens"))
    return _reply(_text_of(message.content), reason, usage)


class _LlamaIndexChat:
    framework = "llama-index"

    async def reply(self, model: Any, messages: Sequence[PromptMessage]) -> ModelReply:
        return self._whole(await model.achat(self._chat(messages)))

    async def pieces(self, model: Any, messages: Sequence[PromptMessage]) -> AsyncIterator[str | ModelReply]:
        async for chunk in await model.astream_chat(self._chat(messages)):
            yield chunk.delta or ""

    def _chat(self, messages: Sequence[PromptMessage]) -> list[Any]:
        from llama_index.core.llms import ChatMessage

        return [ChatMessage(role=message.role, content=message.text) for message in messages]

    def _whole(self, response: Any) -> ModelReply:
        return _reply(str(response.message.content or ""), None, _usage(None, None))


class _HaystackChat:
    framework = "haystack"

    async def reply(self, model: Any, messages: Sequence[PromptMessage]) -> ModelReply:
        from haystack.dataclasses import ChatMessage

        make = {
            "system": ChatMessage.from_system,
            "user": ChatMessage.from_user,
            "assistant": ChatMessage.from_assistant,
        }
        asked = [make[message.role](message.text) for message in messages]
        (message, *_others) = (await asyncio.to_thread(model.run, messages=asked))["replies"]
        meta = message.meta or {}
        used = meta.get("usage") or {}
        usage = _usage(used.get("prompt_tokens"), used.get("completion_tokens"))
        return _reply(message.text or "", meta.get("finish_reason"), usage)

    async def pieces(self, model: Any, messages: Sequence[PromptMessage]) -> AsyncIterator[str | ModelReply]:
        reply = await self.reply(model, messages)
        yield reply.text
        yield reply


def _reply(text: str, reason: object, usage: Usage) -> ModelReply:
    """A reply; it counts as complete if the framework does not say how it ended."""
    finish: Finish = "length" if reason in _LENGTH else "stop" if reason is None or reason in _STOP else "other"
    return ModelReply(text, finish if text else "empty", usage, "")


def _usage(prompt: object, reply: object) -> Usage:
    if not isinstance(prompt, int) or not isinstance(reply, int):
        return Usage(None, None, None, None, calls=1, cost=None)
    return Usage(prompt, reply, prompt + reply, None, calls=1, cost=None)


def _text_of(content: object) -> str:
    """The text of a message's content, which is text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (
        part if isinstance(part, str) else part.get("text", "") for part in parts if isinstance(part, str | dict)
    )
    return "".join(text for text in texts if isinstance(text, str))


def _own_name(model: Any) -> str:
    for attribute in ("model_name", "model", "model_id"):
        value = getattr(model, attribute, None)
        if isinstance(value, str) and value:
            return value
    return type(model).__name__


def _provider_error(part: object, error: Exception) -> ProviderFailed:
    said = f"{type(part).__name__} failed: {type(error).__name__}: {error}"
    return ProviderFailed(said, hint="see the error's __cause__, and fix the part that you gave")
