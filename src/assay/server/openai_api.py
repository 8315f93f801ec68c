"""OpenAI's chat completions over assay: a collection is a model, and only verified sentences are streamed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.sse import format_sse_event
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from assay.core.draft import compose
from assay.errors import UsageError
from assay.server.calls import (
    EVENT_STREAM,
    Reader,
    Responses,
    TheService,
    json_response,
    openai_problems,
    stream_response,
    tenant_of,
    until_gone,
)
from assay.server.problems import NotFound
from assay.server.routes.questions import asked_events
from assay.server.service import Service, Tenant
from assay.server.streams import LiveRun
from assay.types import (
    Answer,
    Claim,
    Done,
    Failed,
    Message,
    Outcome,
    Sentence,
    SentenceVerified,
    Source,
    SourceSpan,
)

router = APIRouter(prefix="/v1", tags=["OpenAI"])

_NOTHING_VERIFIED = "No sentence of the answer could be verified against the documents."
# Fields that a request may hold without an effect here, but for those that clients send of their own accord.
_WITHOUT_EFFECT = (
    "tools", "functions", "tool_choice", "function_call", "response_format", "stop", "logprobs", "logit_bias", "n",
    "seed", "temperature", "top_p", "max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty",
    "reasoning_effort", "modalities", "audio", "prediction",
)  # fmt: skip


class ChatMessage(BaseModel):
    """One message; parts other than text are passed over."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(str(part["text"]) for part in self.content if isinstance(part.get("text"), str))
        return self.content or ""


class StreamOptions(BaseModel):
    """Options of a stream: whether the last chunk tells the usage."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class ChatBody(BaseModel):
    """A chat completion as OpenAI's clients ask for one; what has no effect here is named in the reply."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1, max_length=200, description="the name of a collection")
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=500)]
    stream: bool = False
    stream_options: StreamOptions | None = None

    def question(self) -> tuple[str, tuple[Message, ...]]:
        """The last message of the user, and the dialogue before it. Raises UsageError."""
        dialogue = [
            (message.role, message.text)
            for message in self.messages
            if message.role in ("user", "assistant") and message.text.strip()
        ]
        if not dialogue or dialogue[-1][0] != "user":
            raise UsageError(
                "the last message is not the user's, or has no text", hint='end messages with one of role "user"'
            )
        return dialogue[-1][1], tuple(
            Message("user" if role == "user" else "assistant", text) for role, text in dialogue[:-1]
        )

    def passed_over(self) -> list[str]:
        """The fields and roles of the request that had no effect."""
        given = [name for name in _WITHOUT_EFFECT if (self.model_extra or {}).get(name) is not None]
        roles = sorted({message.role for message in self.messages} - {"user", "assistant"})
        return [*given, *(f"messages of role {role}" for role in roles)]


class ModelRow(BaseModel):
    """A collection as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "assay"


class ModelList(BaseModel):
    """The collections as models."""

    object: Literal["list"] = "list"
    data: list[ModelRow]


class Completion(BaseModel):
    """A chat completion, with the verdicts and sources of assay in `assay`."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, Any]
    assay: dict[str, Any]


# The last event of a stream is [DONE], which is no JSON.
_CHUNK = {"type": "object", "properties": {"data": {"type": "string"}}, "required": ["data"]}
_COMPLETION: Responses = {
    200: {
        "description": "The completion; with `stream` its chunks as events",
        "content": {EVENT_STREAM: {"itemSchema": _CHUNK}},
    }
}


@router.get("/models", response_model=ModelList, responses=openai_problems())
async def list_models(service: TheService, caller: Reader) -> Response:
    """List the collections as models."""
    tenant = tenant_of(service, caller)
    rows = await asyncio.to_thread(lambda: [_model_row(tenant, name) for name in tenant.collections.names()])
    return json_response({"object": "list", "data": rows})


@router.get("/models/{model}", response_model=ModelRow, responses=openai_problems(404))
async def show_model(model: str, service: TheService, caller: Reader) -> Response:
    """Show a collection as a model."""
    tenant = tenant_of(service, caller)
    if model not in await asyncio.to_thread(tenant.collections.names):
        raise NotFound(f"there is no model {model[:100]!r}", hint="GET /v1/models lists the collections")
    return json_response(await asyncio.to_thread(_model_row, tenant, model))


@router.post(
    "/chat/completions",
    response_model=Completion,
    responses=_COMPLETION | openai_problems(404, 409, 502, 504),
)
async def complete(body: ChatBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Answer the last message of a dialogue from the collection that `model` names."""
    tenant = tenant_of(service, caller)
    question, history = body.question()
    links = Links(str(request.base_url))
    if body.stream:
        events = asked_events(service, tenant, body.model, question, history, None)
        run = await service.live.begin(events, tenant.name, body.model)
        return stream_response(chunks(run, body, links), tenant)
    answer = await until_gone(request, _answer(service, tenant, body.model, question, history))
    return json_response(completion(answer, body, links), tenant=tenant)


async def _answer(
    service: Service, tenant: Tenant, collection: str, question: str, history: tuple[Message, ...]
) -> Answer:
    async with service.engine(tenant, collection) as engine:
        return await engine.aask(question, history)


@dataclass(frozen=True, slots=True)
class Links:
    """The address at which a reader opens a source: its own, or its document in the server's page."""

    base: str

    def of(self, source: Source, collection: str, quoted: Source | SourceSpan) -> str:
        """The address of a source, opened at the quoted place."""
        if source.origin.link:
            return source.origin.link
        place = f"{collection}/{source.document_id}?start={quoted.start}&end={quoted.end}"
        return f"{self.base}#/documents/{place}"


def completion(answer: Answer, body: ChatBody, links: Links) -> dict[str, Any]:
    """The answer as a chat completion."""
    message = {
        "role": "assistant",
        "content": answer.text,
        "refusal": None,
        "annotations": citation_annotations(answer.text, answer.sources, answer.claims, body.model, links),
    }
    return {
        "id": f"chatcmpl-{answer.run_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage_of(answer),
        "assay": verdicts(answer, body),
    }


def usage_of(answer: Answer) -> dict[str, Any]:
    """The tokens as OpenAI's clients read them: they know no unknown, so that counts as 0 here."""
    usage = answer.usage
    return {
        "prompt_tokens": usage.prompt_tokens or 0,
        "completion_tokens": usage.completion_tokens or 0,
        "total_tokens": usage.total_tokens or 0,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens or 0},
    }


