"""Gemini's generateContent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.testing.provider.nouns import Asked, Reply, ServerEvent, Tokens
from assay.testing.provider.wire import pieces, text_of
from assay.types import PromptMessage

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
        return {"candidates": [candidate], **_usage(reply.usage), **_tail(asked)}

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
        return [*events, ServerEvent({"candidates": [ending], **_usage(reply.usage), **_tail(asked)})]

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


def _usage(usage: Tokens | None) -> dict[str, Any]:
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
