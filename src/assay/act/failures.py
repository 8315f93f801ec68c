"""What goes wrong on the way to a server outside, as assay's errors: one table for pages and search services."""

from __future__ import annotations

import math
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

from assay.errors import MissingExtra, ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable

try:
    import aiohttp as aiohttp
    import yarl as yarl
except ImportError as error:
    raise MissingExtra(
        f"sources outside need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[web]"',
    ) from error

# What connections and decoders raise; anything else is a mistake of ours.
FAILURES: tuple[type[Exception], ...] = (aiohttp.ClientError, OSError, ValueError, EOFError)
_SAID = 200
# A piece of the key this long, found in what a service says, gives the key away.
_TELLING = 8


def answered(who: str, status: int, headers: Mapping[str, str], said: str = "", hint: str = "") -> ProviderError:
    """The error for a status that is no answer: only 408, 425, 429 and 5xx may go better later."""
    start = f"{who} answered {status}" + (f": {said}" if said else "")
    wait = retry_after(headers)
    if status == 429:
        return ProviderRefused(start, hint="wait, or ask less often", retryable=True, retry_after=wait)
    if status in (408, 425) or status >= 500:
        broken = "wait, then try again; it is overloaded or broken"
        return ProviderFailed(start, hint=broken, retryable=True, retry_after=wait)
    return ProviderRefused(start, hint=hint or "look at the address in a browser; it may be gone or not public")


def nonsense(who: str, found: str) -> ProviderFailed:
    """The error for an answer that cannot be read."""
    line = " ".join(found.split())
    return ProviderFailed(
        f"{who} answered nonsense: {line[:_SAID]}",
        hint="check that its address is that of such a service; else try again",
        retryable=True,
    )


def late(who: str, seconds: float) -> ProviderUnreachable:
    """The error for an answer that did not come in time."""
    return ProviderUnreachable(
        f"{who} did not answer within {seconds:g} s", hint="try again, or allow more seconds", retryable=True
    )


def failed(who: str, error: Exception, seconds: float) -> ProviderError:
    """The error for an exception of the connection, or one of ours inside it."""
    chain = tuple(_chain(error))
    for each in chain:
        if isinstance(each, ProviderError):
            return each
    if any(isinstance(each, TimeoutError) for each in chain):
        return late(who, seconds)
    if any(isinstance(each, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError) for each in chain):
        return ProviderFailed(f"{who} broke off while answering", hint="try again", retryable=True)
    if any(isinstance(each, aiohttp.ClientResponseError) for each in chain):
        return nonsense(who, f"{type(error).__name__}: {error}")
    cause, retryable = _cause(chain)
    hint = "check the address and the network"
    return ProviderUnreachable(f"no connection to {who}: {cause}", hint=hint, retryable=retryable)


def _cause(chain: tuple[BaseException, ...]) -> tuple[str, bool]:
    """Why there is no connection, and whether another try may find one."""
    for each in chain:
        if isinstance(each, ssl.SSLError | aiohttp.ClientSSLError):
            return "the secure connection failed", False
        if isinstance(each, aiohttp.ClientConnectorDNSError):
            return "the host has no address", True
        if isinstance(each, ConnectionRefusedError):
            return "nothing listens there", True
    return "the connection failed", True


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from, outermost first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def masked(said: object, key: str | None) -> str:
    """What a service said, in one line and cut; nothing where it repeats a recognisable part of the key.

    >>> masked("bad key  tvly-0123456789", "tvly-0123456789"), masked({"detail": {"error": "over  quota"}}, None)
    ('', 'over quota')
    """
    while isinstance(said, Mapping):
        said = next((said[name] for name in ("error", "message", "detail", "info") if said.get(name)), "")
    line = " ".join(str(said).split())[:_SAID]
    pieces = (key[at : at + _TELLING] for at in range(len(key) - _TELLING + 1)) if key else iter(())
    return "" if any(piece in line for piece in pieces) else line


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: a number or a date), None without one.

    >>> retry_after({"Retry-After": "120"}), retry_after({"Retry-After": "soon"}), retry_after({})
    (120.0, None, None)
    """
    told = headers.get("Retry-After", "")
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,3})?", told):
        return float(told)
    try:
        now = parsedate_to_datetime(headers["Date"]).timestamp() if "Date" in headers else time.time()
        seconds = parsedate_to_datetime(told).timestamp() - now
    except (ValueError, OverflowError, TypeError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
