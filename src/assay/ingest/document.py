"""From what a loader read to the document that is stored."""

from __future__ import annotations

import hashlib
import re

from assay.text.language import language_of
from assay.text.written import STATED, date_in, date_in_name, date_stated
from assay.types import Document, EmbeddingModel, Loaded, Metadata

# Languages written in Latin script share many word pieces with English; the model reads them poorly, yet reads
# them. Other scripts become unknown tokens.
_OTHER_SCRIPTS = frozenset("ja ko zh th he ar hi el ru".split())
WORDS_ONLY = "searched by words only: the embedding model does not read its script"
_TITLE_LENGTH = 200
_SAMPLE = 4000
_SEPARATORS = re.compile(r"[_\s]+|(?<=\w)-(?=\w)")


def id_of(source: str, part: str = "") -> str:
    """The id of the document at a source: 32 hex digits; `part` tells several in one file apart.

    >>> id_of("/notes/tea.md") == id_of("/notes/tea.md"), id_of("/notes/tea.md") == id_of("/notes/tea.md", "2")
    (True, False)
    """
    return hashlib.sha256(f"{source}\0{part}".encode(errors="surrogatepass")).hexdigest()[:32]


def title_of(given: str, name: str) -> str:
    """The given title in one line; else the file's name without its ending, read as words.

    >>> title_of("", "annual_report-2023.pdf"), title_of(" Tea  time ", "x.md")
    ('annual report 2023', 'Tea time')
    """
    stem, dot, ending = name.rpartition(".")
    bare = stem if dot and stem and len(ending) <= 5 else name
    return " ".join((given.strip() or _SEPARATORS.sub(" ", bare)).split())[:_TITLE_LENGTH].strip()


def document_of(
    loaded: Loaded,
    *,
    document_id: str,
    source: str,
    name: str,
    bytes_sha256: str,
    model: EmbeddingModel,
    metadata: Metadata | None = None,
) -> Document:
    """The document that a file's (already normalised) content becomes, under the given id.

    Where its metadata does not say when it was published, a `date` is added that its head or its name gives.
    """
    known = dict(loaded.metadata) | dict(metadata or {})
    if date_in(known, STATED) is None and (day := date_stated(loaded.text) or date_in_name(name)):
        known.setdefault("date", day)
    return Document(
        document_id=document_id,
        text=loaded.text,
        title=title_of(loaded.title, name),
        source=source,
        format=loaded.format,
        bytes_sha256=bytes_sha256,
        regions=loaded.regions,
        metadata=known,
        warnings=loaded.warnings + script_warnings(loaded.text, model),
    )


def script_warnings(text: str, model: EmbeddingModel) -> tuple[str, ...]:
    """A warning where the text's script is one that the embedding model was not made for."""
    if text.isascii():
        return ()
    middle = len(text) // 2
    language = language_of(text[:_SAMPLE] + text[max(_SAMPLE, middle) : middle + _SAMPLE])
    return (WORDS_ONLY,) if language in _OTHER_SCRIPTS and language not in model.languages else ()
