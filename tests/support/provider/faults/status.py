"""Refusals, in the vendors' own words."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import formatdate

from support.provider.exchange import Exchange
from support.provider.faults.fault import EVERY_WIRE, Commit, Fault, fault, register
from support.provider.rules import Wire

_TOO_LONG = {
    "openai": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "gemini": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
}
# id, status, message, code
_REFUSALS = (
    ("status-400", 400, "Invalid value for 'temperature'.", "invalid_value"),
    ("status-401", 401, "Incorrect API key provided.", "invalid_api_key"),
    ("status-403", 403, "Your key may not use this model.", "permission_denied"),
    ("status-404", 404, "The model `fake` does not exist or you do not have access to it.", "model_not_found"),
    ("status-408", 408, "Request timed out.", "timeout"),
    ("status-413", 413, "Request entity too large.", "request_too_large"),
    ("status-422", 422, "Unprocessable entity.", "invalid_request"),
    ("status-429", 429, "Rate limit reached.", "rate_limit_exceeded"),
    ("status-429-quota", 429, "You exceeded your current quota.", "insufficient_quota"),
    ("status-500", 500, "The server had an error.", "server_error"),
    ("status-503", 503, "The engine is currently overloaded.", "unavailable"),
    ("status-529", 529, "Overloaded.", "overloaded"),
)


def _date(seconds_ahead: float) -> str:
    return formatdate(time.time() + seconds_ahead, usegmt=True)


_RETRY_AFTER: tuple[tuple[str, Callable[[], str]], ...] = (
    ("status-429-retry-1", lambda: "1"),
    ("status-429-retry-3600", lambda: "3600"),
    ("status-429-retry-date", lambda: _date(1)),
    ("status-429-retry-negative", lambda: "-1"),
)


def _refusing(status: int, message: str, code: str, retry_after: Callable[[], str] | None = None) -> Commit:
    async def refuse(exchange: Exchange) -> None:
        # A date is to be read beside the answer's own: clocks differ.
        headers = {} if retry_after is None else {"Date": _date(0), "Retry-After": retry_after()}
        await exchange.refuse(status, message, code, headers)

    return refuse


for _id, _status, _message, _code in _REFUSALS:
    # Only OpenAI tells a spent quota from a high rate.
    _wires: frozenset[Wire] = frozenset({"openai"}) if _code == "insufficient_quota" else EVERY_WIRE
    register(Fault(_id, "status", f"Answers {_status}: {_message}", _refusing(_status, _message, _code), _wires))
for _id, _after in _RETRY_AFTER:
    _commit = _refusing(429, "Rate limit reached.", "rate_limit_exceeded", _after)
    register(Fault(_id, "status", f"Answers 429 with Retry-After, as {_id} says.", _commit))


@fault("status-400-too-long", "status")
async def too_long(exchange: Exchange) -> None:
    """Answers 400: the prompt does not fit the context window."""
    await exchange.refuse(400, _TOO_LONG[exchange.asked.wire], "context_length_exceeded")


@fault("status-502-html", "status")
async def bad_gateway(exchange: Exchange) -> None:
    """Answers 502 with the HTML page of a proxy."""
    await exchange.line.whole(502, b"<html><h1>502 Bad Gateway</h1></html>", "text/html")
