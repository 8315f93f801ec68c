"""Which format a file's bytes are in: told by the bytes, not by the name."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import EmptyDocument, UnsupportedDocument
from assay.ingest.normalise import normalise
from assay.stages import Loader
from assay.types import Loaded


def detect(data: bytes, name: str) -> str:
    """The format's name.

    >>> detect(b"# Tea", "tea.md"), detect(b"# Tea", "tea.txt")
    ('markdown', 'text')
    """
    return "markdown" if name.lower().endswith((".md", ".markdown", ".mdx")) else "text"


class AnyLoader:
    """Reads every format that it has a loader for, by the name that `detect` gives; text comes normalised."""

    def __init__(self, loaders: Mapping[str, Loader]) -> None:
        self._loaders = loaders

    def load(self, data: bytes, name: str) -> Loaded:
        """The text; raises EmptyDocument, UnsupportedDocument, UnreadableDocument."""
        if not data:
            raise EmptyDocument(f"{name}: zero bytes", hint="nothing to do; the file is empty")
        format_ = detect(data, name)
        loader = self._loaders.get(format_)
        if loader is None:
            raise UnsupportedDocument(f"{name}: {format_} is not read", hint="convert it to text, HTML or PDF")
        return normalise(loader.load(data, name))

    def close(self) -> None:
        """Nothing to release."""
