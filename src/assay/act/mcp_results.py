"""What a search tool answered, as typed results: from its structured content, from JSON, or from its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.act.service import plain, result
from assay.act.sources import SearchResult

if TYPE_CHECKING:
    from mcp.types import CallToolResult

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
    if isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
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
