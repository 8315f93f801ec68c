"""A hard budget for one question: calls, tokens, money and seconds, reserved before they are spent."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from assay.core.stages import Clock
from assay.core.tape import SystemClock
from assay.errors import BudgetSpent
from assay.types import CheckCost, Limits, Lookup, ModelReply, ModelRequest, Tries, Usage


@dataclass(frozen=True, slots=True)
class Reservation:
    """The most that a call may use: `tokens` of prompt and reply together, `cost` in US dollars."""

    tokens: int
    cost: float


class Budget:
    """The usage of a question, and what it may still use.

    Several calls at once cannot overspend: each reserves the most that it may use before it is made.

    >>> from assay.core.tape import SystemClock
    >>> budget = Budget(Limits(calls=1), SystemClock())
    >>> reserved = budget.reserve(tokens=100, cost=0.0)
    >>> budget.settle(reserved, Usage(prompt_tokens=60, completion_tokens=20, total_tokens=80, calls=1))
    >>> budget.spent.total_tokens
    80
    >>> budget.reserve(tokens=100, cost=0.0)
    Traceback (most recent call last):
    ...
    assay.errors.BudgetSpent: the question's 1 model call is used up
    """

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.spent = Usage()
        self._limits = limits
        self._clock = clock
        self._ends = clock.monotonic() + limits.seconds
        # Counts against the limits: the reserved amount until it is settled, and for good if the provider did not
        # report the usage.
        self._calls, self._tokens, self._cost = 0, 0, 0.0

    def seconds_left(self) -> float:
        """Seconds until the deadline, negative after it."""
        return self._ends - self._clock.monotonic()

    def reserve(self, tokens: int, cost: float, spare: int = 0) -> Reservation:
        """Reserve the most that one call may use; raises BudgetSpent if a limit would be passed.

        `spare` calls are left for others.
        """
        limits = self._limits
        if self._calls + 1 > limits.calls:
            allowed = f"{limits.calls} model call{'s are' if limits.calls != 1 else ' is'}"
            raise BudgetSpent(f"the question's {allowed} used up", hint="allow more with --max-calls")
        if self._calls + 1 + spare > limits.calls:
            raise BudgetSpent(
                f"{spare} of the question's {limits.calls} model calls are kept for writing and testing the answer",
                hint="allow more with --max-calls",
            )
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            left = f"{max(0, limits.tokens - self._tokens):,} of the question's {limits.tokens:,} tokens are left"
            raise BudgetSpent(f"a call may take {tokens:,}, and {left}", hint="allow more with --max-tokens")
        if limits.cost is not None and self._cost + cost > limits.cost:
            left = f"{max(0.0, limits.cost - self._cost):g} of the question's {limits.cost:g} US dollars are left"
            raise BudgetSpent(f"a call may cost {cost:g}, and {left}", hint="allow more with --max-cost")
        self._calls += 1
        self._tokens += tokens
        self._cost += cost
        return Reservation(tokens, cost)

    def settle(self, reserved: Reservation, usage: Usage) -> None:
        """Replace a reservation by the usage of its call."""
        self.spent += usage
        if usage.total_tokens is not None:
            self._tokens += usage.total_tokens - reserved.tokens
        if usage.cost is not None:
            self._cost += usage.cost - reserved.cost


# The costs of the checks of one run: time, and the usage of model calls.


# Shared by the checks of a claim: finding its words in the sources, parsing them, and their vectors.
READING = "reading"
# The roles that ask a model, named as their checks are.
VERIFIER, ASSESSMENT, RULES = "verifier", "assessment", "rules"

# Counts the time of a context for the check of that name.
Timing = Callable[[str], AbstractContextManager[object]]
_UNTIMED: AbstractContextManager[object] = nullcontext()


def untimed(_check: str) -> AbstractContextManager[object]:
    """Count no time."""
    return _UNTIMED


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One attempt at a reply of a model; `started` and `ended` are Unix seconds.

    `reply` is None where none came; `error` names the class of what was raised, "" if the call was only left.
    """

    model: str
    host: str
    request: ModelRequest
    streamed: bool
    started: float
    ended: float
    reply: ModelReply | None = None
    error: str = ""


