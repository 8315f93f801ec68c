"""The request that a run belongs to: set where it comes in, read by what logs and traces the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """A request by its id, and the tenant that made it; empty where there is none."""

    request_id: str = ""
    tenant: str = ""


_NONE = Request()
_CURRENT: ContextVar[Request] = ContextVar("assay_request", default=_NONE)


def current_request() -> Request:
    """The request in whose context this is called; a run on an engine's own loop has that of its caller."""
    return _CURRENT.get()


@contextmanager
def within_request(request: Request) -> Iterator[None]:
    """Answer in the context of this request.

    >>> with within_request(Request("01J", "acme")):
    ...     current_request().tenant
    'acme'
    """
    token = _CURRENT.set(request)
    try:
        yield
    finally:
        _CURRENT.reset(token)