def verdicts(answer: Answer, body: ChatBody) -> dict[str, Any]:
    """The verdicts on the answer, in the field of its own; `text` is the whole answer with its marks."""
    whole = answer.to_dict()
    names = (
        "run_id", "outcome", "text", "choices", "verdict", "answers_question", "claims", "sources", "confidence",
        "warnings", "named_warnings", "usage",
    )  # fmt: skip
    return {
        **{name: whole[name] for name in names},
        "verified": answer.validate(),
        "passed_over": body.passed_over(),
    }


def citation_annotations(
    text: str, sources: Sequence[Source], claims: Sequence[Claim], collection: str, links: Links
) -> list[dict[str, Any]]:
    """The citation marks `[n]` of a text as annotations of the kind url_citation.

    Each opens its source where the claim before the mark quotes it, else where another claim does, else as a whole.
    """
    found = []
    for source in sources:
        mark = f"[{source.number}]"
        start = text.find(mark)
        while start >= 0:
            citation = {
                "url": links.of(source, collection, _quoted_place(source, claims, start)),
                "title": source.title,
                "start_index": start,
                "end_index": start + len(mark),
            }
            found.append({"type": "url_citation", "url_citation": citation})
            start = text.find(mark, start + 1)
    return sorted(found, key=lambda row: int(row["url_citation"]["start_index"]))


def _quoted_place(source: Source, claims: Sequence[Claim], mark: int) -> Source | SourceSpan:
    nearest_first = sorted(claims, key=lambda claim: (claim.start > mark, abs(mark - claim.start)))
    spans = (span for claim in nearest_first for span in claim.spans if span.passage_id == source.passage_id)
    return next(spans, source)


@dataclass(slots=True)
class _VerifiedText:
    """The text of the sentences that were verified so far."""

    sentences: list[Sentence] = field(default_factory=list)
    sent: int = 0

    def add(self, sentence: Sentence) -> str:
        """The text that a verified sentence adds."""
        self.sentences.append(sentence)
        text = compose(tuple(self.sentences)).text
        added, self.sent = text[self.sent :], len(text)
        return added

    def sources(self, answer: Answer) -> list[Source]:
        """The sources of the answer under the numbers of this text."""
        by_id = {source.passage_id: source for source in answer.sources}
        ids = compose(tuple(self.sentences)).sources
        numbered = ((n, by_id[passage_id]) for n, passage_id in enumerate(ids, 1) if passage_id in by_id)
        return [replace(source, number=number) for number, source in numbered]


async def chunks(run: LiveRun, body: ChatBody, links: Links) -> AsyncIterator[bytes]:
    """The run as chunks of a chat completion; a sentence is sent when it is verified, and never taken back."""
    chunk = _Chunks(f"chatcmpl-{run.run_id}", body.model)
    verified = _VerifiedText()
    yield chunk.of({"role": "assistant", "content": ""})
    async for event in run.after(0):
        if event is None:
            yield b": ping\n\n"
        elif isinstance(event, SentenceVerified):
            yield chunk.of({"content": verified.add(event.sentence)})
        elif isinstance(event, Failed):
            yield _data(
                {"error": {"message": event.message, "type": "server_error", "param": None, "code": event.error}}
            )
        elif isinstance(event, Done):
            for frame in _ending(event.answer, verified, chunk, body, links):
                yield frame
    yield format_sse_event(data_str="[DONE]")


def _ending(answer: Answer, verified: _VerifiedText, chunk: _Chunks, body: ChatBody, links: Links) -> list[bytes]:
    """The last chunks: what was not streamed, the citations, the verdicts, the usage."""
    if verified.sentences:
        text, sources = compose(tuple(verified.sentences)).text, verified.sources(answer)
        frames = []
    else:
        text = answer.text if answer.outcome in (Outcome.ABSTAINED, Outcome.CLARIFY) else _NOTHING_VERIFIED
        sources = []
        frames = [chunk.of({"content": text})]
    marks = citation_annotations(text, sources, answer.claims, body.model, links)
    if marks:
        frames.append(chunk.of({"annotations": marks}))
    frames.append(chunk.of({}, finish="stop", assay=verdicts(answer, body)))
    if body.stream_options is not None and body.stream_options.include_usage:
        frames.append(chunk.of(None, usage=usage_of(answer)))
    return frames


@dataclass(frozen=True, slots=True)
class _Chunks:
    """Makes the chunks of one completion."""

    completion_id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))

    def of(self, delta: dict[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
        """A chunk with this delta; None is a chunk without a choice."""
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        return _data(
            {
                "id": self.completion_id,
                "object": "chat.completion.chunk",
                "created": self.created,
                "model": self.model,
                "choices": choices,
                **more,
            }
        )


def _data(body: dict[str, Any]) -> bytes:
    return format_sse_event(data_str=json.dumps(body, ensure_ascii=False).encode(errors="replace").decode())


def _model_row(tenant: Tenant, name: str) -> dict[str, Any]:
    return ModelRow(id=name, created=tenant.collections.created(name)).model_dump()
