"""A service that runs models, and the errors it answers with: one table for every vendor.

The files that import a vendor's package take its exceptions apart and hand the parts to this file. Messages
never hold the key that was sent, not even in part.
"""

from __future__ import annotations

import math
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from urllib.parse import urlsplit

from assay.errors import (
    PromptTooLong,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
    causes_of,
)
from assay.types import Effort, Finish

# The name of a silent stream's missing part; its seconds are not those of a request.
FURTHER = "further token"
# The most characters of a service's words that a message repeats.
_SAID = 300
# A piece of the key this long, found in a message, gives the key away.
_TELLING = 8
_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens"
    r"|input token count|reduce the length|input is too long",
    re.IGNORECASE,
)
_JSON_MODE = re.compile(
    r"response_format|json_schema|output_config|output_format|response_?mime_?type|response_?schema|json mode",
    re.IGNORECASE,
)
_EFFORT = re.compile(
    r"reasoning_effort|\beffort\b|thinking.?(level|budget|config)|adaptive thinking|thinking\.type", re.IGNORECASE
)
_TEMPERATURE = re.compile(r"temperature", re.IGNORECASE)
_BAD_KEY = re.compile(r"api.?key|credential", re.IGNORECASE)
# By message only where the vendor has no code for it: Gemini speaks of quota and billing at every rate limit.
_NO_CREDIT = re.compile(r"insufficient_quota|billing_\w+|credit balance")
# The status of an error inside a stream that names its kind alone.
_STATUS_OF: Mapping[str, int] = {
    "invalid_request_error": 400,
    "exceed_context_size_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "timeout_error": 408,
    "request_too_large": 413,
    "insufficient_quota": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class Service:
    """A service: its address, its key, and how long to wait.

    `key_named` and `url_named` are what a user sets: a variable, for the address maybe a flag. `seconds`
    bounds the waiting for one reply, `idle_seconds` the waiting for the next piece of a stream.
    """

    provider: str
    model: str
    url: str
    key: str | None = field(repr=False)
    key_named: str
    url_named: str
    seconds: float = 60.0
    idle_seconds: float = 20.0

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError(
                f"{self.provider}: does not name a model", hint=f"name one, e.g. --model {self.provider}:MODEL"
            )
        if not self.host:
            raise UsageError(
                f"{self.shown_url} is not an address", hint=f"set {self.url_named} to http(s)://HOST/PATH"
            )
        if self.key is not None and not re.fullmatch(r"[\x21-\x7e]+", self.key):
            raise UsageError(
                f"the key for {self.provider} contains a space or a character that no key has",
                hint=f"set {self.key_named} again, without quotes and line ends",
            )

    @property
    def name(self) -> str:
        """`provider:model`."""
        return f"{self.provider}:{self.model}"

    @property
    def host(self) -> str:
        """The host of the address, without its port; empty where it is no address."""
        try:
            parts = urlsplit(self.url)
            return (parts.hostname or "") if parts.scheme in ("http", "https") and parts.port != 0 else ""
        except ValueError:  # a port that is no number, an IPv6 address without its bracket
            return ""

    @property
    def shown_url(self) -> str:
        """The address without a password in it."""
        return re.sub(r"//[^/@]*@", "//", self.url)

    def masked(self, said: str) -> str:
        """The service's message in one line, cut, without the key or a recognisable part of it.

        >>> service = Service("openai", "m", "http://h/v1", "sk-abcdefghijkl", "KEY", "URL")
        >>> service.masked("Incorrect API key provided: sk-abcd*****ijkl.  See sk-abcdefgh")
        'Incorrect API key provided: … See …'
        """
        line = " ".join(said.split())
        if self.key is not None:
            line = line.replace(self.key, "…")
            line = " ".join("…" if self._tells_the_key(word) else word for word in line.split(" "))
        return line if len(line) <= _SAID else line[:_SAID] + "…"

    def _tells_the_key(self, word: str) -> bool:
        key = self.key or ""
        pieces = (key[start : start + _TELLING] for start in range(max(1, len(key) - _TELLING + 1)))
        # Vendors show a wrong key with its middle starred out.
        return "**" in word or any(len(piece) == _TELLING and piece in word for piece in pieces)


# --- what a service answered ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """A service's answer that is not a reply: HTTP status, the message, the vendor's code, seconds to wait."""

    status: int
    message: str
    code: str = ""
    retry_after: float | None = None


def status_error(service: Service, said: ErrorReply) -> ProviderError:
    """The error for a status of 300 to 599; only 408, 409, 429 without a spent quota, and 5xx are retryable."""
    start = f"{service.name} at {service.shown_url} answered {said.status}: {service.masked(said.message)}"
    if said.status in (408, 409) or said.status >= 500:
        hint = "wait, then try again; the service is overloaded or broken"
        return ProviderFailed(start, hint=hint, retryable=True, retry_after=said.retry_after)
    if said.status in (400, 413, 422) and (
        said.status == 413 or _TOO_LONG.search(said.message) or "context" in said.code
    ):
        return PromptTooLong(start, hint="use fewer passages (-k), or a model with a larger context window")
    spent = said.status == 402 or bool(_NO_CREDIT.search(f"{said.code} {said.message}"))
    if said.status == 429 and not spent:
        hint = "wait, then try again, or ask less at once"
        return ProviderRefused(start, hint=hint, retryable=True, retry_after=said.retry_after)
    return ProviderRefused(start, hint=_what_to_set(service, said, spent))


def _what_to_set(service: Service, said: ErrorReply, spent: bool) -> str:
    """Advice on a refusal that trying again does not cure."""
    if spent:
        return f"the account has no credit left; pay, or set {service.key_named} to another key"
    if said.status == 401 or (said.status in (400, 403) and _BAD_KEY.search(f"{said.code} {said.message}")):
        return f"set {service.key_named} to a key of the service at {service.shown_url}"
    if said.status == 403:
        return f"the key in {service.key_named} may not use {service.model}; use another key or model"
    if said.status == 404:
        return f"the service has no model {service.model}, or {service.url_named} is not its address; check both"
    if 300 <= said.status < 400 or said.status == 405:
        return f"set {service.url_named} to the service's own address; redirects are not followed"
    if said.status in (400, 422) and _JSON_MODE.search(said.message):
        return (
            f"the service or the model {service.model} has no JSON mode (a reply by schema was asked for);"
            " use a model that has structured outputs"
        )
    if said.status in (400, 422) and _EFFORT.search(said.message):
        return (
            f"{service.model} cannot be told to think so hard, or does not think first;"
            " leave --reasoning-effort out, or set another"
        )
    if said.status in (400, 422) and _TEMPERATURE.search(said.message):
        return f"leave --writer-temperature and --judge-temperature out for {service.model}, or set another"
    return "read what the service says; another model or other settings may do"


def stream_error(service: Service, kind: str, code: object, message: str) -> ProviderError:
    """The error for one that arrived inside a stream or a reply with status 200.

    `kind` is the vendor's name for it, `code` its number or a second name.
    """
    status = _STATUS_OF.get(kind) or _STATUS_OF.get(str(code)) or _status(code)
    return status_error(service, ErrorReply(status, message, code=f"{kind} {code}"))


def _status(code: object) -> int:
    text = str(code)
    return int(text) if re.fullmatch(r"[345]\d\d", text) else 500


# --- what went wrong on the way ------------------------------------------------------------------


def unreadable_reply(service: Service, found: str) -> ProviderFailed:
    """The error for an answer that cannot be read."""
    return ProviderFailed(
        f"{service.name} at {service.shown_url} answered nonsense: {service.masked(found)}",
        hint=f"check that {service.url_named} is the address of such a service; else try again",
        retryable=True,
    )


def too_large(service: Service, what: str) -> ProviderFailed:
    """The error for an answer that would fill the memory."""
    return ProviderFailed(
        f"{service.name} at {service.shown_url} sent {what}",
        hint=f"check {service.url_named}; no model answers so",
    )


def timeout_error(service: Service, seconds: float, waited_for: str) -> ProviderUnreachable:
    """The error for an answer that did not come in time."""
    limit = "--idle-seconds" if waited_for == FURTHER else "--request-seconds"
    return ProviderUnreachable(
        f"{service.name} at {service.shown_url} sent no {waited_for} within {seconds:g} s",
        hint=f"try again, use a faster model, or allow a model more with {limit}",
        retryable=True,
    )


def connection_error(service: Service, error: BaseException) -> ProviderError:
    """The error for an exception of the connection, of the decoding, or one of ours inside a vendor's."""
    import aiohttp  # it comes with the adapters, which alone call this

    chain = tuple(causes_of(error))
    for link in chain:
        if isinstance(link, ProviderError):
            return link
    if any(isinstance(link, TimeoutError | aiohttp.ServerTimeoutError) for link in chain):
        return timeout_error(service, service.seconds, "answer")
    if any(isinstance(link, aiohttp.ClientPayloadError) for link in chain):
        return ProviderFailed(
            f"{service.name} at {service.shown_url} broke off while answering",
            hint="try again",
            retryable=True,
        )
    if isinstance(error, ValueError) and not isinstance(error, aiohttp.ClientError | ssl.SSLError):
        return unreadable_reply(service, f"{type(error).__name__}: {error}")
    return _unreachable(service, chain)


def _unreachable(service: Service, chain: tuple[BaseException, ...]) -> ProviderUnreachable:
    import aiohttp

    cause, hint, retryable = "the connection failed", f"check the network and {service.url_named}", True
    for link in chain:
        if isinstance(link, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError):
            cause, retryable = "that is not an address", False
            hint = f"set {service.url_named} to http(s)://HOST/PATH"
        elif isinstance(link, aiohttp.ClientConnectorDNSError):
            cause, hint = "the host has no address", f"check the host in {service.url_named}, and the network"
        elif isinstance(link, ssl.SSLError | aiohttp.ClientSSLError):
            cause, retryable = "the secure connection failed", False
            hint = f"check {service.url_named} (http or https?), or set SSL_CERT_FILE to its authority"
        elif isinstance(link, ConnectionRefusedError):
            cause, hint = "nothing listens there", _start_it(service)
        else:
            continue
        break
    said = f"no connection to {service.name} at {service.shown_url}: {cause}"
    return ProviderUnreachable(said, hint=hint, retryable=retryable)


def _start_it(service: Service) -> str:
    hint = f"start the service, or set {service.url_named} to where it listens"
    if service.host in ("localhost", "127.0.0.1", "::1"):
        hint += "; inside a container its host is host.docker.internal, not localhost"
    return hint


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: a number or a date), None without one.

    A date counts from the answer's own `Date`. What is negative or no number is None; nothing is too large.

    >>> retry_after({"retry-after": "3600"}), retry_after({"retry-after": "-1"}), retry_after({})
    (3600.0, None, None)
    """
    told = headers.get("retry-after")
    if told is None:
        return None
    try:
        seconds = float(told)
    except ValueError:
        seconds = _until(told, headers.get("date"))
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(told: str, now: str | None) -> float:
    """Seconds from one HTTP date to another, NaN where `told` is no date."""
    try:
        since = time.time() if now is None else parsedate_to_datetime(now).timestamp()
        return parsedate_to_datetime(told).timestamp() - since
    except (ValueError, OverflowError):
        return math.nan


def error_message(body: object) -> str:
    """The message in what a service sent instead of a reply, as the services and frameworks in use name it.

    >>> error_message({"error": {"message": "no such model"}}), error_message(None)
    ('no such model', 'nothing')
    """
    if not isinstance(body, Mapping):
        return str(body or "nothing")
    for name in ("error", "message", "detail"):
        if body.get(name):
            return error_message(body[name])
    return str(body)


# The room that a model is given to think before it replies.


# Tokens of thinking that a limit leaves room for, by the effort asked for; None leaves the effort to the model.
# Google lets Gemini think with 8192 and 24576 at the same efforts; to its 1024 at low no other model keeps.
THINKING_TOKENS: Mapping[Effort | None, int] = MappingProxyType(
    {None: 8192, "low": 4096, "medium": 8192, "high": 24576}
)
# Models known to reply at once, by their names behind `provider:` and behind a vendor's name before a slash. Some
# of them refuse a limit above what they can write. Any other may think: new ones do.
_AT_ONCE = re.compile(
    r"(?:gpt-3|gpt-4|chatgpt|claude-(?:instant|2|3-(?!7)|3\.[05])|gemini-(?:1|2\.0)|gemma-[123])", re.IGNORECASE
)


def may_think(name: str) -> bool:
    """True if a model, named `provider:model`, may think before it replies; a script never does.

    >>> may_think("openai:gpt-5-mini"), may_think("openai:openai/gpt-4o"), may_think("fake:script.json")
    (True, False, False)
    """
    provider, _, model = name.partition(":")
    return provider != "fake" and not _AT_ONCE.match(model.rpartition("/")[2])


# The end of a reply, where its text tells more than its provider did.


_WITHOUT_TEXT: Mapping[Finish, Finish] = MappingProxyType({"stop": "empty", "length": "thinking"})


def ending(text: str, finish: Finish | None) -> Finish:
    """The end of a reply of this text, where its provider says `finish`; None is no ending.

    A reply without text is empty; where its limit was used up all the same, thinking used it up.

    >>> ending("", "stop"), ending(" ", "length"), ending("Yes, b", "length"), ending("Yes", None)
    ('empty', 'thinking', 'length', 'incomplete')
    """
    told = finish or "incomplete"
    return told if text.strip() else _WITHOUT_TEXT.get(told, told)
