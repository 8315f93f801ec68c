"""What calls cost."""

import pytest
from genai_prices import Usage as TheirUsage
from genai_prices import calc_price

from assay.models.prices import cost_of, price_known, price_of
from assay.types import Usage

OWN = {"openai:gpt-4o": {"input": 1.0, "output": 2.0, "cached": 0.5}, "gemini:tuned": {"input": 3.0, "output": 4.0}}


def used(prompt: int | None, completion: int | None, cached: int | None = 0) -> Usage:
    return Usage(prompt, completion, None, cached, calls=1, cost=None)


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai:gpt-4o", "openai", "gpt-4o"),
        ("openai:gpt-4o-mini", "openai", "gpt-4o-mini"),
        ("gemini:gemini-2.5-pro", "google", "gemini-2.5-pro"),
        ("gemini:models/gemini-2.5-flash", "google", "gemini-2.5-flash"),
        ("anthropic:claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
    ],
)
@pytest.mark.parametrize("prompt", [1, 1000, 200_000, 200_001, 900_000])
def test_a_cost_is_what_genai_prices_itself_computes(name: str, provider: str, model: str, prompt: int):
    theirs = calc_price(
        TheirUsage(input_tokens=prompt, output_tokens=77, cache_read_tokens=prompt // 3),
        model,
        provider_id=provider,
    )
    assert cost_of(name, used(prompt, 77, prompt // 3), {}) == pytest.approx(float(theirs.total_price))


def test_unknown_tokens_and_unknown_models_have_no_cost():
    assert cost_of("openai:gpt-4o", used(None, 5), {}) is None
    assert cost_of("openai:gpt-4o", used(5, None), {}) is None
    assert cost_of("openai:no-such-model", used(5, 5), {}) is None
    assert cost_of("elsewhere:gpt-4o", used(5, 5), {}) is None
    assert cost_of("openai:", used(5, 5), {}) is None


def test_what_is_not_reported_as_cached_counts_in_full():
    assert cost_of("openai:gpt-4o", used(100, 5, None), {}) == cost_of("openai:gpt-4o", used(100, 5, 0), {})


@pytest.mark.parametrize("name", ["local:/models/small.gguf", "fake:script.json"])
def test_what_runs_in_this_process_is_free_whatever_was_counted(name: str):
    assert cost_of(name, used(None, None), {}) == 0.0
    assert price_known(name, {})


def test_the_users_price_holds_over_the_listed_one():
    assert cost_of("openai:gpt-4o", used(1_000_000, 1_000_000, 400_000), OWN) == pytest.approx(0.6 + 0.2 + 2.0)
    assert cost_of("gemini:tuned", used(1_000_000, 0, 500_000), OWN) == pytest.approx(3.0)


def test_half_a_price_of_ones_own_is_completed_where_the_rest_is_listed():
    listed = price_of("openai:gpt-4o", {})
    mixed = price_of("openai:gpt-4o", {"openai:gpt-4o": {"output": 99.0}})
    assert listed is not None
    assert mixed is not None
    assert (mixed.input, mixed.output, mixed.cached) == (listed.input, 99.0, listed.cached)
    assert price_of("openai:mine", {"openai:mine": {"output": 99.0}}) is None
    assert not price_known("openai:mine", {})


def test_without_a_count_the_price_is_that_of_the_longest_prompt():
    longest, short = price_of("gemini:gemini-2.5-pro", {}), price_of("gemini:gemini-2.5-pro", {}, 100)
    assert longest is not None
    assert short is not None
    assert longest.input > short.input
