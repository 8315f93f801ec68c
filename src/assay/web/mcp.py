"""The search tool of any MCP server, over stdio or streamable HTTP, by the official SDK.

A server is started, or connected to, for one search, and left after it. It is given the query and nothing else:
no environment but the plainest, no files, no model to ask, no way to ask the user.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.errors import MissingExtra, ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.web.guard import SsrfGuard, own_rules
from assay.web.http import late, masked, unreadable_answer
from assay.web.providers import LARGEST_ANSWER, plain, result, results
from assay.web.sources import SearchResult

if TYPE_CHECKING:
    from mcp.types import CallToolResult

# A search tool's answer as typed results: from its structured content, from JSON, or from its text.


_LINKS = ("url", "link", "href", "uri", "source_url", "source")
_TITLES = ("title", "name", "heading")
_TEXTS = ("snippet", "description", "content", "text", "body", "summary", "extract", "abstract")
_DATES = ("date", "published_date", "publishedDate", "published", "page_age", "updated", "timestamp")
_LISTS = ("results", "result", "items", "hits", "data", "documents", "organic", "webPages", "value", "web")
_DEEPEST = 4
# A line that names a field, as tools write them for models to read: "Title: Tea", "**URL:** https://…".
_FIELD = re.compile(
    r"[\s>*_#\d.)-]{0,12}(title|url|link|snippet|description|content|date|published)[*_]*\s*:[*_]*\s*(.*)", re.I
)
_MARKDOWN_LINK = re.compile(r"[\s>*_#\d.)-]{0,12}\[([^\]\n]{1,300})\]\((https?://[^\s)]{1,2000})\)[\s:–-]*(.*)")
_NOTHING = re.compile(r"(?:no|0) (?:search )?(?:results?|matches|documents|hits|pages)\b.{0,80}", re.IGNORECASE)
_FIELDS_AS = {"url": "link", "description": "snippet", "content": "snippet", "published": "date"}


def results_of(reply: CallToolResult, tool: str) -> Iterator[SearchResult | None]:
    """The results in a tool's answer; None for a row that is of no use."""
    found = _rows(reply.structured_content, 0)
    if found is not None:
        yield from map(_row, found)
        return
    for block in reply.content:
        kind = getattr(block, "type", "")
        if kind == "text":
            yield from _of_text(getattr(block, "text", ""), tool)
        elif kind == "resource_link":
            title = getattr(block, "title", None) or getattr(block, "name", "")
            yield result(title, str(getattr(block, "uri", "")), getattr(block, "description", None))
        elif kind == "resource" and hasattr(block.resource, "text"):  # type: ignore[union-attr]
            resource = block.resource  # type: ignore[union-attr]
            yield result(tool, str(resource.uri), resource.text)


def _rows(value: Any, depth: int) -> list[Mapping[str, Any]] | None:
    """The list of results inside a JSON value; None where there is none."""
    if isinstance(value, list) and all(isinstance(row, Mapping) for row in value):
        return value
    if isinstance(value, Mapping) and depth < _DEEPEST:
        for name in _LISTS:
            found = _rows(value.get(name), depth + 1)
            if found is not None:
                return found
        if any(name in value for name in _LINKS) and any(name in value for name in _TITLES + _TEXTS):
            return [value]
    return None


def _row(row: Mapping[str, Any]) -> SearchResult | None:
    return result(*(_first(row, names) for names in (_TITLES, _LINKS, _TEXTS, _DATES)))


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((row[name] for name in names if isinstance(row.get(name), str) and row[name]), None)


