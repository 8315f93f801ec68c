"""The table of errors that the adapters share."""

import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PromptTooLong, ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.models.provider import ErrorReply, Service, connection_error, retry_after, status_error

KEY = "sk-proj-0123456789abcdef"
SERVICE = Service("openai", "m", "http://u:secret@localhost:1/v1", KEY, "OPENAI_API_KEY", "OPENAI_BASE_URL")


@pytest.mark.parametrize("status", range(300, 600))
def test_only_what_may_pass_is_retryable(status: int):
    error = status_error(SERVICE, ErrorReply(status, "no", retry_after=3.0))
    assert error.retryable == (status in (408, 409, 429) or status >= 500)
    assert error.retry_after == (3.0 if error.retryable else None)
    assert "secret" not in str(error)
    assert error.hint


@pytest.mark.parametrize(
    ("said", "kind", "hint"),
    [
        (ErrorReply(400, "This model's maximum context length is 4096 tokens."), PromptTooLong, "fewer passages"),
        (
            ErrorReply(400, "request (9000 tokens) exceeds the available context size"),
            PromptTooLong,
            "fewer passages",
        ),
        (ErrorReply(400, "x", "context_length_exceeded"), PromptTooLong, "fewer passages"),
        (ErrorReply(400, "prompt is too long: 9 tokens > 8 maximum"), PromptTooLong, "fewer passages"),
        (ErrorReply(413, "Request Entity Too Large"), PromptTooLong, "fewer passages"),
        (ErrorReply(400, "API key not valid. Please pass a valid API key."), ProviderRefused, "OPENAI_API_KEY"),
        (ErrorReply(402, "pay"), ProviderRefused, "credit"),
        (ErrorReply(429, "x", "insufficient_quota"), ProviderRefused, "credit"),
        (ErrorReply(400, "Your credit balance is too low"), ProviderRefused, "credit"),
        (ErrorReply(404, "model 'm' not found"), ProviderRefused, "no model m"),
        (ErrorReply(405, "no"), ProviderRefused, "OPENAI_BASE_URL"),
        (ErrorReply(400, "Invalid parameter: 'response_format'"), ProviderRefused, "JSON mode"),
    ],
)
def test_a_refusal_says_what_to_set(said: ErrorReply, kind: type[ProviderError], hint: str):
    error = status_error(SERVICE, said)
    assert (type(error), error.retryable) == (kind, False)
    assert hint in error.hint


def test_a_rate_limit_that_speaks_of_quota_and_billing_passes():
    gemini = "You exceeded your current quota, please check your plan and billing details."
    assert status_error(SERVICE, ErrorReply(429, gemini)).retryable


@given(st.text(min_size=8, max_size=40, alphabet=st.characters(min_codepoint=33, max_codepoint=126)), st.data())
def test_no_telling_part_of_a_key_is_ever_said(key: str, data: st.DataObject):
    service = Service("openai", "m", "http://h/v1", key, "K", "U")
    start = data.draw(st.integers(0, len(key) - 8))
    end = data.draw(st.integers(start + 8, len(key)))
    before, after = data.draw(st.text(max_size=9)), data.draw(st.text(max_size=9))
    said = service.masked(f"wrong key {before}{key[start:end]}{after}")
    assert key[start:end] not in said


def key_of(host: str = "h") -> ConnectionKey:
    return ConnectionKey(host, 1, False, True, None, None, None)


def caused(cause: BaseException) -> Exception:
    error = Exception("Connection error.")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind", "retryable", "hint"),
    [
        (aiohttp.ClientConnectorError(key_of(), ConnectionRefusedError(111, "x")), ProviderUnreachable, True, ""),
        (caused(ConnectionRefusedError(111, "no")), ProviderUnreachable, True, "host.docker.internal"),
        (aiohttp.ClientConnectorDNSError(key_of(), OSError(1, "x")), ProviderUnreachable, True, "check the host"),
        (aiohttp.ServerDisconnectedError(), ProviderUnreachable, True, ""),
        (aiohttp.ClientPayloadError("cut"), ProviderFailed, True, ""),
        (aiohttp.ServerTimeoutError(), ProviderUnreachable, True, ""),
        (TimeoutError(), ProviderUnreachable, True, ""),
        (ConnectionResetError(), ProviderUnreachable, True, ""),
        (ssl.SSLCertVerificationError("bad"), ProviderUnreachable, False, "SSL_CERT_FILE"),
        (ssl.SSLError("bad"), ProviderUnreachable, False, "SSL_CERT_FILE"),
        (aiohttp.InvalidURL("x"), ProviderUnreachable, False, "OPENAI_BASE_URL"),
        (ValueError("not JSON"), ProviderFailed, True, "OPENAI_BASE_URL"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), ProviderFailed, True, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_what_leaks_from_below_is_mapped(error: Exception, kind: type, retryable: bool, hint: str):
    ours = connection_error(SERVICE, error)
    assert (type(ours), ours.retryable) == (kind, retryable)
    assert hint in ours.hint
    assert "secret" not in str(ours)


def test_an_error_of_ours_inside_another_stays_what_it_is():
    inner = ProviderFailed("too much", hint="none")
    assert connection_error(SERVICE, caused(inner)) is inner


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("1", 1.0),
        ("0.5", 0.5),
        ("86400", 86400.0),
        ("0", 0.0),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Thu, 32 Foo 2026", None),
    ],
)
def test_retry_after_in_seconds(told: str, seconds: float | None):
    assert retry_after({"retry-after": told}) == seconds


@given(st.integers(-(10**6), 10**6))
def test_retry_after_as_a_date_counts_from_the_answers_own(ahead: int):
    now = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
    headers = {
        "date": format_datetime(now, usegmt=True),
        "retry-after": format_datetime(now + timedelta(seconds=ahead), usegmt=True),
    }
    assert retry_after(headers) == (ahead if ahead >= 0 else None)


def test_a_date_without_another_counts_from_now():
    later = format_datetime(datetime.now(UTC) + timedelta(days=2), usegmt=True)
    seconds = retry_after({"retry-after": later})
    assert seconds is not None
    assert seconds > 86400
