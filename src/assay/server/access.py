"""Callers, and what they may do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assay.errors import StoreError, UsageError
from assay.server.api_key import DEFAULT_TENANT, SCOPES, Key, Scope
from assay.server.hosts import client_of, is_direct_and_local, is_loopback
from assay.server.keys import KeyStore
from assay.server.limits import is_below
from assay.server.problems import AccessRefused, error_response, problem_response
from assay.server.rates import Rate
from assay.types import Value

logger = logging.getLogger("assay.server")

Result = TypeVar("Result")

_CHALLENGE = 'Bearer realm="assay"'
_HOW = "send a key that is valid as `Authorization: Bearer KEY`; `assay keys create` makes one"
# Wrong keys that one address may send in a minute, to all processes together if these are no more. Chosen.
GUESSES = 10
# Keys that wait to be hashed, a fifth of a second each, before further ones are turned away. Chosen.
WAITING = 16
# Paths below which nothing is public, and bodies can be large.
GUARDED = ("/api", "/v1", "/mcp")
_BEARER = HTTPBearer(auto_error=False, description="an API key, as `assay keys create` prints it")


@dataclass(frozen=True, slots=True)
class Caller(Value):
    """The sender of a request: a key's tenant, id, name and scopes."""

    tenant: str
    key_id: str
    name: str
    scopes: tuple[Scope, ...]

    @property
    def is_admin(self) -> bool:
        """True if the caller may do everything in the tenant."""
        return "admin" in self.scopes

    @classmethod
    def of(cls, key: Key) -> Caller:
        """The caller that a key stands for."""
        return cls(key.tenant, key.key_id, key.name, key.scopes)


ANONYMOUS = Caller(DEFAULT_TENANT, "", "", SCOPES)


