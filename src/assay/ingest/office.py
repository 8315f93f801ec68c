"""What all office files share."""

from __future__ import annotations

from assay.errors import UnreadableDocument
from assay.ingest.archive import Archive
from assay.ingest.xml import local, parse, relations
from assay.text.written import date_of
from assay.types import Metadata

_PLACEHOLDERS = frozenset(("", "powerpoint presentation", "word document", "untitled", "title", "presentation"))
# The dates of the templates from which python-docx and python-pptx make every file.
_TEMPLATES = frozenset(("2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z", "2013-01-27T09:15:58Z"))


def core_title(archive: Archive) -> str:
    """The title in the file's properties; "" where there is none or a program put a placeholder there."""
    title = _properties(archive).get("title", "")
    return "" if title.lower() in _PLACEHOLDERS else title


def core_date(archive: Archive) -> Metadata:
    """When the file was changed, else made, by its properties; nothing where a template's dates stand there."""
    properties = _properties(archive)
    for name in ("modified", "created"):
        day = date_of(properties.get(name, ""))
        if day is not None and properties[name] not in _TEMPLATES:
            return {name: day}
    return {}


def _properties(archive: Archive) -> dict[str, str]:
    """What the file's properties say, by their names."""
    for kind, member in relations(archive, "").values():
        if kind == "core-properties" and member in archive.names:
            try:
                root = parse(archive.read(member), member)
            except UnreadableDocument:  # the properties are an extra; the text is read without them
                return {}
            return {local(element): (element.text or "").strip() for element in root}
    return {}
