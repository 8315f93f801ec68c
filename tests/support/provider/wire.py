"""A wire format, and the pieces of HTTP that all of them share."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from assay.types import PromptMessage
from support.provider.rules import Asked, Reply, ServerEvent, Tokens, Wire


class WireFormat(Protocol):
    """Read what is asked and write what is said, as one vendor does."""

    @property
    def name(self) -> Wire:
        """The vendor."""
        ...

    def asked(self, path: str, body: Mapping[str, Any]) -> Asked | None:
        """What a request asks; None where it is for no reply of this vendor's."""
        ...

    def body(self, asked: Asked, reply: Reply) -> dict[str, Any]:
        """The whole reply as JSON."""
        ...

    def events(self, asked: Asked, reply: Reply) -> list[ServerEvent]:
        """The reply as a stream: the opening, one event a piece of text, then the ending."""
        ...

    def stray(self, text: str) -> ServerEvent:
        """A piece of text that belongs to another choice than the one asked for."""
        ...

    def error(self, status: int, message: str, code: str) -> dict[str, Any]:
        """The body of a refusal."""
        ...

    def broken(self, message: str) -> ServerEvent:
        """The event that says, in the middle of a stream, that the service failed."""
        ...

    def ping(self) -> ServerEvent:
        """The event that keeps a stream open and says nothing; a comment where the format has none."""
        ...


def pieces(text: str) -> list[str]:
    """A text cut before each word.

    >>> pieces("Tea is hot.")
    ['Tea', ' is', ' hot.']
    """
    return re.findall(r"\s*\S+|\s+$", text)


def encoded(event: ServerEvent) -> bytes:
    """An event as server-sent bytes; one without data is a comment.

    >>> encoded(ServerEvent({"a": 1}, "delta"))
    b'event: delta\\ndata: {"a": 1}\\n\\n'
    """
    if event.data is None:
        return f": {event.name}\n\n".encode()
    data = event.data if isinstance(event.data, str) else json.dumps(event.data, ensure_ascii=False)
    name = f"event: {event.name}\n" if event.name else ""
    return f"{name}data: {data}\n\n".encode()


def text_of(content: Any) -> str:
    """A message's content as text, be it a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))


# Anthropic's messages.


_STOP = {"length": "max_tokens", "refused": "refusal", "blocked": "refusal", "tool": "tool_use", "other": "weather"}
_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Anthropic:
    """`POST …/messages`."""

    name: Literal["anthropic"] = "anthropic"

    def asked(self, path: str, body: Mapping[str, Any]) -> Asked | None:
        """What the request asks; None for another path."""
        if not path.partition("?")[0].endswith("/messages"):
            return None
        system = text_of(body.get("system"))
        turns = [PromptMessage(each["role"], text_of(each["content"])) for each in body["messages"]]
        return Asked(
            "anthropic",
            str(body.get("model")),
            tuple([PromptMessage("system", system), *turns] if system else turns),
            ((body.get("output_config") or {}).get("format") or {}).get("schema"),
            bool(body.get("stream")),
            body.get("max_tokens"),
        )

    def body(self, asked: Asked, reply: Reply) -> dict[str, Any]:
        """A message."""
        blocks = _tools(reply) or ([{"type": "text", "text": reply.text, "citations": None}] if reply.text else [])
        return {
            **_head(asked),
            "content": blocks,
            "stop_reason": _stop(reply),
            "stop_sequence": None,
            **({} if reply.usage is None else {"usage": _usage(reply.usage)}),
        }

    def events(self, asked: Asked, reply: Reply) -> list[ServerEvent]:
        """message_start, one block of deltas, message_delta, message_stop."""
        start: dict[str, Any] = {**_head(asked), "content": [], "stop_reason": None, "stop_sequence": None}
        end: dict[str, Any] = {
            "type": "message_delta",
            "delta": {"stop_reason": _stop(reply), "stop_sequence": None},
        }
        if reply.usage is not None:
            start["usage"] = {**_usage(reply.usage), "output_tokens": 1}
            end["usage"] = {"output_tokens": reply.usage.completion}
        told = [{"type": "message_start", "message": start}, *_block(reply), end, {"type": "message_stop"}]
        return [ServerEvent(each, each["type"], each.get("delta", {}).get("text", "")) for each in told]

    def stray(self, text: str) -> ServerEvent:
        """A piece of a block that was never opened."""
        delta = {"type": "text_delta", "text": text}
        return ServerEvent({"type": "content_block_delta", "index": 7, "delta": delta}, "content_block_delta")

    def error(self, status: int, message: str, code: str) -> dict[str, Any]:
        """`{"type": "error", "error": {"type", "message"}}`."""
        kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    def broken(self, message: str) -> ServerEvent:
        """An `error` event."""
        return ServerEvent(self.error(529, message, ""), "error")

    def ping(self) -> ServerEvent:
        """A `ping` event."""
        return ServerEvent({"type": "ping"}, "ping")


def _head(asked: Asked) -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model}


def _stop(reply: Reply) -> str | None:
    return None if reply.finish == "incomplete" else _STOP.get(reply.finish, "end_turn")


def _tools(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": {}} for n, name in enumerate(reply.tools)
    ]


def _block(reply: Reply) -> list[dict[str, Any]]:
    """The events of the reply's one block; none for a reply without content."""
    opening = next(iter(_tools(reply)), {"type": "text", "text": ""} if reply.text else None)
    if opening is None:
        return []
    deltas = [] if reply.tools else [{"type": "text_delta", "text": piece} for piece in pieces(reply.text)]
    return [
        {"type": "content_block_start", "index": 0, "content_block": opening},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
    ]


