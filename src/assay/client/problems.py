"""Failures between client and server, as the errors of the library."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import httpx2

from assay import errors
from assay.errors import AssayError, ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable, UsageError

# Statuses of a request that was not worked on: the same one may be answered later.
BUSY = frozenset({429, 503})
_RETRYABLE = BUSY | {504}
_BY_NAME: Mapping[str, type[AssayError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, AssayError)
}
# For errors whose class the server does not name: its own, a proxy's, or a newer server's.
_BY_STATUS: Mapping[int, type[AssayError]] = {
    401: ProviderRefused,
    403: ProviderRefused,
    413: errors.UploadTooLarge,
    429: ProviderRefused,
    501: errors.MissingExtra,
    503: ProviderUnreachable,
    504: errors.DeadlinePassed,
    507: errors.StoreFull,
}


def error_of(response: httpx2.Response) -> AssayError:
    """The error that a response of status 300 or more stands for; its notes name the request."""
    status = response.status_code
    problem = _problem_of(response)
    if problem is None:
        error = _error_without_problem(response)
    else:
        kind = _class_of(status, str(problem.get("error")))
        error = kind(str(problem.get("detail")), hint=str(problem.get("hint")))
    error.retryable = status in _RETRYABLE
    if isinstance(error, ProviderError):
        error.retry_after = retry_after(response)
    request_id = response.headers.get("x-request-id")
    error.add_note(f"HTTP {status}" + (f", request {request_id}" if request_id else ""))
    return error


def _problem_of(response: httpx2.Response) -> Mapping[str, Any] | None:
    if media_type_of(response) != "application/problem+json":
        return None
    try:
        problem = json.loads(response.content)
    except ValueError:
        return None
    return problem if isinstance(problem, dict) and "detail" in problem and "hint" in problem else None


def _class_of(status: int, name: str) -> type[AssayError]:
    """The class that the server names, or where it names none in particular the one of the status."""
    named = _BY_NAME.get(name)
    if named not in (None, AssayError, UsageError):
        return named
    return _BY_STATUS.get(status, ProviderFailed if status >= 500 else UsageError)


def _error_without_problem(response: httpx2.Response) -> AssayError:
    """The error for a response that is none of assay's own errors."""
    status = response.status_code
    if response.is_redirect:
        target = response.headers.get("location", "")
        return UsageError(
            f"the server redirects to {target[:200]}",
            hint="set ASSAY_URL to that address if you trust it; redirects are not followed, so no key goes there",
        )
    said = media_type_of(response) or "no content type"
    kind = _BY_STATUS.get(status, ProviderFailed)
    return kind(f"{_place(response.request)} answered {status} with {said}", hint=_NOT_ASSAY)


_NOT_ASSAY = "check that ASSAY_URL is the address of `assay serve`, and what stands between it and you"


def media_type_of(response: httpx2.Response) -> str:
    """The media type of a response without its parameters, in lower case.

    >>> media_type_of(httpx2.Response(200, headers={"content-type": "text/HTML; charset=utf-8"}))
    'text/html'
    """
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def refuse_other_type(response: httpx2.Response, media_type: str) -> None:
    """Raise ProviderFailed where a successful response is of another media type."""
    if media_type_of(response) != media_type:
        said = media_type_of(response) or "no content type"
        raise ProviderFailed(
            f"{_place(response.request)} answered with {said} and not with {media_type}", hint=_NOT_ASSAY
        )


def retry_after(response: httpx2.Response) -> float | None:
    """The seconds that the server asks to be left alone, None where it does not say; never below 0.

    >>> retry_after(httpx2.Response(503, headers={"retry-after": "7"}))
    7.0
    >>> retry_after(httpx2.Response(503, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}))
    0.0
    """
    said = response.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return float(said)
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time())
    except ValueError:
        return None


@contextmanager
def transport_errors(seconds: float) -> Iterator[None]:
    """Raise what goes wrong on the way as ProviderUnreachable; `seconds` are those that were waited."""
    try:
        yield
    except httpx2.TimeoutException as error:
        raise ProviderUnreachable(
            f"{_place(error.request)} did not answer within {seconds:g} s",
            hint="give the client a longer timeout, or ask for less",
            retryable=True,
        ) from error
    except (httpx2.ConnectError, httpx2.ProxyError) as error:
        raise ProviderUnreachable(
            f"{_place(error.request)} cannot be reached: {error}",
            hint="start the server with `assay serve`, or set ASSAY_URL to its address",
            retryable=True,
        ) from error
    except httpx2.TransportError as error:
        raise ProviderUnreachable(
            f"the connection to {_place(error.request)} broke: {error}",
            hint="try again; if it breaks again, look at the server's log and at proxies on the way",
            retryable=True,
        ) from error
    except httpx2.DecodingError as error:
        raise ProviderFailed(
            f"{_place(error.request)} sent a body that cannot be decoded: {error}", hint=_NOT_ASSAY
        ) from error


def _place(request: httpx2.Request) -> str:
    """The server that a request goes to."""
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii')}"