class Access:
    """Finds out who calls.

    While no key was ever made, `ANONYMOUS` does: anybody if `allow_anonymous`; else, where the address `listening`
    is reached by this machine only, those on it who come without a proxy. What they send as a key is not looked at,
    since many clients insist on sending one.
    """

    def __init__(
        self, keys: KeyStore, *, listening: str, allow_anonymous: bool = False, processes: int = 1
    ) -> None:
        self._keys = keys
        self._anybody = allow_anonymous
        self._local = is_loopback(listening)
        self._guesses = Rate(max(1, GUESSES // processes))
        # A thread of its own for the file, so that no reading waits for the slow hashes of guessed keys.
        self._reads = ThreadPoolExecutor(1, "assay-keys")
        self._hashes = ThreadPoolExecutor(1, "assay-key-hashes")
        self._waiting = 0

    async def caller(self, connection: Connection) -> Caller | None:
        """The caller of a request, None if it names none.

        Raises AccessRefused for a wrong key (401), for too many from one address (429) and for too many to test at
        once (503); StoreError if the keys cannot be read.
        """
        may_be_anonymous = self._anybody or (self._local and is_direct_and_local(connection))
        if may_be_anonymous and not await self._any_keys():
            return ANONYMOUS
        text = presented_key(Headers(scope=connection))
        if text is None:
            return None
        key = self._keys.fresh(text) or await self._verified(text, client_of(connection))
        return Caller.of(key)

    async def _any_keys(self) -> bool:
        known = self._keys.fresh_any()
        return await self._run(self._reads, self._keys.any) if known is None else known

    async def _verified(self, text: str, client: str) -> Key:
        if self._keys.remembers(text):
            key = await self._run(self._reads, lambda: self._keys.verify(text))
        else:
            self._refuse_guesses(client)
            self._waiting += 1
            try:
                key = await self._run(self._hashes, lambda: self._keys.verify(text))
            finally:
                self._waiting -= 1
        if key is None:
            self._guesses.hit(client)
            raise unauthenticated("the API key is unknown, expired or revoked", error="invalid_token")
        return key

    def _refuse_guesses(self, client: str) -> None:
        if self._guesses.spent(client):
            raise AccessRefused(
                "too many wrong API keys came from this address",
                hint="wait a minute, and check the key",
                status=429,
                headers={"Retry-After": self._guesses.retry_after(client)},
            )
        if self._waiting >= WAITING:
            raise AccessRefused(
                "too many new API keys are being tested",
                hint="try again in a few seconds",
                status=503,
                headers={"Retry-After": "2"},
            )

    @staticmethod
    def _run(threads: ThreadPoolExecutor, work: Callable[[], Result]) -> Awaitable[Result]:
        return asyncio.get_running_loop().run_in_executor(threads, work)


class Authentication:
    """Finds out who sent a request. Wrong keys are refused on every path, and no key below those of `GUARDED`.

    That is done before a body is read. What the caller may do is asked by `require`, `RequireScope` or
    `caller_with`.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Pass the request on with its caller, or answer the refusal."""
        if scope["type"] == "http":
            try:
                caller = await self._access.caller(scope)
                if caller is None and any(is_below(scope["path"], path) for path in GUARDED):
                    raise unauthenticated("this needs an API key")
                scope.setdefault("state", {})["caller"] = caller
            except AccessRefused as error:
                await error_response(error, scope)(scope, receive, send)
                return
            except StoreError:
                logger.exception("the API keys cannot be read")  # where they lie is not the caller's business
                detail, hint = "the API keys cannot be read", "ask whoever runs the server to look in its log"
                await problem_response(503, detail, hint, scope, headers={"Retry-After": "5"})(scope, receive, send)
                return
        await self._app(scope, receive, send)


class RequireScope:
    """An application that only callers with a scope reach; for those that FastAPI's dependencies do not guard."""

    def __init__(self, app: ASGIApp, needed: Scope) -> None:
        self._app = app
        self._needed = needed

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer the refusal."""
        if scope["type"] == "http":
            try:
                caller_with(self._needed, scope)
            except AccessRefused as error:
                await error_response(error, scope)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def require(needed: Scope) -> Callable[..., Awaitable[Caller]]:
    """A dependency that gives the caller if the scope is one of theirs, and else raises AccessRefused."""

    async def caller_of(
        request: Request,
        _documented: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)],  # for /openapi.json
    ) -> Caller:
        return caller_with(needed, request.scope)

    return caller_of


def caller_with(needed: Scope, connection: Connection) -> Caller:
    """The caller of a request, whom `Authentication` found. Raises AccessRefused: none (401), not theirs (403)."""
    caller: Caller | None = connection.get("state", {}).get("caller")
    if caller is None:
        raise unauthenticated("this needs an API key")
    if needed not in caller.scopes:
        raise AccessRefused(
            f"this needs an API key with the scope {needed}; yours has {', '.join(caller.scopes)}",
            hint=f"use another key; `assay keys create --scope {needed}` makes one",
            status=403,
            headers={"WWW-Authenticate": f'{_CHALLENGE}, error="insufficient_scope", scope="{needed}"'},
        )
    return caller


def unauthenticated(message: str, error: str | None = None) -> AccessRefused:
    """The refusal of who did not show a valid key; `error` is a code of RFC 6750, none where nothing was shown."""
    challenge = _CHALLENGE if error is None else f'{_CHALLENGE}, error="{error}"'
    return AccessRefused(message, hint=_HOW, status=401, headers={"WWW-Authenticate": challenge})


def presented_key(headers: Headers) -> str | None:
    """The key in Authorization or X-API-Key; None if there is none. Raises AccessRefused for two that differ."""
    schemes = [value.partition(" ") for value in headers.getlist("authorization")]
    shown = {text.strip() for scheme, _, text in schemes if scheme.lower() == "bearer"}
    shown |= {value.strip() for value in headers.getlist("x-api-key")}
    if len(shown) > 1:
        raise unauthenticated("the request has two different API keys", error="invalid_request")
    return shown.pop() if shown else None


def refuse_open_bind(host: str, *, has_keys: bool, allow_anonymous: bool) -> None:
    """Raise UsageError for an address that others reach while everybody would be let in."""
    if not is_loopback(host) and not has_keys and not allow_anonymous:
        raise UsageError(
            f"on {host} everybody who reaches this machine could read the documents",
            hint="make a key first: assay keys create --name TEXT; or say --allow-anonymous",
        )
