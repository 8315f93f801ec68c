"""A language model as a run asks it: every step between a stage and the adapter, in its order."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager, aclosing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from assay.core.budget import Budget, Reservation, WatchedCall
from assay.core.stages import LLM, Clock
from assay.errors import CircuitOpen, ProviderError
from assay.models.prices import Price, PriceTable
from assay.models.structured import fitting_reply
from assay.nlp.tokens import estimated_tokens
from assay.types import Effort, ModelReply, ModelRequest, Role, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

Complete = Callable[[ModelRequest], Awaitable[ModelReply]]
Parts = AsyncGenerator[str | ModelReply, None]
Stream = Callable[[ModelRequest], Parts]
# Watches an attempt: the model's name and host, the request, and whether it is streamed.
CallWatch = Callable[[str, str, ModelRequest, bool], WatchedCall]

# At most this many attempts a reply: chosen.
ATTEMPTS = 4
# The factor of each delay, drawn anew, so that many callers do not return at once: chosen.
SPREAD = (0.8, 1.2)
# The usage of a stream that broke off or was left: the provider may have counted tokens that it did not report.
_UNREPORTED = Usage(None, None, None, None, calls=1, cost=None)
_FAILED_CALL = Usage(calls=1)


class CallTape(Protocol):
    """Records calls to a model by its name and their requests; in a replay nothing is called."""

    async def complete(self, name: str, request: ModelRequest, call: Complete) -> ModelReply:
        """The reply, from the call or from the recording."""

    def stream(self, name: str, request: ModelRequest, call: Stream) -> Parts:
        """The parts of the reply, from the call or from the recording."""


@dataclass(frozen=True, slots=True)
class RunModel:
    """A language model as a run asks it. The steps of a call, outermost first:

    1. validate: a reply that does not fit its schema is shown its errors once (`complete` only);
    2. tune: the request gets what the user set;
    3. meter: each attempt is reserved in the budget, and retried;
    4. watch: the attempt is timed;
    5. tape: the attempt is recorded, or played back;
    6. circuit: a provider that keeps failing is left alone;
    7. the adapter is called, and its reply priced.

    A step that is None is left out. An engine holds its models with `circuit` and `prices`; each run adds the rest.
    """

    adapter: LLM
    circuit: Circuit | None = field(default=None, repr=False)
    prices: PriceTable | None = None
    tape: CallTape | None = field(default=None, repr=False)
    meter: CallMeter | None = None
    tuning: Tuning | None = None
    watch: CallWatch | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The adapter's name."""
        return self.adapter.name

    @property
    def host(self) -> str:
        """The adapter's host."""
        return self.adapter.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """A reply that ended by itself and fits its schema. Raises UnusableReply, BudgetSpent, ProviderError."""
        return await fitting_reply(request, self.reply, self.name)

    async def reply(self, request: ModelRequest) -> ModelReply:
        """The reply however it ended, not validated. Raises BudgetSpent, ProviderError."""
        request = self._tuned(request)
        return await (self._watch(request) if self.meter is None else self.meter.complete(request, self._watch))

    async def stream(self, request: ModelRequest) -> Parts:
        """The reply's text in pieces, then the reply, whose ending the caller must look at. Raises as `reply`."""
        request = self._tuned(request)
        parts = self._watch_stream(request)
        if self.meter is not None:
            parts = self.meter.stream(request, self._watch_stream)
        async with aclosing(within_limit(request, parts, self.name)) as limited:
            async for part in limited:
                yield part

    async def aclose(self) -> None:
        """Close the adapter."""
        await self.adapter.aclose()

    def _tuned(self, request: ModelRequest) -> ModelRequest:
        return request if self.tuning is None else self.tuning.tuned(request)

    async def _watch(self, request: ModelRequest) -> ModelReply:
        if self.watch is None:
            return await self._record(request)
        with self.watch(self.name, self.host, request, False) as call:
            call.reply = await self._record(request)
            return call.reply

    async def _watch_stream(self, request: ModelRequest) -> Parts:
        with nullcontext() if self.watch is None else self.watch(self.name, self.host, request, True) as call:
            async with aclosing(self._record_stream(request)) as parts:
                async for part in parts:
                    if call is not None and isinstance(part, ModelReply):
                        call.reply = part
                    yield part

    async def _record(self, request: ModelRequest) -> ModelReply:
        if self.tape is None:
            return await self._call(request)
        return await self.tape.complete(self.name, request, self._call)

    def _record_stream(self, request: ModelRequest) -> Parts:
        if self.tape is None:
            return self._call_stream(request)
        return self.tape.stream(self.name, request, self._call_stream)

    async def _call(self, request: ModelRequest) -> ModelReply:
        with self._watched():
            reply = await self.adapter.complete(request)
            return reply if self.prices is None else await self.prices.priced(reply)

    async def _call_stream(self, request: ModelRequest) -> Parts:
        with self._watched():
            async with aclosing(self.adapter.stream(request)) as parts:
                async for part in parts:
                    if self.prices is not None and isinstance(part, ModelReply):
                        part = await self.prices.priced(part)
                    yield part

    def _watched(self) -> AbstractContextManager[None]:
        return nullcontext() if self.circuit is None else self.circuit.call(self.name)


