"""Plain text."""

from __future__ import annotations

from assay.errors import EmptyDocument
from assay.ingest.decode import decode
from assay.types import Loaded


class TextLoader:
    """Reads bytes in whatever encoding they are."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text as it stands; raises EmptyDocument where it is only white space.

        >>> TextLoader().load(b"Water boils at 100 degrees.", "water.txt").text
        'Water boils at 100 degrees.'
        """
        decoded = decode(data)
        if not decoded.text.strip("\0 \t\r\n\v\f\u00a0\ufeff"):
            raise EmptyDocument(f"{name}: only white space", hint="nothing to do; the file holds no text")
        return Loaded(text=decoded.text, format="text", warnings=decoded.warnings)
