"""Markdown, kept as it is written; headings become sections, tables stay whole, front matter becomes metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from assay.ingest.load_text import TextLoader
from assay.nlp.blocks import Block, BlockKind, blocks
from assay.nlp.markdown import front_matter_end
from assay.types import Loaded, Location, Metadata, Region

# Top-level keys with a value on their line, or items on lines of their own below; deeper YAML is left out.
_KEY = re.compile(r"[\"']?(?P<key>\w[\w .-]{0,60}?)[\"']?[ \t]*[:=](?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>.+)$")
_COMMENT = re.compile(r"[ \t]+#.*$")
# A value that begins so goes on over the next lines.
_GOES_ON = ("|", ">", "{", "&", "*")
_LONGEST_VALUE = 1000


class MarkdownLoader:
    """Reads Markdown; its title is that of the front matter, else the first heading."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text as written, with regions by heading; raises EmptyDocument.

        >>> loaded = MarkdownLoader().load(b"# Tea\\n\\n## Water {#water}\\nBoil it.\\n", "tea.md")
        >>> loaded.title, str(loaded.regions[-1].location)
        ('Tea', 'Tea > Water')
        """
        loaded = TextLoader().load(data, name)
        body = front_matter_end(loaded.text)
        metadata = front_matter_values(loaded.text[:body])
        found = blocks(loaded.text)
        headings = (block.title for block in found if block.kind is BlockKind.HEADING)
        title = str(metadata.get("title") or next(headings, ""))
        regions = tuple(_regions(loaded.text, found, body))
        return replace(loaded, format="markdown", title=title, regions=regions, metadata=metadata)


def front_matter_values(front: str) -> Metadata:
    """The keys of front matter that have a plain value or a list of them, as text.

    >>> front_matter_values('---\\ntitle: "Tea"\\ntags: [hot, green]\\nauthors:\\n  - Wu\\n  - Li\\n---\\n')
    {'title': 'Tea', 'tags': 'hot, green', 'authors': 'Wu, Li'}
    """
    found: dict[str, str] = {}
    key = ""
    for line in front.splitlines()[1:-1]:
        match = _KEY.match(line)
        item = _ITEM.match(line) if key else None
        if match:
            key, value = match["key"], _plain(match["value"] or "")
            if value:
                found[key] = value
        elif item:
            found[key] = ", ".join(part for part in (found.get(key, ""), _plain(item["value"])) if part)
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            key = ""
    return {key: value for key, value in found.items() if len(value) <= _LONGEST_VALUE}


def _plain(written: str) -> str:
    """A value without quotation marks or comment; "" for one that goes on below or is no plain value."""
    value = written.strip()
    if value.startswith(_GOES_ON):
        return ""
    if value[:1] in "\"'" and value.endswith(value[:1]):
        return value[1:-1] if len(value) > 1 else ""
    value = _COMMENT.sub("", value)
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(part.strip(" \t\"'") for part in value[1:-1].split(","))
    return value


def _regions(text: str, found: Sequence[Block], body: int) -> list[Region]:
    """Whole lines, joined where neighbours are of one kind under one heading; front matter has a region too."""
    front = [Region(0, body, Location())] if body else []
    regions: list[Region] = []
    shown = [block for block in found if block.start >= body]
    starts = [text.rfind("\n", 0, block.start) + 1 for block in shown]
    for block, start, end in zip(shown, starts, [*starts, len(text)][1:], strict=True):
        path = (*block.path, block.title) if block.kind is BlockKind.HEADING else block.path
        location = Location(section=" > ".join(path) or None)
        kind = _kind(text, block)
        last = regions[-1] if regions else None
        if last is not None and last.kind == kind != "heading" and last.location == location:
            regions[-1] = replace(last, end=end)
        else:
            regions.append(Region(start, end, location, kind))
    return [*front, *regions]


def _kind(text: str, block: Block) -> Literal["text", "heading", "table"]:
    """What a block is for the splitter; a table of HTML is no table of lines."""
    if block.kind is BlockKind.TABLE:
        return "text" if text.startswith("<", block.start) else "table"
    return "heading" if block.kind is BlockKind.HEADING else "text"
