"""Old presentations (.ppt): the text atoms of the main stream, slide by slide.

After [MS-PPT]: record headers in section 2.3.1, text atoms in 2.9.42-45, the slide list in 2.4.14.3.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from assay.errors import EmptyDocument
from assay.ingest.compound import CompoundFile
from assay.ingest.outline import Blocks
from assay.types import Loaded, Location

_CHARACTERS, _BYTES = 0x0FA0, 0x0FA8
_SLIDE_PERSIST, _SLIDE, _NOTES, _MASTER = 0x03F3, 0x03EE, 0x03F0, 0x03F8
_HEADER = struct.Struct("<HHI")


@dataclass(frozen=True, slots=True)
class _Record:
    """One record: its type, its bytes (b"" for a container, whose records follow)."""

    kind: int
    data: bytes


class PptLoader:
    """Reads the text of slides and notes; that of masters is left out."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The slides' text; raises EmptyDocument, UnreadableDocument."""
        stream = CompoundFile(data, name).read("PowerPoint Document")
        blocks = Blocks()
        # Slides are counted twice: in the list of slides, which holds most text, and as slides of their own.
        counts = {_SLIDE_PERSIST: 0, _SLIDE: 0}
        slide = 0
        is_master = False
        seen: set[str] = set()
        for record in _records(stream):
            if record.kind in counts:
                counts[record.kind] += 1
                slide = counts[record.kind]
            if record.kind in (_SLIDE_PERSIST, _SLIDE, _NOTES, _MASTER):
                is_master = record.kind == _MASTER
            elif record.kind in (_CHARACTERS, _BYTES) and not is_master:
                text = _text(record)
                if text not in seen:
                    seen.add(text)
                    blocks.add(text, Location(slide=slide or None))
        if not blocks.text:
            raise EmptyDocument(f"{name}: no text on its slides", hint="only pictures? run OCR over them first")
        return Loaded(blocks.text, "ppt", blocks.text.split("\n")[0][:120], blocks.regions)


def _records(stream: bytes) -> Iterator[_Record]:
    """The records in order; a container is followed by what it holds."""
    at = 0
    while at + _HEADER.size <= len(stream):
        version, kind, length = _HEADER.unpack_from(stream, at)
        at += _HEADER.size
        if version & 0xF == 0xF:
            yield _Record(kind, b"")
        else:
            yield _Record(kind, stream[at : at + length])
            at += length


def _text(record: _Record) -> str:
    encoding = "utf-16-le" if record.kind == _CHARACTERS else "latin-1"
    text = record.data.decode(encoding, errors="replace").replace("\r", "\n").replace("\v", "\n")
    return "\n".join(line.strip() for line in text.split("\n") if line.strip(" *"))
