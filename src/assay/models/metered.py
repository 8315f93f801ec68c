"""A language model within a run's budget: every attempt is reserved, delays are bounded by the deadline."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from assay.budget import Budget, Reservation
from assay.errors import ProviderError
from assay.stages import LLM, Clock
from assay.types import ModelReply, ModelRequest, Usage

# At most this many attempts a reply.
ATTEMPTS = 4
# What each delay is multiplied with, drawn anew, so that many callers do not return at once.
SPREAD = (0.8, 1.2)
# Where a stream broke, the provider may have counted tokens that it did not tell.
_BROKEN_STREAM = Usage(None, None, None, None, calls=1, cost=None)
_FAILED_CALL = Usage(calls=1)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a token, for prompt and reply; what is unknown is 0 here, and refused where money is limited."""

    prompt: float = 0.0
    reply: float = 0.0


def untold(_usage: Usage) -> None:
    """What happens to the usage of a call that nobody counts apart."""


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """Wraps a model for one run: at most four attempts a reply, each within the budget and the deadline.

    Only retryable errors are tried again, and a stream only while it has given nothing. `chance` makes the
    delays of a run reproducible. `tell` is told what each attempt used, beside the budget. `spare` calls of the
    budget are left for others.
    """

    inner: LLM
    budget: Budget
    clock: Clock
    price: Price = Price()
    delays: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0)
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - delays are no secret
    tell: Callable[[Usage], None] = untold
    spare: int = 0

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self.inner.name

    @property
    def host(self) -> str:
        """The wrapped model's host."""
        return self.inner.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply, with the usage of the attempt that gave it. Raises BudgetSpent, ProviderError."""
        attempt = 0
        while True:
            reserved = self._reserve(request)
            try:
                reply = await self.inner.complete(request)
            except ProviderError as error:
                self._settle(reserved, _FAILED_CALL)
                attempt += 1
                await self._wait_or_raise(error, attempt)
            else:
                self._settle(reserved, reply.usage)
                return reply

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The stream's parts. Raises as `complete`."""
        attempt = 0
        while True:
            reserved, given, usage = self._reserve(request), False, _BROKEN_STREAM
            try:
                async with aclosing(self.inner.stream(request)) as parts:
                    async for part in parts:
                        given = True
                        if isinstance(part, ModelReply):
                            usage = part.usage
                        yield part
                return
            except ProviderError as error:
                usage = usage if given else _FAILED_CALL
                attempt += 1
                if given:
                    raise
                await self._wait_or_raise(error, attempt)
            finally:
                self._settle(reserved, usage)

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()

    def _reserve(self, request: ModelRequest) -> Reservation:
        prompt = tokens_at_most(request)
        reply = request.max_tokens + request.thinking_tokens
        cost = prompt * self.price.prompt + reply * self.price.reply
        return self.budget.reserve(prompt + reply, cost, self.spare)

    def _settle(self, reserved: Reservation, usage: Usage) -> None:
        self.budget.settle(reserved, usage)
        self.tell(usage)

    async def _wait_or_raise(self, error: ProviderError, attempt: int) -> None:
        """Wait until the next attempt, `attempt` of them having failed; raise where there is none."""
        if not error.retryable or attempt >= len(self.delays):
            raise error
        delay = self.delays[attempt] * self.chance.uniform(*SPREAD)
        if error.retry_after is not None:
            delay = max(delay, error.retry_after)
        if delay >= self.budget.seconds_left():
            raise error
        await self.clock.sleep(delay)


def delays_from(seconds: float) -> tuple[float, ...]:
    """Seconds before each attempt: none, then doubling from `seconds`.

    >>> delays_from(1.0)
    (0.0, 1.0, 2.0, 4.0)
    """
    return (0.0, *(seconds * 2**n for n in range(ATTEMPTS - 1)))


def tokens_at_most(request: ModelRequest) -> int:
    """A prompt's tokens, on the safe side: no tokenizer of today makes more than one of two characters of prose.

    >>> from assay.types import PromptMessage
    >>> tokens_at_most(ModelRequest("judge", (PromptMessage("user", "How hot is it?"),)))
    11
    """
    return sum(len(message.text.encode(errors="replace")) // 2 + 4 for message in request.messages)
