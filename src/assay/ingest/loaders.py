"""The one list of loaders: a new format is one file and one line here."""

from __future__ import annotations

from assay.ingest.load_markdown import MarkdownLoader
from assay.ingest.load_text import TextLoader
from assay.stages import Loader

LOADERS: dict[str, Loader] = {"text": TextLoader(), "markdown": MarkdownLoader()}
