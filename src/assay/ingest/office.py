"""Common parts of office files."""

from __future__ import annotations

from typing import Any

from assay.errors import UnreadableDocument
from assay.ingest.archive import Archive, resolve_member
from assay.nlp.publication_date import date_of
from assay.types import Metadata

# XML is parsed without entities or network, up to libxml2's own depth limit (256).


def parse(data: bytes, name: str) -> Any:
    """Parse XML and return the root element; raises UnreadableDocument if it is invalid."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableDocument(f"{name}: {error}", hint="save it again with the program that made it") from error


def local(element: Any) -> str:
    """An element's name without its namespace; "" for comments and the like.

    The transitional and strict variants of office files differ only in namespaces.
    """
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str | None:
    """The attribute of that local name, in any namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def relations(archive: Archive, member: str) -> dict[str, tuple[str, str]]:
    """The relations of a member: id → (last part of the type, member)."""
    folder, _, file = member.rpartition("/")
    path = f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels"
    if path not in archive.names:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for element in parse(archive.read(path), path):
        if local(element) == "Relationship" and element.get("TargetMode") != "External":
            kind = (element.get("Type") or "").rpartition("/")[2]
            found[element.get("Id") or ""] = (kind, resolve_member(member, element.get("Target") or ""))
    return found


# The usual place of the main part, if the package does not name it.
_USUAL_PLACES = ("word/document.xml", "ppt/presentation.xml", "xl/workbook.xml")


def main_member(archive: Archive, name: str) -> str:
    """The member that the package names as its document, or else the usual one."""
    named = [member for kind, member in relations(archive, "").values() if kind == "officeDocument"]
    for member in (*named, *_USUAL_PLACES):
        if member in archive.names:
            return member
    raise UnreadableDocument(f"{name}: names no main part", hint="save it again with the program that made it")


_PLACEHOLDERS = frozenset(("", "powerpoint presentation", "word document", "untitled", "title", "presentation"))
# The dates of the templates of python-docx and python-pptx.
_TEMPLATES = frozenset(("2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z", "2013-01-27T09:15:58Z"))


def core_title(archive: Archive) -> str:
    """The title in the file's properties; "" if missing or a placeholder."""
    title = _properties(archive).get("title", "")
    return "" if title.lower() in _PLACEHOLDERS else title


def core_date(archive: Archive) -> Metadata:
    """The date of modification or creation in the properties; empty for a template's dates."""
    properties = _properties(archive)
    for name in ("modified", "created"):
        day = date_of(properties.get(name, ""))
        if day is not None and properties[name] not in _TEMPLATES:
            return {name: day}
    return {}


def _properties(archive: Archive) -> dict[str, str]:
    """The file's properties by name."""
    for kind, member in relations(archive, "").values():
        if kind == "core-properties" and member in archive.names:
            try:
                root = parse(archive.read(member), member)
            except UnreadableDocument:  # properties are optional
                return {}
            return {local(element): (element.text or "").strip() for element in root}
    return {}
