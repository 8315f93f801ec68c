"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.testing.provider.nouns import Asked, Reply, ServerEvent, Tokens
from assay.testing.provider.wire import pieces, text_of
from assay.types import PromptMessage

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
