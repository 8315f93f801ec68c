"""A circuit breaker: a provider that fails again and again is left alone for a while."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.errors import CircuitOpen, ProviderError
from assay.stages import LLM, Clock
from assay.types import ModelReply, ModelRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

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