class Meter:
    """Counts for one run, from any thread.

    >>> meter = Meter()
    >>> with meter.timing("numbers"):
    ...     pass
    >>> meter.asked("verifier", Usage(calls=1))
    >>> sorted(meter.costs), meter.costs["verifier"].usage.calls
    (['numbers', 'verifier'], 1)
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._ms: defaultdict[str, float] = defaultdict(float)
        self._costs: dict[str, CheckCost] = {}
        self._calls: list[ModelCall] = []
        self.tries = Tries()
        self.lookup: Lookup | None = None
        self._lock = threading.Lock()

    @property
    def costs(self) -> Mapping[str, CheckCost]:
        """The costs of the checks so far, by name."""
        with self._lock:
            asked, timed = dict(self._costs), dict(self._ms)
        names = {*asked, *timed}
        return {name: asked.get(name, CheckCost()) + CheckCost(timed.get(name, 0.0)) for name in names}

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The calls of models so far, in the order of their ends."""
        with self._lock:
            return tuple(self._calls)

    def watch(self, model: str, host: str, request: ModelRequest, streamed: bool) -> WatchedCall:
        """A context in which a model is called; the call is kept when it ends."""
        return WatchedCall(model, host, request, streamed, self._clock, self._called)

    def _called(self, call: ModelCall) -> None:
        with self._lock:
            self._calls.append(call)

    def timing(self, check: str) -> AbstractContextManager[object]:
        """Count the time of the context for this check, also if it raises."""
        return _Timed(check, self._took, self._clock)

    def asked(self, check: str, usage: Usage) -> None:
        """Count the usage of one model call for this check."""
        self._add(check, CheckCost(usage=usage))

    def tried(self, attempts: int, replied: bool) -> None:
        """Count the attempts of one call, and whether they ended in a reply."""
        with self._lock:
            self.tries += Tries(int(replied), int(replied and attempts == 1), attempts)

    def looked_up(self, lookup: Lookup) -> None:
        """Take what a look for a kept answer found."""
        self.lookup = lookup

    def knew(self, check: str, verdicts: int) -> None:
        """Count verdicts of this check that were known already."""
        self._add(check, CheckCost(kept=verdicts))

    def _took(self, check: str, ms: float) -> None:
        with self._lock:
            self._ms[check] += ms

    def _add(self, check: str, cost: CheckCost) -> None:
        with self._lock:
            self._costs[check] = self._costs.get(check, CheckCost()) + cost


class WatchedCall:
    """The context of one call of a model; set `reply` to what came."""

    def __init__(
        self,
        model: str,
        host: str,
        request: ModelRequest,
        streamed: bool,
        clock: Clock,
        called: Callable[[ModelCall], None],
    ) -> None:
        self.reply: ModelReply | None = None
        self._asked = (model, host, request, streamed)
        self._clock = clock
        self._called = called
        self._started = 0.0

    def __enter__(self) -> Self:
        self._started = self._clock.time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = kind is None or issubclass(kind, GeneratorExit)  # a stream that nobody reads on
        name = "" if left or kind is None else kind.__name__
        self._called(ModelCall(*self._asked, self._started, self._clock.time(), self.reply, name))


class _Timed:
    """One context that is timed; no generator, since a dozen are entered for each claim."""

    __slots__ = ("_began", "_check", "_clock", "_took")

    def __init__(self, check: str, took: Callable[[str, float], None], clock: Clock) -> None:
        self._check = check
        self._took = took
        self._clock = clock
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = self._clock.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._took(self._check, 1000 * (self._clock.monotonic() - self._began))
