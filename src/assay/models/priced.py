"""A language model whose calls are priced."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

from assay.models.prices import cost_of
from assay.stages import LLM
from assay.types import ModelReply, ModelRequest


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Wraps a model: its replies' usage says what they cost, None where the price or the tokens are unknown.

    `prices` are US dollars per million tokens by model, over the known ones.
    """

    inner: LLM
    prices: Mapping[str, Mapping[str, float]]

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self.inner.name

    @property
    def host(self) -> str:
        """The wrapped model's host."""
        return self.inner.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The wrapped model's reply with its cost."""
        return self._priced(await self.inner.complete(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The wrapped model's stream, its ending with its cost."""
        async with aclosing(self.inner.stream(request)) as parts:
            async for part in parts:
                yield self._priced(part) if isinstance(part, ModelReply) else part

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()

    def _priced(self, reply: ModelReply) -> ModelReply:
        return replace(reply, usage=replace(reply.usage, cost=cost_of(self.name, reply.usage, self.prices)))
