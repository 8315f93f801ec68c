"""The loader and the library of each format, preloaded into the helper once a document of that format was read."""

from __future__ import annotations

import importlib
import re

from assay.ingest.loaders import PLACES

_LIBRARIES = {
    "docx": "lxml.etree",
    "epub": "lxml.etree",
    "html": "lxml.etree",
    "mail": "lxml.etree",
    "pdf": "pypdfium2",
    "pptx": "lxml.etree",
    "xlsx": "lxml.etree",
}
_FORMAT = re.compile(rb'"format": "(\w+)"')


def preload(reply: bytes) -> None:
    """Import what read a reply's format, so that later children inherit it."""
    match = _FORMAT.search(reply)
    name = match.group(1).decode() if match else ""
    if name in PLACES:
        importlib.import_module(PLACES[name][0])
    if name in _LIBRARIES:
        importlib.import_module(_LIBRARIES[name])
