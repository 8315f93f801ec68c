"""From settings to the sources outside; nothing here is imported where none is turned on."""

from __future__ import annotations

import shlex
from urllib.parse import urlsplit

from pydantic import SecretStr

from assay.core.stages import Embedder, Retriever
from assay.core.tape import SystemClock
from assay.errors import UsageError
from assay.ingest.sandbox import Sandbox
from assay.ingest.split import PassageSplitter
from assay.settings import Settings
from assay.web.egress import EgressRules
from assay.web.guard import SsrfGuard
from assay.web.http import PageFetcher, PinnedHttpClient
from assay.web.outside import OutsideLimits, OutsideRetriever, Ranking
from assay.web.pages import PageCache, Reading
from assay.web.sources import SearchProvider
from assay.wiring.models import refuse_offline


def open_outside(settings: Settings, embedder: Embedder, splitter: PassageSplitter, sandbox: Sandbox) -> Retriever:
    """The sources that the settings turn on, asked in their order.

    Raises UsageError where a service lacks its address or key, or offline mode refuses its host; MissingExtra
    where its package is not installed.
    """
    named = settings.intranet_hosts
    rules = EgressRules(True, settings.domains, settings.denied_domains, named)
    guard, clock = SsrfGuard(rules), SystemClock()
    providers = [open_provider(name, settings) for name in settings.outside]
    pages = PageCache(PageFetcher(PinnedHttpClient(guard), clock), guard, settings.data_dir / "pages", clock)
    limits = OutsideLimits(k=settings.k)
    return OutsideRetriever(providers, pages, Reading(sandbox, splitter), guard, clock, Ranking(embedder), limits)


def open_provider(name: str, settings: Settings) -> SearchProvider:
    """One search service, by its name in the settings. Raises what `open_outside` raises."""
    provider = _provider(name, settings)
    refuse_offline(settings, provider.host, name)
    return provider


def _provider(name: str, settings: Settings) -> SearchProvider:
    match name:
        case "searxng":
            from assay.web.providers import SearxngSearch

            return SearxngSearch(_required(settings.searxng_url, name, "searxng_url", "SEARXNG_URL"))
        case "brave":
            from assay.web.providers import BraveSearch

            return BraveSearch(_required(_secret(settings.brave_api_key), name, "brave_api_key", "BRAVE_API_KEY"))
        case "tavily":
            from assay.web.providers import TavilySearch

            return TavilySearch(
                _required(_secret(settings.tavily_api_key), name, "tavily_api_key", "TAVILY_API_KEY")
            )
        case "wikipedia":
            from assay.web.providers import WikipediaSearch

            return WikipediaSearch()
        case "duckduckgo":
            from assay.web.providers import DuckDuckGoSearch

            return DuckDuckGoSearch()
        case _:
            return _mcp(settings)


def _mcp(settings: Settings) -> SearchProvider:
    from assay.web.mcp import McpAddress, McpCommand, McpSearch

    server = _required(settings.mcp_server, "mcp", "mcp_server", "ASSAY_MCP_SERVER")
    if urlsplit(server).scheme in ("http", "https"):
        return McpSearch(McpAddress(server), settings.mcp_tool)
    try:
        command, *arguments = shlex.split(server)
    except ValueError as error:  # a quotation mark that is not closed, or nothing but space
        setting = settings.display_name("mcp_server")
        raise UsageError(
            f"{setting}: {server!r} is not a command: {error}", hint="write it as in a shell"
        ) from error
    return McpSearch(McpCommand(command, tuple(arguments)), settings.mcp_tool)


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None


def _required(value: str | None, service: str, setting: str, variable: str) -> str:
    if not value:
        raise UsageError(f"{service} is named, but {setting} is not set", hint=f"set {variable}")
    return value
