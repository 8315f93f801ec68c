"""A language model whose calls are priced.

The first price reads the whole list of them in, which takes longer than an event loop may be held: it is read by a
thread while the engine opens.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from assay.models.prices import cost_of, price_known
from assay.stages import LLM
from assay.types import ModelReply, ModelRequest


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Wraps a model: its replies' usage says what they cost, None where the price or the tokens are unknown.

    `prices` are US dollars per million tokens by model, over the known ones.
    """

    inner: LLM
    prices: Mapping[str, Mapping[str, float]]
    reading: Future[bool] = field(repr=False)

    @classmethod
    def over(cls, inner: LLM, prices: Mapping[str, Mapping[str, float]]) -> PricedModel:
        """The model with its prices on their way."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="assay-prices")
        reading = thread.submit(price_known, inner.name, prices)
        thread.shutdown(wait=False)
        return cls(inner, prices, reading)

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
        reply = await self.inner.complete(request)
        await self._prices_read()
        return self._priced(reply)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The wrapped model's stream, its ending with its cost."""
        async with aclosing(self.inner.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    await self._prices_read()
                    yield self._priced(part)
                else:
                    yield part

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()

    async def _prices_read(self) -> None:
        """Wait for the prices, which one thread reads in once."""
        if not self.reading.done():
            await asyncio.shield(asyncio.wrap_future(self.reading))

    def _priced(self, reply: ModelReply) -> ModelReply:
        return replace(reply, usage=replace(reply.usage, cost=cost_of(self.name, reply.usage, self.prices)))
