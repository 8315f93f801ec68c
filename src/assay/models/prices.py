"""The cost of a call, from the prices that genai-prices keeps, or from the user's own.

A price that is not known, like a count of tokens that a provider did not tell, makes a cost unknown, never
zero. Only models that run in this process cost nothing. The first price that is looked up takes about half a
second, as all are read in; later ones take microseconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from assay.types import ModelReply, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

# Our providers by their names in genai-prices.
_PROVIDERS: Mapping[str, str] = {"openai": "openai", "gemini": "google", "anthropic": "anthropic"}
# These run in this process.
_FREE = frozenset({"local", "fake"})
# No prompt has as many tokens: the tier of the dearest price.
_BEYOND = 10**9


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; `cached` is for prompt tokens that the provider had cached."""

    input: float
    output: float
    cached: float


def cost_of(model_name: str, usage: Usage, overrides: Mapping[str, Mapping[str, float]]) -> float | None:
    """The cost of a call in US dollars, None where a price or a count is unknown.

    `model_name` is `provider:model`, `overrides` has prices by such names, as dollars per million `input`,
    `output` and `cached` tokens; what it leaves out is as known, and cached tokens cost what others do where
    nothing says otherwise. Prompt tokens not reported as cached count in full.

    >>> from assay.types import Usage
    >>> cost_of("openai:mine", Usage(1000, 500, 1500, 0, 1, None), {"openai:mine": {"input": 1.0, "output": 2.0}})
    0.002
    >>> cost_of("openai:mine", Usage(1000, 500, 1500, 0, 1, None), {}) is None
    True
    """
    price = price_of(model_name, overrides, usage.prompt_tokens)
    if price is None:
        return None
    if price == Price(0.0, 0.0, 0.0):
        return 0.0
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
    fresh = usage.prompt_tokens - cached
    return (fresh * price.input + cached * price.cached + usage.completion_tokens * price.output) / 1e6


def price_known(model_name: str, overrides: Mapping[str, Mapping[str, float]]) -> bool:
    """True if calls of this model have a price."""
    return price_of(model_name, overrides) is not None


def price_of(
    model_name: str, overrides: Mapping[str, Mapping[str, float]], prompt_tokens: int | None = None
) -> Price | None:
    """The price of a model for a prompt of so many tokens, None where it is unknown.

    Some models cost more with a long prompt; without a count the price is that of the longest.

    >>> price_of("local:/models/small.gguf", {})
    Price(input=0.0, output=0.0, cached=0.0)
    """
    provider, _, model = model_name.partition(":")
    own = overrides.get(model_name, {})
    if provider in _FREE and not own:
        return Price(0.0, 0.0, 0.0)
    listed = {} if {"input", "output", "cached"} <= own.keys() else _listed(provider, model, prompt_tokens)
    rates = {**listed, **own}
    if "input" not in rates or "output" not in rates:
        return None
    # A price of the user's own for the prompt replaces what is listed for its cached part too.
    cached = rates["input"] if "input" in own and "cached" not in own else rates.get("cached", rates["input"])
    return Price(rates["input"], rates["output"], cached)


def _listed(provider: str, model: str, prompt_tokens: int | None) -> dict[str, float]:
    """The prices that genai-prices has at this time; nothing where it does not have the model."""
    if provider not in _PROVIDERS or not model:
        return {}
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:  # an SDK that was installed without assay's extra: the price is unknown
        return {}
    try:
        name = model.removeprefix("models/")
        _, found = get_snapshot().find_provider_model(name, None, _PROVIDERS[provider], None)
    except LookupError:
        return {}
    return _rates(found.get_prices(datetime.now(tz=UTC)), _BEYOND if prompt_tokens is None else prompt_tokens)


def _rates(prices: ModelPrice, prompt_tokens: int) -> dict[str, float]:
    listed = {
        "input": prices.input_mtok,
        "output": prices.output_mtok,
        "cached": prices.cache_read_mtok,
    }
    return {name: _rate(value, prompt_tokens) for name, value in listed.items() if value is not None}


def _rate(price: Decimal | TieredPrices, prompt_tokens: int) -> float:
    """The rate of the highest tier that the prompt reaches; it holds for all of the call's tokens."""
    if isinstance(price, Decimal):
        return float(price)
    reached = [tier.price for tier in price.tiers if prompt_tokens > tier.start]
    return float(reached[-1] if reached else price.base)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices of one model's calls; the known prices are read in on a thread of their own.

    `overrides` are US dollars per million tokens by model, over the known ones.
    """

    model_name: str
    overrides: Mapping[str, Mapping[str, float]]
    reading: Future[bool] = field(repr=False)

    @classmethod
    def of(cls, model_name: str, overrides: Mapping[str, Mapping[str, float]]) -> PriceTable:
        """The prices of a model, on their way."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="assay-prices")
        reading = thread.submit(price_known, model_name, overrides)
        thread.shutdown(wait=False)
        return cls(model_name, overrides, reading)

    async def priced(self, reply: ModelReply) -> ModelReply:
        """The reply with what it cost, None where the price or the tokens are unknown."""
        if not self.reading.done():
            await asyncio.shield(asyncio.wrap_future(self.reading))
        cost = cost_of(self.model_name, reply.usage, self.overrides)
        return replace(reply, usage=replace(reply.usage, cost=cost))
