"""Comma-separated values, whatever separates them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.blocks import Blocks
from assay.ingest.decode import decode
from assay.ingest.table import Row, row_lines
from assay.types import Loaded, Location

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 50


class CsvLoader:
    """Reads rows; each becomes a line that names its columns."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The rows as lines, each with its number; raises EmptyDocument, UnreadableDocument.

        >>> CsvLoader().load(b"city;people\\nUlm;126000\\n", "x.csv").text
        'city | people\\ncity: Ulm; people: 126000'
        """
        decoded = decode(data)
        blocks = Blocks()
        for line in row_lines(_rows(decoded.text, name)):
            blocks.add(line.text, Location(row=line.number), "table", gap="\n")
        if not blocks.text:
            raise EmptyDocument(f"{name}: no row holds anything", hint="nothing to do; the table is empty")
        return Loaded(blocks.text, "csv", regions=blocks.regions, warnings=decoded.warnings)


def delimiter_of(text: str) -> str:
    """The character that separates cells: the one that cuts the first lines most evenly into most cells.

    >>> delimiter_of("a;b\\n1,5;2\\n"), delimiter_of("one column\\n")
    (';', ',')
    """
    lines = [line for line in text[: 1 << 16].splitlines()[:_SAMPLE_LINES] if line.strip()]
    return max(_DELIMITERS, key=lambda delimiter: evenness(lines, delimiter))


def evenness(lines: list[str], delimiter: str) -> float:
    """How well a delimiter fits: the share of lines with the commonest number of cells, weighed by that number."""
    counts = [line.count(delimiter) for line in lines]
    if not any(counts):
        return 0.0
    common = max(set(counts) - {0}, key=lambda count: (counts.count(count), count))
    return counts.count(common) / len(counts) * (1 + min(common, 20) / 20)


def _rows(text: str, name: str) -> Iterator[Row]:
    """The rows with their cells; the default limit of 128 KiB a cell is lifted to the text's length."""
    csv.field_size_limit(max(len(text), 1 << 17))
    reader = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter_of(text))
    try:
        for number, cells in enumerate(reader, 1):
            yield Row(number, tuple(cells))
    except csv.Error as error:
        raise UnreadableDocument(f"{name}: {error}", hint="check the quotes in it") from error
