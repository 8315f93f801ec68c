"""Any server's search tool, over stdio and over streamable HTTP, by a real server of the official SDK."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from mcp.types import Tool

from assay.errors import EgressRefused, ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.web.mcp import McpAddress, McpCommand, McpSearch, arguments_for
from support.web import LocalWeb, mcp_server
from support.web.mcp_server import PROSE, ROWS

SERVER = (mcp_server.__file__,)
STDIO = McpCommand(sys.executable, SERVER)


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port: int = asking.getsockname()[1]
        return port


def served(*extra: str) -> Iterator[McpAddress]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, *SERVER, str(port), *extra], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(2_400):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield McpAddress(f"http://127.0.0.1:{port}/mcp")
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def address() -> Iterator[McpAddress]:
    yield from served()


@pytest.fixture(scope="module")
def address_of_json() -> Iterator[McpAddress]:
    yield from served("--json")


TYPED = ["search", "search_nested", "search_json", "search_fields", "search_links", "search_resources"]


@pytest.mark.parametrize("tool", TYPED)
async def test_every_way_to_tell_of_results_is_read(tool: str, address: McpAddress):
    found = await McpSearch(address, tool).search("tea", 5)
    assert [(each.title, each.link) for each in found] == [(row["title"], row["url"]) for row in ROWS]
    assert found[0].snippet.endswith(ROWS[0]["snippet"])
    if tool in ("search", "search_json"):
        assert [each.date for each in found] == [row["date"] for row in ROWS]


async def test_a_server_is_started_for_a_search_and_given_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    server = McpCommand(sys.executable, SERVER, {"TOLD": "1"})
    (only,) = await McpSearch(server, "echo", seconds=60.0).search("tea", 5)
    assert only.link == ""
    said, _, names = only.snippet.partition(", started with ")
    assert said == "asked for tea"
    assert {"PATH", "TOLD"} <= set(names.split())
    assert "TAVILY_API_KEY" not in names
    assert McpSearch(server, "echo").host == sys.executable


async def test_stdio_gives_typed_results():
    found = await McpSearch(STDIO, "search", seconds=60.0).search("tea", 1)
    assert [each.link for each in found] == [ROWS[0]["url"]]


async def test_prose_is_one_result_without_a_link(address: McpAddress):
    found = await McpSearch(address, "search_prose").search("tea", 5)
    assert [(each.title, each.link, each.snippet) for each in found] == [("search_prose", "", PROSE)]


@pytest.mark.parametrize("tool", ["search_nothing", "search_says_nothing"])
async def test_a_tool_may_find_nothing(tool: str, address: McpAddress):
    assert await McpSearch(address, tool).search("tea", 5) == ()


@pytest.mark.parametrize(
    ("tool", "kind", "says"),
    [
        ("fails", ProviderFailed, "failed"),
        ("says_error", ProviderFailed, "over quota"),
        ("nonsense", ProviderFailed, "nonsense"),
        ("no_such_tool", ProviderRefused, "no tool"),
        ("needs_more", ProviderRefused, "more than a query"),
        # Where the machine stalls, the limit of the connection, which is as long, may come first.
        ("hangs", ProviderUnreachable, "within|ReadTimeout"),
    ],
)
async def test_failures_are_errors_by_name(tool: str, kind: type[ProviderError], says: str, address: McpAddress):
    seconds = 1.5 if tool == "hangs" else 15.0
    with pytest.raises(kind, match=says) as error:
        await McpSearch(address, tool, seconds=seconds).search("tea", 5)
    assert error.value.hint


async def test_an_answer_that_is_too_long_is_a_failure(address: McpAddress, address_of_json: McpAddress):
    for each in (address, address_of_json):
        with pytest.raises(ProviderError):
            await McpSearch(each, "huge").search("tea", 5)


async def test_a_server_that_ends_is_a_failure():
    with pytest.raises(ProviderError) as error:
        await McpSearch(STDIO, "exits", seconds=60.0).search("tea", 5)
    assert not isinstance(error.value, ProviderRefused)


@pytest.mark.parametrize(
    "command", [McpCommand("no-such-command-anywhere"), McpCommand(sys.executable, ("-c", ""))]
)
async def test_a_command_that_is_no_server_is_a_failure(command: McpCommand):
    with pytest.raises(ProviderError):
        await McpSearch(command, "search", seconds=20.0).search("tea", 5)


@pytest.mark.parametrize(
    "path", ["/plain", "/missing", "/broken", "/json", "/picture", "/to-metadata", "/gzip-bomb"]
)
async def test_a_site_that_is_no_server_is_a_failure(path: str):
    with LocalWeb() as site, pytest.raises(ProviderError):
        await McpSearch(McpAddress(site.url + path), "search", seconds=5.0).search("tea", 5)


async def test_a_closed_port_is_unreachable():
    with pytest.raises(ProviderUnreachable):
        await McpSearch(McpAddress(f"http://127.0.0.1:{free_port()}/mcp"), "search").search("tea", 5)


@pytest.mark.parametrize("url", ["", "file:///x", "http://169.254.169.254/", "http://u:p@localhost/mcp"])
def test_an_address_that_is_none_is_refused_at_once(url: str):
    with pytest.raises(EgressRefused):
        McpSearch(McpAddress(url), "search")


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"query": {"type": "string"}}}, {"query": "tea"}),
        ({"properties": {"query": {}, "count": {"type": "integer"}}}, {"query": "tea", "count": 3}),
        ({"properties": {"wanted": {"type": "string"}}, "required": ["wanted"]}, {"wanted": "tea"}),
        ({"properties": {"q": {"type": "string"}, "k": {"type": "string"}}}, {"q": "tea"}),
    ],
)
def test_a_tool_is_called_by_its_own_names(schema: dict[str, object], arguments: dict[str, object]):
    assert arguments_for(Tool(name="t", input_schema=schema), "tea", 3) == arguments


def test_keys_in_headers_and_environments_are_not_shown():
    for server in (McpCommand("x", environment={"KEY": "secret"}), McpAddress("http://h/", {"X-Key": "secret"})):
        assert "secret" not in repr(McpSearch(server, "search"))
