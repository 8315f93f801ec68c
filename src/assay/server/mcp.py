"""The tools for agents at /mcp, over the collections of whoever calls: streamable HTTP, without sessions.

Each request stands alone, so any worker can take it. A client cancels a call by closing its response or, in the
protocol before 2026, by a notification in a request of its own, which names a number that the client chose. The
caller's credentials and a session id tell it from the numbers of other clients; the reply to `initialize` gives the
id, and it means nothing else. Such a notification reaches calls of the same process only.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from mcp import MCPError
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, REQUEST_CANCELLED
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from assay.engine import Engine
from assay.mcp_server.server import CollectionsOf, build_server
from assay.server.access import RequireScope, caller_with
from assay.server.service import Service, Tenant
from assay.types import CollectionSummary

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from starlette.types import Message, Receive, Scope, Send


_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Hosts and origins of this machine on any port; a page elsewhere that rebinds its name is refused.
LOOPBACK = TransportSecuritySettings(
    allowed_hosts=[host + port for host in _LOOPBACK for port in ("", ":*")],
    allowed_origins=[
        f"{scheme}://{host}{port}" for scheme in ("http", "https") for host in _LOOPBACK for port in ("", ":*")
    ],
)


class McpEndpoint:
    """An ASGI app that serves the tools by POST; it works within `running`, once.

    `collections_of` gives the collections of whoever sent a request. `security` are the Host and Origin headers
    that are accepted. A request's body may have 4 MiB.
    """

    def __init__(
        self,
        collections_of: CollectionsOf,
        *,
        security: TransportSecuritySettings = LOOPBACK,
        looks_outside: bool = False,
    ) -> None:
        server = build_server(collections_of, looks_outside=looks_outside)
        server.middleware.append(_Cancellation())
        self._manager = StreamableHTTPSessionManager(server, stateless=True, security_settings=security)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Keep open what requests need; at its end, calls under way are cancelled."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["method"] == "GET":
            # GET would open a stream of the server's own messages; it sends none.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, _with_session(scope, send))


def _with_session(scope: Scope, send: Send) -> Send:
    """The function that sends a response, with a session id where the client has none yet."""
    headers = Headers(scope=scope)
    if MCP_SESSION_ID_HEADER in headers or MCP_PROTOCOL_VERSION_HEADER in headers:
        return send

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)[MCP_SESSION_ID_HEADER] = uuid.uuid4().hex
        await send(message)

    return sending


@dataclass(frozen=True, slots=True)
class _CallKey:
    """A call as its client can name it: who calls, the session, and the number of the request."""

    credentials: str
    session: str
    request_id: str | int


@dataclass(frozen=True, slots=True)
class _Cancellation:
    """Cancels a call that another request asks to cancel, which the SDK does within a connection only."""

    _calls: dict[_CallKey, anyio.CancelScope] = field(default_factory=dict)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Carry out a message of the client."""
        if ctx.method == "notifications/cancelled":
            named = _key(ctx, (ctx.params or {}).get("requestId"))
            if named is not None and named in self._calls:
                self._calls[named].cancel()
        key = _key(ctx, ctx.request_id)
        if key is None or key in self._calls:
            return await call_next(ctx)
        with anyio.CancelScope() as scope:
            self._calls[key] = scope
            try:
                return await call_next(ctx)
            finally:
                del self._calls[key]
        raise MCPError(REQUEST_CANCELLED, "the call was cancelled")


def _key(context: ServerRequestContext[Any, Any], request_id: object) -> _CallKey | None:
    """The key of a call, None where it has no session or no number."""
    headers = context.request.headers if context.request is not None else {}
    session = headers.get(MCP_SESSION_ID_HEADER)
    if session is None or not isinstance(request_id, str | int):
        return None
    return _CallKey(headers.get("authorization", ""), session, request_id)


PATH = "/mcp"
# Host and Origin are checked for every path before a request comes here.
_CHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


@dataclass(frozen=True, slots=True)
class TenantCollections:
    """The collections of one tenant."""

    service: Service
    tenant: Tenant

    @property
    def default(self) -> str:
        """The collection of the settings."""
        return self.service.base.collection

    def shown(self, text: str) -> str:
        """The text without the folders of uploads."""
        return self.tenant.shorten(text)

    def engine(self, name: str) -> AbstractAsyncContextManager[Engine]:
        """The engine of a collection. Raises UnknownCollection, UsageError."""
        return self.service.engine(self.tenant, name)

    @asynccontextmanager
    async def checker(self) -> AsyncIterator[Engine]:
        """An engine that checks texts against given sources."""
        async with self.service.checker(self.tenant) as engine:
            yield engine

    async def summaries(self) -> tuple[CollectionSummary, ...]:
        """The tenant's collections, sorted by name."""
        return await asyncio.to_thread(self.tenant.collections.summaries)


def mcp_endpoint(service: Service) -> McpEndpoint:
    """The endpoint of the tools; it works within its `running`."""

    def collections_of(request: Request | None) -> TenantCollections:
        assert request is not None  # noqa: S101 - over HTTP there always is one
        caller = caller_with("read", request.scope)
        return TenantCollections(service, service.tenant(caller.tenant))

    return McpEndpoint(collections_of, security=_CHECKED, looks_outside=bool(service.base.outside))


def guarded(endpoint: McpEndpoint) -> ASGIApp:
    """The endpoint for callers with the scope read."""
    return RequireScope(endpoint, "read")
