"""Charts and diagrams of office files: a chart as a table of what it draws, a diagram as lines of its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from assay.errors import UnreadableDocument
from assay.ingest.archive import Archive
from assay.ingest.number_formats import format_number, format_of
from assay.ingest.office import attribute, local, parse
from assay.ingest.outline import Blocks
from assay.ingest.tables import plain_row
from assay.types import Location

# The most points of a chart that are read, and its most series: chosen. More points are a curve.
_MOST_POINTS, _MOST_SERIES = 100, 50


def is_drawing(element: Any) -> bool:
    """Tell whether an element refers to a chart or a diagram."""
    return local(element) in ("chart", "relIds") and any(key.endswith(("}id", "}dm")) for key in element.attrib)


def drawing_lines(archive: Archive, element: Any, related: Mapping[str, tuple[str, str]]) -> list[str]:
    """The lines of the chart or diagram that an element refers to; `related` are its part's relations."""
    reference = attribute(element, "dm" if local(element) == "relIds" else "id") or ""
    _, member = related.get(reference, ("", ""))
    if member not in archive.names:
        return []
    try:
        root = parse(archive.read(member), member)
    except UnreadableDocument:  # a file is read without a drawing rather than not at all
        return []
    if local(element) == "relIds":
        return [line for point in root.iter() if local(point) == "pt" and (line := _text(point))]
    return list(_chart(root))


def add_drawing(blocks: Blocks, lines: Sequence[str], location: Location) -> None:
    """Add the lines of a drawing: those of cells as a table, others as text."""
    gap = "\n\n"
    for line in lines:
        blocks.add(line, location, "table" if " | " in line else "text", gap)
        gap = "\n"


def _chart(root: Any) -> Iterator[str]:
    """The title of a chart, and a row for each of its categories, with the values of all series."""
    chart = next((element for element in root.iter() if local(element) == "chart"), None)
    if chart is None:
        return
    title = next((_text(element) for element in chart if local(element) == "title"), "")
    series = [element for element in chart.iter() if local(element) == "ser"][:_MOST_SERIES]
    names = [_text_of_points(element, ("tx",)) for element in series]
    labels = next(filter(None, (_points(element, ("cat", "xVal")) for element in series)), {})
    values = [_points(element, ("val", "yVal")) for element in series]
    if title:
        yield title
    rows = sorted({place for points in (labels, *values) for place in points})[:_MOST_POINTS]
    if any(names) and rows:
        yield plain_row(["", *names])
    for place in rows:
        line = plain_row([labels.get(place, ""), *(points.get(place, "") for points in values)])
        if line:
            yield line


def _points(series: Any, names: Sequence[str]) -> dict[int, str]:
    """The points of a series that are kept under one of these names, by their number; of levels the first."""
    found: dict[int, str] = {}
    code = ""
    for element in chain.from_iterable(part.iter() for part in series if local(part) in names):
        if local(element) == "formatCode":
            code = element.text or ""
        elif local(element) == "pt" and (element.get("idx") or "").isdigit():
            text = "".join(value.text or "" for value in element if local(value) == "v")
            shown = format_number(text, format_of("", {"": code})) if code else text
            found.setdefault(int(element.get("idx")), " ".join(shown.split()))
    return found


def _text_of_points(series: Any, names: Sequence[str]) -> str:
    """The name of a series."""
    points = _points(series, names)
    texts = (
        element.text or "" for part in series if local(part) in names for element in part if local(element) == "v"
    )
    return " ".join(points.values()) or "".join(texts)


def _text(element: Any) -> str:
    """The text below an element, on one line."""
    return " ".join("".join(part.text or "" for part in element.iter() if local(part) == "t").split())
