"""A language model whose calls are priced.

The first price reads the whole list of them in, which takes longer than an event loop may be held: it is read by a
thread while the model answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
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
    read: set[str] = field(default_factory=set, repr=False)

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
        reading = self._read_prices()
        reply = await self.inner.complete(request)
        await reading
        return self._priced(reply)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The wrapped model's stream, its ending with its cost."""
        reading = self._read_prices()
        async with aclosing(self.inner.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    await reading
                    yield self._priced(part)
                else:
                    yield part

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()

    def _read_prices(self) -> asyncio.Future[bool]:
        """The prices on their way: done at once where they were read before."""
        loop = asyncio.get_running_loop()
        if self.name not in self.read:
            self.read.add(self.name)
            return loop.run_in_executor(None, price_known, self.name, self.prices)
        done = loop.create_future()
        done.set_result(True)
        return done

    def _priced(self, reply: ModelReply) -> ModelReply:
        return replace(reply, usage=replace(reply.usage, cost=cost_of(self.name, reply.usage, self.prices)))
