"""Presentations, read from their XML: slides in order with titles, shapes in groups, tables and notes."""

from __future__ import annotations

import re
from typing import Any

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.archive import Archive
from assay.ingest.list_marks import count_in
from assay.ingest.office import attribute, core_date, core_title, local, main_member, parse, relations
from assay.ingest.office_drawings import add_drawing, drawing_lines, is_drawing
from assay.ingest.outline import Blocks
from assay.ingest.tables import plain_row
from assay.types import Loaded, Location

# Numbers of lists: ECMA-376 part 1, section 20.1.10.61.
_SCHEME = re.compile(r"(?P<form>arabic|alphaLc|alphaUc|romanLc|romanUc)(?P<around>Period|ParenR|ParenBoth|Plain)")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_AROUND = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")"), "Plain": ("", "")}
_TITLE_KINDS = frozenset(("title", "ctrTitle"))
# Placeholders whose text the master repeats on every slide.
_FURNITURE = frozenset(("dt", "ftr", "sldNum", "hdr", "sldImg"))


class PptxLoader:
    """Reads .pptx files."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The slides' text, notes included; raises EmptyDocument, UnreadableDocument."""
        archive = Archive(data, name)
        blocks = Blocks()
        title = ""
        slides = _slides(archive, name)
        for number, member in enumerate(slides, 1):
            heading = _slide(blocks, archive, member, number)
            title = title or heading
        if not blocks.text:
            what = "no text on its slides" if slides else "no slides"
            raise EmptyDocument(f"{name}: {what}", hint="only pictures? run OCR over them first")
        return Loaded(blocks.text, "pptx", core_title(archive) or title, blocks.regions, core_date(archive))


def _slides(archive: Archive, name: str) -> list[str]:
    """The members of the slides, in the order in which they are shown."""
    member = main_member(archive, name)
    related = relations(archive, member)
    found = []
    for element in parse(archive.read(member), name).iter():
        if local(element) == "sldId":
            # The attribute r:id, not the slide's own id.
            relation = next((value for key, value in element.attrib.items() if key.endswith("}id")), "")
            _, slide = related.get(str(relation), ("", ""))
            if slide in archive.names:
                found.append(slide)
    return found


def _slide(blocks: Blocks, archive: Archive, member: str, number: int) -> str:
    """Add one slide and its notes; return its title."""
    root = parse(archive.read(member), member)
    shapes = _shapes(root)
    related = relations(archive, member)
    title = " ".join(" ".join(_text(shape) for shape in shapes if _placeholder(shape) in _TITLE_KINDS).split())
    location = Location(slide=number, section=title[:120] or None)
    blocks.add(title, location, "heading")
    for shape in shapes:
        if local(shape) == "tbl":
            _table(blocks, shape, location)
        elif is_drawing(shape):
            add_drawing(blocks, drawing_lines(archive, shape, related), location)
        elif _placeholder(shape) not in _TITLE_KINDS | _FURNITURE:
            blocks.add(_text(shape), location)
    for kind, notes in related.values():
        if kind == "notesSlide" and notes in archive.names:
            _notes(blocks, archive, notes, location)
    return title


def _notes(blocks: Blocks, archive: Archive, member: str, location: Location) -> None:
    try:
        shapes = _shapes(parse(archive.read(member), member))
    except UnreadableDocument:  # a slide is read without its notes rather than not at all
        return
    text = "\n".join(_text(shape) for shape in shapes if _placeholder(shape) not in _FURNITURE).strip()
    blocks.add(f"Notes: {text}" if text else "", location)


def _shapes(root: Any) -> list[Any]:
    """The shapes and tables in document order, those inside of groups too."""
    found: list[Any] = []
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if local(element) in ("sp", "tbl", "cxnSp") or is_drawing(element):
            found.append(element)
        elif local(element) != "Fallback":
            waiting.extend(reversed(element))
    return found


def _placeholder(shape: Any) -> str:
    """The kind of placeholder that a shape fills; "" for none."""
    for element in shape.iter():
        if local(element) == "ph":
            return attribute(element, "type") or "body"
    return ""


def _text(shape: Any) -> str:
    """The text of a shape, a line a paragraph, with the numbers of lists."""
    lines = []
    counts: dict[int, int] = {}
    for paragraph in shape.iter():
        if local(paragraph) == "p":
            parts = [{"t": element.text or "", "br": "\n"}.get(local(element), "") for element in paragraph.iter()]
            text = "".join(parts).strip()
            label = _label(paragraph, counts) if text else ""
            lines.append(f"{label} {text}".strip())
    return "\n".join(line for line in lines if line)


def _label(paragraph: Any, counts: dict[int, int]) -> str:
    """The number of a paragraph of a list; "" without one. `counts`: the numbers of the levels before, and grow."""
    properties = next((element for element in paragraph if local(element) == "pPr"), None)
    if properties is None:
        counts.clear()
        return ""
    level = properties.get("lvl") or "0"
    depth = int(level) if level.isdigit() else 0
    for deeper in [at for at in counts if at > depth]:
        del counts[deeper]
    numbering = next((element for element in properties if local(element) == "buAutoNum"), None)
    if numbering is None:
        counts.pop(depth, None)
        return ""
    start = numbering.get("startAt") or "1"
    counts[depth] = counts[depth] + 1 if depth in counts else int(start) if start.isdigit() else 1
    scheme = _SCHEME.match(numbering.get("type") or "")
    before, behind = _AROUND.get(scheme["around"], ("", ".")) if scheme else ("", ".")
    return f"{before}{count_in(_FORMS.get(scheme['form'], '') if scheme else '', counts[depth])}{behind}"


def _table(blocks: Blocks, table: Any, location: Location) -> None:
    gap = "\n\n"
    for row in table:
        if local(row) == "tr":
            cells = [" ".join(_text(cell).split()) for cell in row if local(cell) == "tc"]
            line = plain_row(cells)
            blocks.add(line, location, "table", gap)
            gap = "\n" if line else gap
