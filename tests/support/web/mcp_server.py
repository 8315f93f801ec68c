"""An MCP server with many kinds of search tools, written with the official SDK.

    python tests/support/web/mcp_server.py            # over stdio
    python tests/support/web/mcp_server.py 8321       # over streamable HTTP, on that port of this machine

Every tool knows the same two articles; each tells of them in another way, or fails.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, ResourceLink, TextContent

ROWS = [
    {
        "title": "Tea",
        "url": "https://tea.example/tea",
        "snippet": "Tea is best at 60 degrees.",
        "date": "2021-05-03",
    },
    {"title": "Ice", "url": "https://tea.example/ice", "snippet": "Ice melts at 0 degrees.", "date": "2020-01-02"},
]
PROSE = "Tea is best at 60 degrees. Ice melts at 0 degrees."
_FIELDS = "\n\n".join(f"Title: {r['title']}\nURL: {r['url']}\nDescription: {r['snippet']}" for r in ROWS)
_LINKS = "\n".join(f"{n}. [{r['title']}]({r['url']}) - {r['snippet']}" for n, r in enumerate(ROWS, 1))

server = MCPServer("search-tools")


@server.tool()
def search(query: str, max_results: int = 5) -> list[dict[str, str]]:
    """Typed results, as structured content."""
    return ROWS[:max_results]


@server.tool()
def search_nested(q: str) -> dict[str, Any]:
    """Results inside an object inside an object."""
    return {"web": {"results": [{"name": r["title"], "link": r["url"], "description": r["snippet"]} for r in ROWS]}}


@server.tool(structured_output=False)
def search_json(query: str) -> str:
    """JSON in a text."""
    return json.dumps({"results": ROWS})


@server.tool(structured_output=False)
def search_fields(query: str) -> str:
    """Named fields in a text."""
    return _FIELDS


@server.tool(structured_output=False)
def search_links(query: str) -> str:
    """A list of Markdown links."""
    return f"Found {len(ROWS)} pages:\n\n{_LINKS}"


@server.tool(structured_output=False)
def search_prose(question: str) -> str:
    """Plain prose without any link."""
    return PROSE


@server.tool()
def search_resources(query: str) -> CallToolResult:
    """Links to resources."""
    links = [ResourceLink(name=r["title"], uri=r["url"], description=r["snippet"]) for r in ROWS]
    return CallToolResult(content=list(links))


@server.tool(structured_output=False)
def echo(wanted: str) -> str:
    """The query, and the names of the variables that this process was started with, as prose."""
    started_with = Path("/proc/self/environ").read_text().split("\0")
    names = sorted(each.partition("=")[0] for each in started_with if each)
    return f"asked for {wanted}, started with {' '.join(names)}"


@server.tool()
def search_nothing(query: str) -> list[dict[str, str]]:
    """No results."""
    return []


@server.tool(structured_output=False)
def search_says_nothing(query: str) -> str:
    """No results, in words."""
    return "No results found for your query."


@server.tool()
def fails(query: str) -> str:
    """Raise."""
    raise ValueError("the search broke")


@server.tool()
def says_error(query: str) -> CallToolResult:
    """An error as a result."""
    return CallToolResult(content=[TextContent(text="over quota")], is_error=True)


@server.tool()
def nonsense(query: str) -> list[dict[str, int]]:
    """Rows of nothing."""
    return [{"x": 1}]


@server.tool()
async def hangs(query: str) -> str:
    """Never answer."""
    await asyncio.sleep(3600)
    return ""


@server.tool(structured_output=False)
def huge(query: str) -> str:
    """More than anybody reads."""
    return "x" * (8 << 20)


@server.tool()
def exits(query: str) -> str:
    """End the server."""
    os._exit(3)


@server.tool()
def needs_more(query: str, index: str) -> str:
    """A tool that a query alone does not serve."""
    return f"{query} {index}"


def main() -> None:
    """Serve over stdio, or over HTTP on the port given."""
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]), json_response="--json" in sys.argv)
    else:
        server.run("stdio")


if __name__ == "__main__":
    main()
