"""The libraries of each format, preloaded into the helper once a document of that format was read."""

from __future__ import annotations

import importlib
import re

_LIBRARIES = {
    "docx": ("lxml.etree",),
    "epub": ("lxml.etree",),
    "html": ("lxml.etree",),
    "mail": ("lxml.etree",),
    "pdf": ("pypdfium2",),
    "pptx": ("lxml.etree",),
    "xlsx": ("lxml.etree",),
}
_FORMAT = re.compile(rb'"format": "(\w+)"')


def preload(reply: bytes) -> None:
    """Load the libraries of a reply's format, so that later children inherit them."""
    match = _FORMAT.search(reply)
    for library in _LIBRARIES.get(match.group(1).decode() if match else "", ()):
        importlib.import_module(library)
