"""The file that a stored document was read from, if it is still the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from assay.errors import DocumentError
from assay.ingest.files import LARGEST_FILE, open_file
from assay.types import Document


@dataclass(frozen=True, slots=True)
class Original:
    """The bytes that were read; None where they are gone. `exact` says whether they are there, None if unknown."""

    data: bytes | None
    exact: bool | None


def read_original(document: Document) -> Original:
    """The bytes of a document's file, if they are those that it was made of."""
    if document.format == "jsonl":  # one line of many, which is not looked for
        return Original(None, None)
    try:
        with open_file(Path(document.source)) as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, DocumentError, ValueError):  # gone, unreadable, no file any more, or no path at all
        return Original(None, False)
    same = hashlib.sha256(data).hexdigest() == document.bytes_sha256
    return Original(data if same else None, same)