def _of_text(text: str, tool: str) -> Iterator[SearchResult | None]:
    """The results in a text: JSON, named fields, a list of Markdown links, or else the text itself as one."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            found = _rows(json.loads(text), 0)
        except (ValueError, RecursionError):
            found = None
        if found is not None:
            yield from map(_row, found)
            return
    listed = list(_of_fields(text)) or list(_of_links(text))
    if listed:
        yield from listed
    elif text.strip() and not _NOTHING.fullmatch(plain(text)):
        yield result(tool, "", text)


def _of_fields(text: str) -> Iterator[SearchResult]:
    """The results of a text that names their fields, one a line; a field that comes again begins a new one."""
    fields: dict[str, str] = {}
    last = ""
    for line in [*text.splitlines(), "title:", "title:"]:
        match = _FIELD.fullmatch(line)
        if match is None:
            if last:
                fields[last] += f" {line}"
            continue
        last = _FIELDS_AS.get(match[1].lower(), match[1].lower())
        if last in fields:
            found = result(fields.get("title"), fields.get("link"), fields.get("snippet"), fields.get("date"))
            if found is not None and (found.link or "snippet" in fields):
                yield found
            fields = {}
        fields[last] = match[2]


def _of_links(text: str) -> Iterator[SearchResult]:
    """The results of a list of Markdown links, with what follows each as its snippet."""
    title = link = ""
    following: list[str] = []
    for line in [*text.splitlines(), "[end](https://end.invalid)"]:
        match = _MARKDOWN_LINK.fullmatch(line)
        if match is None:
            following.append(line)
            continue
        found = result(title, link, " ".join(following)) if link else None
        if found is not None:
            yield found
        title, link, following = match[1], match[2], [match[3]]


try:
    import anyio
    import httpx2
    from mcp import Client, MCPError, StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.types import CallToolResult, Tool
except ImportError as error:
    raise MissingExtra(
        f"searching by an MCP server needs a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[mcp]"',
    ) from error

# The errors of talking to a server, alone or as a group of its tasks; anything else is a mistake of ours.
_FAILURES: tuple[type[Exception], ...] = (
    MCPError,
    OSError,
    ValueError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    ExceptionGroup,
)
# Search tools' names for the words to look for, and for the number of results.
_QUERY_NAMES = ("query", "q", "search_query", "search", "searchTerm", "question", "text", "keywords", "term")
_COUNT_NAMES = ("max_results", "maxResults", "count", "limit", "k", "top_k", "num_results", "numResults", "n")
_PAGES_OF_TOOLS = 20


@dataclass(frozen=True, slots=True)
class McpCommand:
    """A server that this machine starts; `environment` is all it gets beyond PATH, HOME and the like."""

    command: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class McpAddress:
    """A server that is reached by HTTP; `headers` may hold a key."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class McpSearch:
    """One tool of an MCP server; `seconds` bounds a search with all that it takes to get there."""

    server: McpCommand | McpAddress
    tool: str
    seconds: float = 15.0
    name: str = "mcp"

    def __post_init__(self) -> None:
        if isinstance(self.server, McpAddress):
            SsrfGuard(own_rules(self.server.url)).link(self.server.url)

    @property
    def host(self) -> str:
        """The server's host, or the command that starts it."""
        if isinstance(self.server, McpAddress):
            return urlsplit(self.server.url).hostname or ""
        return self.server.command

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError, also where the server has no such tool."""
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self._called(query, k)
        except TimeoutError:
            raise late(self.name, self.seconds) from None
        except _FAILURES as error:
            raise self._failed(error) from None
        if reply.is_error:
            said = " ".join(getattr(block, "text", "") for block in reply.content)
            raise ProviderFailed(
                f"the tool {self.tool} of {self.name} failed: {masked(said, None)}", hint="see the server's log"
            )
        return results(self.name, results_of(reply, self.tool), k)

    async def _called(self, query: str, k: int) -> CallToolResult:
        async with self._client() as client:
            tool = await self._find(client)
            return await client.call_tool(self.tool, arguments_for(tool, query, k))

    async def _find(self, client: Client) -> Tool:
        """The tool as the server describes it. Raises ProviderRefused where it has none of that name."""
        names: list[str] = []
        cursor: str | None = None
        for _ in range(_PAGES_OF_TOOLS):
            listed = await client.list_tools(cursor=cursor)
            for tool in listed.tools:
                if tool.name == self.tool:
                    return tool
                names.append(tool.name)
            cursor = listed.next_cursor
            if cursor is None:
                break
        raise ProviderRefused(
            f"{self.name} has no tool {self.tool!r}", hint=f"name one of: {', '.join(names)[:300] or 'none'}"
        )

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        if isinstance(self.server, McpCommand):
            # A server's words beside its answers are not for this program's own output.
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                parameters = StdioServerParameters(
                    command=self.server.command,
                    args=list(self.server.arguments),
                    env=dict(self.server.environment),
                    encoding_error_handler="replace",
                )
                async with Client(stdio_client(parameters, errlog=nowhere)) as client:
                    yield client
            return
        hooks = {"response": [_bounded]}
        headers = {"Accept-Encoding": "identity", **self.server.headers}
        async with httpx2.AsyncClient(
            headers=headers, event_hooks=hooks, timeout=self.seconds, trust_env=False
        ) as connection:
            transport = streamable_http_client(
                self.server.url, http_client=connection, max_sse_event_size=LARGEST_ANSWER
            )
            async with Client(transport) as client:
                yield client

    def _failed(self, error: Exception) -> ProviderError:
        """The error for what went wrong, whichever of the tasks found it."""
        chain = tuple(_leaves(error))
        for link in chain:
            if isinstance(link, ProviderError):
                return link
        if any(isinstance(link, FileNotFoundError | PermissionError) for link in chain):
            return ProviderUnreachable(
                f"{self.name} cannot be started: {self.host}", hint="check the command of the server"
            )
        for link in chain:
            if isinstance(link, httpx2.HTTPError | OSError):
                said = f"{type(link).__name__}: {link}"
                return ProviderUnreachable(
                    f"no connection to {self.name}: {said[:200]}",
                    hint="check that the server runs, and its address",
                    retryable=True,
                )
        return unreadable_answer(self.name, f"{type(chain[-1]).__name__}: {chain[-1]}")


def arguments_for(tool: Tool, query: str, k: int) -> dict[str, Any]:
    """The arguments of a search tool: the query under the name that it has for one, and the count if any.

    Raises ProviderRefused where it needs more than a query.
    """
    schema = tool.input_schema if isinstance(tool.input_schema, Mapping) else {}
    properties = schema.get("properties")
    known: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    required = [required_name for required_name in schema.get("required") or () if isinstance(required_name, str)]
    texts = [name for name in required if _is_a(known.get(name), "string")]
    name = next(
        (candidate for candidate in _QUERY_NAMES if candidate in known), texts[0] if len(texts) == 1 else None
    )
    count = next(
        (candidate for candidate in _COUNT_NAMES if _is_a(known.get(candidate), "integer", "number")), None
    )
    if name is None or set(required) - {name, count}:
        raise ProviderRefused(
            f"the tool {tool.name} needs more than a query: {', '.join(required)[:200] or 'it names no query'}",
            hint="name a tool that searches by a query alone",
        )
    return {name: query} | ({count: k} if count is not None else {})


def _is_a(schema: object, *kinds: str) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") in kinds


async def _bounded(response: httpx2.Response) -> None:
    """Let a response's body end in an error where it is packed, or longer than any answer."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise httpx2.DecodingError("a packed answer, which was not asked for")
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - an async client's
        response.stream = _BoundedStream(response.stream)


class _BoundedStream(httpx2.AsyncByteStream):
    """A body that ends in an error when it is too long."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > LARGEST_ANSWER:
                raise httpx2.ReadError(f"more than {LARGEST_ANSWER >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The error, and those in its groups."""
    yield error
    for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _leaves(inner)
