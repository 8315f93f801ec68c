"""What all office files share."""

from __future__ import annotations

from assay.errors import UnreadableDocument
from assay.ingest.archive import Archive
from assay.ingest.xml import local, parse, relations

_PLACEHOLDERS = frozenset(("", "powerpoint presentation", "word document", "untitled", "title", "presentation"))


def core_title(archive: Archive) -> str:
    """The title in the file's properties; "" where there is none or a program put a placeholder there."""
    for kind, member in relations(archive, "").values():
        if kind == "core-properties" and member in archive.names:
            try:
                root = parse(archive.read(member), member)
            except UnreadableDocument:  # the properties are an extra; the text is read without them
                return ""
            title = next((element.text or "" for element in root if local(element) == "title"), "").strip()
            return "" if title.lower() in _PLACEHOLDERS else title
    return ""