def _usage(usage: Tokens) -> dict[str, Any]:
    # Anthropic counts what was read from a cache beside the prompt's tokens, not within them.
    return {
        "input_tokens": usage.prompt - usage.cached,
        "output_tokens": usage.completion,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": 0,
    }


# Gemini's generateContent.


_PATH = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent)$")
_FINISH = {"length": "MAX_TOKENS", "refused": "SAFETY", "blocked": "PROHIBITED_CONTENT", "other": "OTHER"}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


@dataclass(frozen=True, slots=True)
class Gemini:
    """`POST …/models/MODEL:generateContent` and `:streamGenerateContent?alt=sse`."""

    name: Literal["gemini"] = "gemini"

    def asked(self, path: str, body: Mapping[str, Any]) -> Asked | None:
        """What the request asks; None for another path."""
        found = _PATH.search(path.partition("?")[0])
        if found is None:
            return None
        config = body.get("generationConfig") or {}
        system = text_of((body.get("systemInstruction") or {}).get("parts"))
        turns = [
            PromptMessage("assistant" if each.get("role") == "model" else "user", text_of(each.get("parts")))
            for each in body["contents"]
        ]
        return Asked(
            "gemini",
            found[1],
            tuple([PromptMessage("system", system), *turns] if system else turns),
            config.get("responseJsonSchema") or config.get("responseSchema"),
            found[2] == "streamGenerateContent",
            config.get("maxOutputTokens"),
        )

    def body(self, asked: Asked, reply: Reply) -> dict[str, Any]:
        """A GenerateContentResponse; a refusal has no content, as Gemini's have none."""
        candidate: dict[str, Any] = {"index": 0, **_ending(reply)}
        if reply.tools:
            candidate["content"] = _content([{"functionCall": {"name": each, "args": {}}} for each in reply.tools])
        elif reply.finish != "refused":
            candidate["content"] = _content([{"text": reply.text}])
        return {"candidates": [candidate], **_gemini_usage(reply.usage), **_tail(asked)}

    def events(self, asked: Asked, reply: Reply) -> list[ServerEvent]:
        """One response a piece; the last also has the finish reason and the usage."""
        if reply.tools or reply.finish == "refused":
            return [ServerEvent(self.body(asked, reply))]
        events = [
            ServerEvent(
                {"candidates": [{"index": 0, "content": _content([{"text": piece}])}], **_tail(asked)}, None, piece
            )
            for piece in pieces(reply.text)
        ]
        ending = {"index": 0, "content": _content([{"text": ""}]), **_ending(reply)}
        return [*events, ServerEvent({"candidates": [ending], **_gemini_usage(reply.usage), **_tail(asked)})]

    def stray(self, text: str) -> ServerEvent:
        """A piece of candidate 1, where one candidate was asked for."""
        return ServerEvent({"candidates": [{"index": 1, "content": _content([{"text": text}])}]})

    def error(self, status: int, message: str, code: str) -> dict[str, Any]:
        """`{"error": {"code", "message", "status"}}`."""
        known = _STATUS.get(status, "INVALID_ARGUMENT" if status < 500 else "INTERNAL")
        return {"error": {"code": status, "message": message, "status": known}}

    def broken(self, message: str) -> ServerEvent:
        """An event with an `error` in the place of candidates."""
        return ServerEvent(self.error(503, message, ""))

    def ping(self) -> ServerEvent:
        """A comment."""
        return ServerEvent(None, "ping")


