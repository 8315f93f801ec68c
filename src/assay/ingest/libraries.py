"""The libraries behind each format, loaded into the helper once a document of that format was read."""

from __future__ import annotations

import importlib
import re
from contextlib import suppress

_LIBRARIES = {
    "html": ("lxml.html", "trafilatura"),
    "epub": ("lxml.html",),
    "pdf": ("pypdfium2",),
    "docx": ("docx",),
    "pptx": ("pptx",),
    "xlsx": ("openpyxl",),
}
_FORMAT = re.compile(rb'"format": "(\w+)"')


def preload(reply: bytes) -> None:
    """Load the libraries of the format that a reply names, so that the next child has them from birth."""
    match = _FORMAT.search(reply)
    for library in _LIBRARIES.get(match.group(1).decode() if match else "", ()):
        with suppress(ImportError):  # the loader itself says what to install
            importlib.import_module(library)
