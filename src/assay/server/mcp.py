"""The tools for agents at /mcp, over the collections of whoever calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp

from assay.engine import Engine
from assay.mcp_server.http import McpEndpoint
from assay.server.access import RequireScope, caller_with
from assay.server.service import Service, Tenant
from assay.types import CollectionSummary

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