def _content(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": "model", "parts": parts}


def _ending(reply: Reply) -> dict[str, Any]:
    return {} if reply.finish == "incomplete" else {"finishReason": _FINISH.get(reply.finish, "STOP")}


def _gemini_usage(usage: Tokens | None) -> dict[str, Any]:
    if usage is None:
        return {}
    counts = {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.completion,
        "totalTokenCount": usage.prompt + usage.completion,
        "cachedContentTokenCount": usage.cached,
    }
    return {"usageMetadata": counts}


def _tail(asked: Asked) -> dict[str, Any]:
    return {"modelVersion": asked.model, "responseId": "response-1"}


# OpenAI's chat completions.


_OPENAI_FINISH = {"length": "length", "blocked": "content_filter", "tool": "tool_calls", "other": "weather"}
_ROLES = {"system": "system", "developer": "system", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class OpenAI:
    """`POST …/chat/completions`."""

    name: Literal["openai"] = "openai"

    def asked(self, path: str, body: Mapping[str, Any]) -> Asked | None:
        """What the request asks; None for another path."""
        if not path.endswith("/chat/completions"):
            return None
        form = body.get("response_format") or {}
        return Asked(
            "openai",
            str(body.get("model")),
            tuple(
                PromptMessage(_ROLES.get(each["role"], "user"), text_of(each["content"]))  # type: ignore[arg-type]
                for each in body["messages"]
            ),
            form["json_schema"]["schema"] if form.get("type") == "json_schema" else None,
            bool(body.get("stream")),
            body.get("max_completion_tokens") or body.get("max_tokens"),
        )

    def body(self, asked: Asked, reply: Reply) -> dict[str, Any]:
        """A `chat.completion`."""
        refused = reply.finish == "refused"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if refused or reply.tools else reply.text,
            "refusal": reply.text if refused else None,
        }
        if reply.tools:
            message["tool_calls"] = _calls(reply)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        said = {**_openai_head(asked, "chat.completion"), "choices": [choice]}
        return said if reply.usage is None else {**said, "usage": _openai_usage(reply.usage)}

    def events(self, asked: Asked, reply: Reply) -> list[ServerEvent]:
        """`chat.completion.chunk` events, then `[DONE]`."""
        head = _openai_head(asked, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None, text: str = "") -> ServerEvent:
            choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
            return ServerEvent({**head, "choices": choices}, text=text)

        key = "refusal" if reply.finish == "refused" else "content"
        events = [chunk({"role": "assistant", "content": ""})]
        if reply.tools:
            events.append(chunk({"tool_calls": _calls(reply)}))
        else:
            events += [chunk({key: piece}, text=piece) for piece in pieces(reply.text)]
        events.append(chunk({}, _finish(reply)))
        if reply.usage is not None:
            events.append(ServerEvent({**head, "choices": [], "usage": _openai_usage(reply.usage)}))
        return [*events, ServerEvent("[DONE]")]

    def stray(self, text: str) -> ServerEvent:
        """A piece of choice 1, where one choice was asked for."""
        choice = {"index": 1, "delta": {"content": text}, "logprobs": None, "finish_reason": None}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
        return ServerEvent({**head, "choices": [choice]})

    def error(self, status: int, message: str, code: str) -> dict[str, Any]:
        """`{"error": {"message", "type", "code"}}`."""
        kind = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def broken(self, message: str) -> ServerEvent:
        """An event with an `error` in the place of choices."""
        return ServerEvent(self.error(500, message, "server_error"))

    def ping(self) -> ServerEvent:
        """A comment."""
        return ServerEvent(None, "ping")


def _openai_head(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": asked.model}


def _finish(reply: Reply) -> str | None:
    return None if reply.finish == "incomplete" else _OPENAI_FINISH.get(reply.finish, "stop")


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"index": n, "id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(reply.tools)
    ]


def _openai_usage(usage: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
