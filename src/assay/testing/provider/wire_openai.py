"""OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.testing.provider.nouns import Asked, Reply, ServerEvent, Tokens
from assay.testing.provider.wire import pieces, text_of
from assay.types import PromptMessage

_FINISH = {"length": "length", "blocked": "content_filter", "tool": "tool_calls", "other": "weather"}
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
        said = {**_head(asked, "chat.completion"), "choices": [choice]}
        return said if reply.usage is None else {**said, "usage": _usage(reply.usage)}

    def events(self, asked: Asked, reply: Reply) -> list[ServerEvent]:
        """`chat.completion.chunk` events, then `[DONE]`."""
        head = _head(asked, "chat.completion.chunk")

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
            events.append(ServerEvent({**head, "choices": [], "usage": _usage(reply.usage)}))
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


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": asked.model}


def _finish(reply: Reply) -> str | None:
    return None if reply.finish == "incomplete" else _FINISH.get(reply.finish, "stop")


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"index": n, "id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(reply.tools)
    ]


def _usage(usage: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
