"""A language model within a run's budget: every attempt is reserved, delays are bounded by the deadline."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.core.budget import Budget, Reservation
from assay.core.stages import LLM, Clock
from assay.errors import CircuitOpen, ProviderError
from assay.nlp.tokens import estimated_tokens
from assay.types import Effort, ModelReply, ModelRequest, Role, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def untried(_attempts: int, _replied: bool) -> None:
    """What happens to the attempts of a call that nobody counts."""


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """Wraps a model for one run: at most four attempts a reply, each within the budget and the deadline.

    Only retryable errors are tried again, and a stream only while it has given nothing. `chance` makes the
    delays of a run reproducible. `tell` is told what each attempt used, beside the budget, and `tried` how many
    attempts a call took, and whether they ended in a reply. `spare` calls of the budget are left for others.
    """

    inner: LLM
    budget: Budget
    clock: Clock
    price: Price = Price()
    delays: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0)
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - delays are no secret
    tell: Callable[[Usage], None] = untold
    spare: int = 0
    tried: Callable[[int, bool], None] = untried

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
                self.tried(attempt + 1, True)
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
                self.tried(attempt + 1, True)
                return
            except ProviderError as error:
                usage = usage if given else _FAILED_CALL
                attempt += 1
                if given:
                    self.tried(attempt, False)
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
            self.tried(attempt, False)
            raise error
        delay = self.delays[attempt] * self.chance.uniform(*SPREAD)
        if error.retry_after is not None:
            delay = max(delay, error.retry_after)
        if delay >= self.budget.seconds_left():
            self.tried(attempt, False)
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


# A circuit breaker: a provider that fails again and again is left alone for a while.


# Failures in a row after which calls fail at once, and for how many seconds.
FAILURES = 20
COOLING = 30.0


@dataclass(slots=True)
class Circuit:
    """The state of one provider, shared by all its models and runs.

    After `FAILURES` failures in a row it is open: calls fail at once. When it has cooled, one call is let
    through to probe; its success closes the circuit.
    """

    clock: Clock
    cooling: float = COOLING
    failures: int = 0
    opened: float | None = None
    probing: bool = False

    @contextmanager
    def call(self, provider: str) -> Iterator[None]:
        """Let a call through and watch it; raises CircuitOpen where the circuit is open."""
        probes = self._enter(provider)
        try:
            yield
        except ProviderError as error:
            if error.retryable:
                self._failed()
            raise
        else:
            self.failures, self.opened = 0, None
        finally:
            if probes:
                self.probing = False

    def _enter(self, provider: str) -> bool:
        """Whether this call is the probe."""
        if self.opened is None:
            return False
        left = self.opened + self.cooling - self.clock.monotonic()
        if left > 0 or self.probing:
            raise CircuitOpen(
                f"{provider} failed {FAILURES} times in a row and is left alone for now",
                hint=f"try again in {max(1, round(left))} s, or use another model",
            )
        self.probing = True
        return True

    def _failed(self) -> None:
        self.failures += 1
        if self.failures >= FAILURES:
            self.opened = self.clock.monotonic()


@dataclass(frozen=True, slots=True)
class GuardedModel:
    """Wraps a model with its provider's circuit."""

    inner: LLM
    circuit: Circuit = field(repr=False)

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self.inner.name

    @property
    def host(self) -> str:
        """The wrapped model's host."""
        return self.inner.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The wrapped model's reply; raises CircuitOpen at once while the provider is left alone."""
        with self.circuit.call(self.name):
            return await self.inner.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The wrapped model's stream; raises as `complete`."""
        with self.circuit.call(self.name):
            async with aclosing(self.inner.stream(request)) as parts:
                async for part in parts:
                    yield part

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()


# A language model asked as its user set it: how hard to think, how freely to judge, with room to think in.


# The roles whose temperature is that of judging.
JUDGING: frozenset[Role] = frozenset({"judge", "verifier"})
# Role marks and line ends that a service adds to each message, in tokens.
_AROUND = 8
# The estimate counts 3.5 characters a token, and English prose has about 4.3: so much more may be estimated.
_LONGER = 1.25
# A stream that was left did not tell what it took.
_NOT_TOLD = Usage(None, None, None, None, calls=1, cost=None)


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a user set for all requests to a model; None leaves the request's own, or the model's.

    `thinking_tokens` are what a reply may take besides its own limit. `window` is the context that prompt, thinking
    and reply share, in tokens, None where it is far larger than any prompt here.
    """

    judge_temperature: float | None = None
    effort: Effort | None = None
    thinking_tokens: int = 0
    window: int | None = None

    def tuned(self, request: ModelRequest) -> ModelRequest:
        """The request under these settings.

        >>> from assay.types import PromptMessage
        >>> asked = ModelRequest("judge", (PromptMessage("user", "Is it hot?"),), max_tokens=100, temperature=0.0)
        >>> tuned = Tuning(0.5, "high", thinking_tokens=8192, window=1000).tuned(asked)
        >>> tuned.temperature, tuned.effort, tuned.max_tokens, tuned.thinking_tokens
        (0.5, 'high', 100, 889)
        """
        room = self.thinking_tokens
        if self.window is not None:
            prompt = sum(estimated_tokens(each.text) + _AROUND for each in request.messages)
            room = max(0, min(room, self.window - prompt - request.max_tokens))
        request = replace(request, effort=self.effort, thinking_tokens=room)
        if self.judge_temperature is None or request.role not in JUDGING:
            return request
        return replace(request, temperature=self.judge_temperature, temperature_set=True)


@dataclass(frozen=True, slots=True)
class TunedModel:
    """Wraps a model: each request is sent as `tuning` has it.

    Room that a model does not think with is none for a longer reply: a stream is left, and so cut off, where its
    text has about as many tokens as the reply may have.
    """

    inner: LLM
    tuning: Tuning

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self.inner.name

    @property
    def host(self) -> str:
        """The wrapped model's host."""
        return self.inner.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The wrapped model's reply; raises what it raises."""
        return await self.inner.complete(self.tuning.tuned(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The wrapped model's stream, as far as the reply's own limit reaches; raises what it raises."""
        asked, text = self.tuning.tuned(request), ""
        async with aclosing(self.inner.stream(asked)) as parts:
            async for part in parts:
                yield part
                text += part if isinstance(part, str) else ""
                if asked.thinking_tokens and estimated_tokens(_said(text)) > _LONGER * asked.max_tokens:
                    break
            else:
                return
        yield ModelReply(text, "length", _NOT_TOLD, self.name)

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()


def _said(text: str) -> str:
    """What a reply says so far, without what the model thinks aloud before it."""
    return text.partition("</think>")[2] if text.lstrip().startswith("<think>") else text
