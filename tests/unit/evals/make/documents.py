"""Documents of a few lines, and draws that can be repeated."""

from __future__ import annotations

import random

from assay.types import Document


def document(text: str, *, title: str = "Hall", document_id: str = "d", format: str = "markdown") -> Document:
    return Document(document_id, text, title, f"/docs/{document_id}.md", format, "")


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a draw that can be repeated
