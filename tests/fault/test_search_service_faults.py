"""Each search service down, slow, limited or talking nonsense: the round goes on with the next, and says so."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from ddgs.exceptions import RatelimitException

from assay.core.tape import SystemClock
from assay.ingest.load_html import HtmlLoader
from assay.ingest.split import PassageSplitter
from assay.types import Evidence
from assay.web.egress import EgressRules
from assay.web.guard import SsrfGuard
from assay.web.http import PageFetcher, PageLimits, PinnedHttpClient
from assay.web.mcp import McpAddress, McpSearch
from assay.web.outside import OutsideLimits, OutsideRetriever
from assay.web.pages import Reading
from assay.web.providers import BraveSearch, DuckDuckGoSearch, SearxngSearch, TavilySearch, WikipediaSearch
from assay.web.sources import SearchProvider
from support.web import FAULTS, LocalWeb, mcp_server
from support.web.server import Article

KEY = "key-0123456789abcdef"
QUERY = "at how many degrees is tea drunk"
ARTICLES = (Article("/tea", "Tea", "Tea is brewed at 95 degrees.\nIt is drunk at 60 degrees."),)
SERVICES: Mapping[str, Callable[[str, float], SearchProvider]] = {
    "searxng": lambda url, seconds: SearxngSearch(url, seconds=seconds),
    "brave": lambda url, seconds: BraveSearch(KEY, url, seconds=seconds),
    "tavily": lambda url, seconds: TavilySearch(KEY, url, seconds=seconds),
    "wikipedia": lambda url, seconds: WikipediaSearch(url=url, seconds=seconds),
}
# Faults that a limit of time ends, which is short for them; a busy machine has plenty for all others.
SLOW = {"hangs", "drips"}
SHORT, PLENTY = 0.4, 15.0
# What a tool of the MCP server does wrong.
MCP_FAULTS = {
    "fails": "failed",
    "says_error": "over quota",
    "nonsense": "nonsense",
    "hangs": "within|ReadTimeout",  # the limit of the connection, which is as long, may come first
    "gone": "no tool",
}


@pytest.fixture(scope="module")
def good() -> Iterator[LocalWeb]:
    """The service that is asked next, and the pages."""
    with LocalWeb(ARTICLES) as running:
        yield running


@pytest.fixture(scope="module")
def bad() -> Iterator[LocalWeb]:
    """The service that fails."""
    with LocalWeb(ARTICLES) as running:
        yield running


@pytest.fixture(scope="module")
def closed() -> int:
    """A port on which nobody listens."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port: int = asking.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def mcp() -> Iterator[str]:
    """The address of a real MCP server."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port = asking.getsockname()[1]
    command = [sys.executable, mcp_server.__file__, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(2_400):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                threading.Event().wait(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


async def searched(good: LocalWeb, failing: SearchProvider) -> Evidence:
    """A round that asks the failing service, then one that works."""
    guard = SsrfGuard(EgressRules(enabled=True, named=(good.address,)))
    pages = PageFetcher(
        PinnedHttpClient(guard), SystemClock(), PageLimits(bytes=1024 * 1024, seconds=PLENTY, idle_seconds=PLENTY)
    )
    reading = Reading(HtmlLoader(), PassageSplitter(lambda text: len(text.split())))
    providers = (failing, SearxngSearch(good.url, seconds=PLENTY))
    limits = OutsideLimits(seconds=4 * PLENTY)
    retriever = OutsideRetriever(providers, pages, reading, guard, SystemClock(), limits=limits)
    return await asyncio.wait_for(retriever.retrieve((QUERY,)), 8 * PLENTY)


def assert_went_on(evidence: Evidence, name: str, cause: str = "") -> None:
    """The next service's page is there, and one note says which service failed, and why."""
    assert any("60 degrees" in passage.text for passage in evidence.passages)
    (note,) = (each for each in evidence.notes if name in each)
    assert note.startswith(f"{name} failed:")
    assert re.search(cause, note)
    assert KEY not in note


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", SERVICES)
async def test_a_service_that_commits_a_fault(name: str, fault: str, good: LocalWeb, bad: LocalWeb) -> None:
    bad.misbehave(fault)
    failing = SERVICES[name](bad.url, SHORT if fault in SLOW else PLENTY)
    assert_went_on(await searched(good, failing), name)


@pytest.mark.parametrize("name", SERVICES)
async def test_a_service_that_is_down(name: str, good: LocalWeb, closed: int) -> None:
    failing = SERVICES[name](f"http://127.0.0.1:{closed}", PLENTY)
    assert_went_on(await searched(good, failing), name, "nothing listens")


@pytest.mark.parametrize(("tool", "cause"), MCP_FAULTS.items())
async def test_a_tool_that_fails(tool: str, cause: str, good: LocalWeb, mcp: str) -> None:
    search = McpSearch(McpAddress(mcp), tool, seconds=1.5 if tool == "hangs" else PLENTY)
    assert_went_on(await searched(good, search), search.name, cause)


@pytest.mark.parametrize("fault", ["500", "429", "hangs", "shows a page", "drops the connection"])
async def test_an_mcp_server_that_is_none(fault: str, good: LocalWeb, bad: LocalWeb) -> None:
    bad.serve("/mcp", FAULTS[fault])
    search = McpSearch(McpAddress(f"{bad.url}/mcp"), "search", seconds=PLENTY)
    assert_went_on(await searched(good, search), search.name)


async def test_an_mcp_server_that_is_down(good: LocalWeb, closed: int) -> None:
    search = McpSearch(McpAddress(f"http://127.0.0.1:{closed}/mcp"), "search", seconds=PLENTY)
    assert_went_on(await searched(good, search), search.name)


async def test_duckduckgo_whose_way_out_is_closed(good: LocalWeb, closed: int) -> None:
    search = DuckDuckGoSearch(seconds=2.0, proxy=f"http://127.0.0.1:{closed}")
    assert_went_on(await searched(good, search), "duckduckgo")


@pytest.mark.parametrize("fault", ["500", "429", "hangs"])
async def test_duckduckgo_whose_way_out_fails(fault: str, good: LocalWeb, bad: LocalWeb) -> None:
    bad.misbehave(fault)
    search = DuckDuckGoSearch(seconds=1.0, proxy=bad.url)
    assert_went_on(await searched(good, search), "duckduckgo")


def limited(_query: str, _k: int) -> Any:
    raise RatelimitException("202")


def nonsense(_query: str, _k: int) -> Any:
    return "a page"


@pytest.mark.parametrize("ask", [limited, nonsense])
async def test_duckduckgo_that_limits_or_talks_nonsense(ask: Callable[[str, int], Any], good: LocalWeb) -> None:
    assert_went_on(await searched(good, DuckDuckGoSearch(ask=ask)), "duckduckgo")
