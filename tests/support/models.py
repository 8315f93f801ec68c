"""Language models in this process: one that answers as the local provider does, and two that are no help."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.stages import LLM
from assay.errors import ProviderUnreachable
from assay.models.structured import StructuredModel
from assay.testing.fakes import ScriptedModel
from assay.types import ModelReply, ModelRequest, Usage
from support.provider import MADE_UP, Asked, plain_answer


@dataclass(frozen=True, slots=True)
class LocalModel:
    """Says `says` to every request; without it, what the local provider would."""

    says: str | None = None
    name: str = "fake:local"
    host: str = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply."""
        asked = Asked("openai", "local", request.messages, request.reply_schema)
        text = plain_answer(asked) if self.says is None else self.says
        return ModelReply(text, "stop", Usage(5, 5, 10, 0, calls=1), self.name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply in pieces of seven characters, then as a whole."""
        reply = await self.complete(request)
        for start in range(0, len(reply.text), 7):
            yield reply.text[start : start + 7]
        yield reply

    async def aclose(self) -> None:
        """Nothing is held."""


class HonestJudge(ScriptedModel):
    """Gives its replies in order, and says that the made-up question by which a judge is tested is not answered.

    `requests` are those of the script, `tests` those for the made-up question.
    """

    def __init__(self, *replies: str | Mapping[str, Any] | Exception) -> None:
        super().__init__(*replies)
        self.tests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply, or an honest no."""
        asked = Asked("openai", "honest", request.messages, request.reply_schema)
        if MADE_UP not in asked.prompt:
            return await super().complete(request)
        self.tests.append(request)
        return ModelReply(plain_answer(asked), "stop", Usage(calls=1), self.name)


@dataclass(frozen=True, slots=True)
class LostModel:
    """Raises ProviderUnreachable, whatever it is asked."""

    name: str = "fake:lost"
    host: str = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raise."""
        raise ProviderUnreachable("fake:lost is not there", hint="start it")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """Raise."""
        yield await self.complete(request)

    async def aclose(self) -> None:
        """Nothing is held."""


# What a stage may be given: a model that does its work, one that rambles on, one that is not there.
ANY_MODEL: dict[str, LLM] = {
    "honest": StructuredModel(LocalModel()),
    "rambling": StructuredModel(LocalModel("Well, it depends [9]. See https://example.org.")),
    "lost": StructuredModel(LostModel()),
}
