"""A language model that says what is written down for it, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from assay.testing.fakes import Unscripted
from assay.types import ModelReply, ModelRequest, Usage


class ScriptedModel:
    """Gives its replies in order: prose, the JSON of a mapping, or an error, which it raises.

    Replies are not validated: wrap it in a `StructuredModel`, as the engine does. `requests` is what it was asked.
    """

    def __init__(self, *replies: str | Mapping[str, Any] | Exception) -> None:
        self._replies = list(replies)
        self.requests: list[ModelRequest] = []

    name = "fake:scripted"
    host = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply; raises Unscripted where none is left."""
        self.requests.append(request)
        if not self._replies:
            raise Unscripted(f"no reply is scripted for call {len(self.requests)}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return ModelReply(text, "stop", Usage(calls=1), self.name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The next reply in one piece, then as a whole."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def aclose(self) -> None:
        """Nothing is held."""