# Attempts within the budget of a question.


def ignore_usage(_usage: Usage) -> None:
    """Default for `CallMeter.on_usage`."""


def ignore_attempts(_attempts: int, _replied: bool) -> None:
    """Default for `CallMeter.on_attempts`."""


@dataclass(frozen=True, slots=True)
class CallMeter:
    """At most four attempts a reply, each within the budget and the deadline of one run.

    Only retryable errors are retried, and a stream only while it has given nothing. `chance` makes the delays of a
    run reproducible. `on_usage` gets what each attempt used, and `on_attempts` how many attempts a call took and
    whether they ended in a reply. `spare` calls of the budget are left for others. Without a `price` no money is
    reserved.
    """

    budget: Budget
    clock: Clock
    price: Price | None = None
    delays: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0)
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - delays are no secret
    on_usage: Callable[[Usage], None] = ignore_usage
    spare: int = 0
    on_attempts: Callable[[int, bool], None] = ignore_attempts

    async def complete(self, request: ModelRequest, call: Complete) -> ModelReply:
        """The reply, with the usage of the attempt that gave it. Raises BudgetSpent, ProviderError."""
        attempt = 0
        while True:
            reserved = self._reserve(request)
            try:
                reply = await call(request)
            except ProviderError as error:
                self._settle(reserved, _FAILED_CALL)
                attempt += 1
                await self._wait_or_raise(error, attempt)
            else:
                self._settle(reserved, reply.usage)
                self.on_attempts(attempt + 1, True)
                return reply

    async def stream(self, request: ModelRequest, call: Stream) -> Parts:
        """The stream's parts. Raises as `complete`."""
        attempt = 0
        while True:
            reserved, given, usage = self._reserve(request), False, _UNREPORTED
            try:
                async with aclosing(call(request)) as parts:
                    async for part in parts:
                        given = True
                        if isinstance(part, ModelReply):
                            usage = part.usage
                        yield part
                self.on_attempts(attempt + 1, True)
                return
            except ProviderError as error:
                usage = usage if given else _FAILED_CALL
                attempt += 1
                if given:
                    self.on_attempts(attempt, False)
                    raise
                await self._wait_or_raise(error, attempt)
            finally:
                self._settle(reserved, usage)

    def _reserve(self, request: ModelRequest) -> Reservation:
        prompt = tokens_at_most(request)
        reply = request.max_tokens + request.thinking_tokens
        cost = 0.0 if self.price is None else (prompt * self.price.input + reply * self.price.output) / 1e6
        return self.budget.reserve(prompt + reply, cost, self.spare)

    def _settle(self, reserved: Reservation, usage: Usage) -> None:
        self.budget.settle(reserved, usage)
        self.on_usage(usage)

    async def _wait_or_raise(self, error: ProviderError, attempt: int) -> None:
        """Wait until the next attempt, `attempt` of them having failed; raise where there is none."""
        if not error.retryable or attempt >= len(self.delays):
            self.on_attempts(attempt, False)
            raise error
        delay = self.delays[attempt] * self.chance.uniform(*SPREAD)
        if error.retry_after is not None:
            delay = max(delay, error.retry_after)
        if delay >= self.budget.seconds_left():
            self.on_attempts(attempt, False)
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
        """True if this call is the probe."""
        if self.opened is None:
            return False
        left = self.opened + COOLING - self.clock.monotonic()
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


# A language model asked as its user set it: how hard to think, how freely to judge, with room to think in.


# The roles whose temperature is that of judging.
JUDGING: frozenset[Role] = frozenset({"judge", "verifier"})
# Role marks and line ends that a service adds to each message, in tokens.
_AROUND = 8
# The estimate counts 3.5 characters a token, and English prose has about 4.3: so much more may be estimated.
_LONGER = 1.25


@dataclass(frozen=True, slots=True)
class Tuning:
    """The user's options for all requests to a model; None leaves the request's own, or the model's.

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
            prompt = sum(estimated_tokens(message.text) + _AROUND for message in request.messages)
            room = max(0, min(room, self.window - prompt - request.max_tokens))
        request = replace(request, effort=self.effort, thinking_tokens=room)
        if self.judge_temperature is None or request.role not in JUDGING:
            return request
        return replace(request, temperature=self.judge_temperature, temperature_set=True)


async def within_limit(request: ModelRequest, parts: Parts, name: str) -> Parts:
    """The parts as far as the reply's own limit reaches; room for thinking is no room for a longer reply.

    The stream is left, and so cut off, where its text has about as many tokens as the reply may have.
    """
    text = ""
    async with aclosing(parts):
        async for part in parts:
            yield part
            text += part if isinstance(part, str) else ""
            if request.thinking_tokens and estimated_tokens(_without_thinking(text)) > _LONGER * request.max_tokens:
                break
        else:
            return
    yield ModelReply(text, "length", _UNREPORTED, name)


def _without_thinking(text: str) -> str:
    """A reply so far without what the model thinks aloud before it."""
    return text.partition("</think>")[2] if text.lstrip().startswith("<think>") else text
