"""Cut a document into passages at headings, paragraphs, rows and sentences; sizes are in tokens.

Passages tile the text: joined, they are the text without its outer white space. A passage that begins within a
table carries the table's header.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from itertools import pairwise, takewhile

from assay.ingest.tables import Table, first_word, names_columns, tables_of
from assay.nlp.publication_date import date_in
from assay.nlp.sentences import sentences
from assay.types import Document, Location, Origin, Passage, Place, Region, Span

# Tokens that the bundled embedding model reads: 256 less two special tokens.
LIMIT = 254
# Long enough for an answer with its context, short enough to leave room for the title: chosen.
SIZE = 200
# A tokenizer may read a million letters as one unknown token; a token counts for at most this many: chosen.
CHARACTERS_A_TOKEN = 10
# Longer text is cut before counting its tokens, so that counting stays cheap: chosen.
COUNTED_AT_ONCE = 2000
# Between the headings of a section's path.
PATH = " > "
# Ends of lines that lead to a list, a table or code.
_LEADS_IN = (":", "：")
# The largest share of a passage that a table's header may take: chosen.
_HEADER_SHARE = 0.4
# Characters after which a hard cut may fall, in order of preference.
_CUT_BEHIND = ("\n", ";:；：、，,", " \t\u3000")


class Edge(IntEnum):
    """Kinds of places for a cut, the least suitable first."""

    GLUED = 0
    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 3
    HEADING = 4
    PART = 5


# The least share of a passage's size before a cut at each kind of edge: chosen, so that a better edge is preferred
# to a fuller passage, within limits. A new slide or sheet always begins a passage; a heading does unless the
# section before it is very short, so that a citation names the section of its words.
_FILLED = {Edge.GLUED: 1.0, Edge.SENTENCE: 0.5, Edge.LINE: 0.5, Edge.PARAGRAPH: 0.5, Edge.HEADING: 0.25}


@dataclass(frozen=True, slots=True)
class _Unit:
    """A span that is not cut further; `edge` is the kind of edge before it.

    `header`: the columns, if the span is part of a table but not its first row. `above`: the header's tokens.
    """

    start: int
    end: int
    tokens: int
    edge: Edge
    header: str = ""
    above: int = 0


class PassageSplitter:
    """Cuts documents into passages of about `size` tokens, at most `limit` including the title.

    `count_tokens` counts the embedding model's tokens of a text, without special tokens or truncation.
    """

    def __init__(self, count_tokens: Callable[[str], int], size: int = SIZE, limit: int = LIMIT) -> None:
        self._count_tokens = count_tokens
        self._size = size
        self._limit = limit

    def split(self, document: Document) -> tuple[Passage, ...]:
        """Cut a document into passages; empty if its text is only white space.

        >>> document = Document("d", "One two. Three four. Five six.", "", "", "text", "")
        >>> [p.text for p in PassageSplitter(lambda text: len(text.split()), limit=4).split(document)]
        ['One two. Three four. ', 'Five six.']
        """
        room = max(self._limit // 2, self._limit - self._tokens(document.title))
        size = min(self._size, room)
        units = list(self._under_headers(document, self._units(document, size, room), room))
        if not units:
            return ()
        firsts = [units[first] for first in _cuts(units, _even_size(units, size, room), room)]
        ends = [*(unit.start for unit in firsts[1:]), units[-1].end]
        spans = [Span(unit.start, end) for unit, end in zip(firsts, ends, strict=True)]
        revision = document.revision
        locate = _Locator(document.regions)
        lines = _lines(document, spans)
        return tuple(
            _passage(document, revision, span, locate, line, unit.header)
            for unit, span, line in zip(firsts, spans, lines, strict=True)
        )

    def _tokens(self, text: str) -> int:
        return max(self._count_tokens(text), -(-len(text) // CHARACTERS_A_TOKEN))

    def _units(self, document: Document, size: int, room: int) -> Iterator[_Unit]:
        """The units of the text, without outer white space."""
        text = document.text
        begin, finish = len(text) - len(text.lstrip()), len(text.rstrip())
        if begin >= finish:
            return
        if finish - begin <= COUNTED_AT_ONCE and not document.regions:
            tokens = self._tokens(text[begin:finish])
            if tokens <= room:
                yield _Unit(begin, finish, tokens, Edge.PART)
                return
        edges = _edges(text, document.regions, begin, finish)
        starts = sorted(edges)
        for start, end in zip(starts, [*starts[1:], finish], strict=True):
            yield from self._shorten(text, start, end, edges[start], size)

    def _under_headers(self, document: Document, units: Iterator[_Unit], room: int) -> Iterator[_Unit]:
        """Add to units within a table its header, as far as that leaves room for rows."""
        tables = [table for table in tables_of(document.text, document.regions) if table.header]
        starts = [table.start for table in tables]
        fitting = cache(lambda header: self._fit_header(header, int(room * _HEADER_SHARE)))
        for unit in units:
            at = bisect_right(starts, unit.start) - 1
            if at >= 0 and tables[at].start + len(tables[at].header) < unit.start < tables[at].end:
                header, tokens = fitting(tables[at].header)
                yield replace(unit, header=header, above=tokens)
            else:
                yield unit

    def _fit_header(self, header: str, most: int) -> tuple[str, int]:
        """The header, cut to at most `most` tokens, and its number of tokens."""
        tokens = self._tokens(header)
        while tokens > most and header:
            header = header[: len(header) * most // (tokens + 1)].rstrip()
            tokens = self._tokens(header)
        return header, tokens

    def _shorten(self, text: str, start: int, end: int, edge: Edge, size: int) -> Iterator[_Unit]:
        """The span as one unit, or as several if it does not fit into a passage."""
        length = COUNTED_AT_ONCE
        while start < end:
            stop = end if end - start <= length else _hard_cut(text, start, start + length)
            tokens = self._tokens(text[start:stop])
            while tokens > size and stop - start > 1:
                stop = _hard_cut(text, start, start + max(1, (stop - start) * size // (tokens + 1)))
                tokens = self._tokens(text[start:stop])
            # White space alone makes no passage; it stays with the text before it.
            yield (
                _Unit(start, stop, tokens, edge) if text[start:stop].strip() else _Unit(start, stop, 0, Edge.GLUED)
            )
            # The next piece is probably as dense as this one, so little is counted twice.
            length = min(COUNTED_AT_ONCE, (stop - start) * 5 // 4 + 1)
            start, edge = stop, Edge.SENTENCE


def _hard_cut(text: str, start: int, stop: int) -> int:
    """An offset for a cut in the second half before `stop`, after punctuation or white space if possible."""
    half = start + (stop - start + 1) // 2
    for marks in _CUT_BEHIND:
        place = max(text.rfind(mark, half, stop) for mark in marks)
        if place != -1:
            return place + 1
    return stop


def _edges(text: str, regions: tuple[Region, ...], begin: int, finish: int) -> dict[int, Edge]:
    """All offsets at which the text may be cut, with their edges."""
    tables = list(tables_of(text, regions))
    edges = {begin: Edge.PART}
    for sentence in sentences(text):
        if begin < sentence.start < finish:
            edges[sentence.start] = _edge_before(text, sentence.start)
    for table in tables:
        _cut_by_rows(edges, text, table, begin, finish)
    previous = Location()
    for region in regions:
        _mark_region(edges, text, region, previous, begin, finish)
        previous = region.location
    _glue_headers(edges, text, tables)
    return edges


def _edge_before(text: str, start: int) -> Edge:
    """The edge before a sentence, by the white space and the line before it."""
    before = text[max(0, start - 64) : start].rstrip()
    breaks = text.count("\n", max(0, start - 64) + len(before), start)
    if breaks and before.endswith(_LEADS_IN):
        return Edge.GLUED
    return Edge.PARAGRAPH if breaks > 1 else Edge.LINE if breaks else Edge.SENTENCE


def _cut_by_rows(edges: dict[int, Edge], text: str, table: Table, begin: int, finish: int) -> None:
    """Replace the edges within a table by one per row; the header stays with the first row."""
    for place in range(table.start + 1, table.end):
        edges.pop(place, None) if place != begin else None
    place = text.find("\n", table.start, table.end) + 1
    while 0 < place < min(table.end, finish):
        if place > begin and not text[place].isspace():
            edges[place] = Edge.GLUED if place <= table.first_row else Edge.LINE
        place = text.find("\n", place, table.end) + 1


def _glue_headers(edges: dict[int, Edge], text: str, tables: list[Table]) -> None:
    """Keep a header with its first row if each row is a separate region."""
    ends = -1
    for table, row in pairwise(tables):
        begins, ends = text[ends : table.start] != "\n", table.end
        if begins and text[table.end : row.start] == "\n" and row.start in edges and names_columns(text, table):
            edges[row.start] = Edge.GLUED


def _mark_region(
    edges: dict[int, Edge], text: str, region: Region, previous: Location, begin: int, finish: int
) -> None:
    """Set the edge of a region; a heading is kept with what follows it."""
    start = first_word(text, region.start, region.end)
    if begin < start < finish:
        here = region.location
        if (here.slide, here.sheet) != (previous.slide, previous.sheet):
            edges[start] = Edge.PART
        elif region.kind == "heading":
            edges[start] = Edge.HEADING
        elif text[region.start - 1 : region.start] != " ":  # do not cut a sentence at a page break
            edges.setdefault(start, Edge.LINE)
    if region.kind == "heading":
        for place in [*range(start + 1, region.end)]:
            edges.pop(place, None)
        after = first_word(text, region.end, len(text))
        if begin < after < finish:
            edges[after] = Edge.GLUED


def _even_size(units: list[_Unit], size: int, room: int) -> int:
    """The size to aim at: `room` if everything fits into one passage, half of everything if it needs two."""
    total = sum(unit.tokens for unit in units)
    if total <= room:
        return room
    # A tenth more than half, since cuts rarely fall exactly in the middle.
    return min(size, -(-total * 11 // 20)) if total <= 2 * size else size


def _cuts(units: list[_Unit], size: int, room: int) -> list[int]:
    """The indices of the units that begin a passage."""
    cuts = [0]
    while True:
        following = _passage_end(units, cuts[-1], size, room)
        if following is None:
            break
        cuts.append(following)
    _merge_rest(units, cuts, size, room)
    return cuts


def _passage_end(units: list[_Unit], first: int, size: int, room: int) -> int | None:
    """The unit before which the passage that begins at `first` ends; None if it takes all the rest."""
    tokens, best, best_edge = units[first].above, first + 1, Edge.GLUED
    for number in range(first, len(units)):
        unit = units[number]
        if number > first:
            if unit.edge is Edge.PART or (unit.edge is Edge.HEADING and tokens >= _FILLED[Edge.HEADING] * size):
                return number
            if tokens >= _FILLED[unit.edge] * size and unit.edge >= best_edge:
                best, best_edge = number, unit.edge
            elif best_edge is Edge.GLUED and unit.edge is not Edge.GLUED:
                best = number
            # Text glued to a heading may use the reserve.
            if tokens + unit.tokens > (room if unit.edge is Edge.GLUED else size):
                return best
        tokens += unit.tokens
    return None


def _merge_rest(units: list[_Unit], cuts: list[int], size: int, room: int) -> None:
    """Join a short last passage to the one before it if both fit the model together."""
    if len(cuts) < 2 or units[cuts[-1]].edge is Edge.PART:
        return
    last = sum(unit.tokens for unit in units[cuts[-1] :])
    both = last + units[cuts[-2]].above + sum(unit.tokens for unit in units[cuts[-2] : cuts[-1]])
    if last < size // 5 and both <= room:
        cuts.pop()


class _Locator:
    """Finds the locations of a document's spans."""

    def __init__(self, regions: tuple[Region, ...]) -> None:
        self._regions = regions
        self._starts = [region.start for region in regions]

    def __call__(self, start: int, end: int) -> Location:
        """The location of a span's start; for several sections, the common prefix of their paths."""
        first = bisect_right(self._starts, start) - 1
        if first < 0:
            return Location()
        location = self._regions[first].location
        sections = {
            region.location.section or "" for region in self._regions[first : bisect_left(self._starts, end)]
        }
        if len(sections) == 1:
            return location
        return replace(location, section=_common_path(sections) or None)

    def places(self, start: int, end: int) -> tuple[Place, ...]:
        """Each location within a span and its start; empty if there is only the span's own."""
        first = max(0, bisect_right(self._starts, start) - 1)
        found: list[Place] = []
        for region in self._regions[first : bisect_left(self._starts, end)]:
            if not found or found[-1].location != region.location:
                found.append(Place(max(start, region.start), region.location))
        if found and found[0].start > start:
            found.insert(0, Place(start, Location()))
        location = self(start, end)
        return () if all(place.location == location for place in found) else tuple(found)


def _common_path(sections: set[str]) -> str:
    """The common prefix of section paths.

    >>> _common_path({"The loop > Judge", "The loop > Write"})
    'The loop'
    """
    paths = [section.split(PATH) for section in sections]
    return PATH.join(step[0] for step in takewhile(lambda step: len(set(step)) == 1, zip(*paths, strict=False)))


def _lines(document: Document, spans: list[Span]) -> Iterator[int | None]:
    """The line number of each span's start, from 1; None if the format has no lines."""
    line, at = 1, 0
    for span in spans:
        line += document.text.count("\n", at, span.start)
        at = span.start
        yield line if document.has_lines else None


def _passage(
    document: Document, revision: str, span: Span, locate: _Locator, line: int | None, header: str
) -> Passage:
    return Passage(
        passage_id=Passage.id_for(document.document_id, revision, span.start, span.end),
        document_id=document.document_id,
        revision=revision,
        start=span.start,
        end=span.end,
        text=document.text[span.start : span.end],
        title=document.title,
        location=locate(span.start, span.end),
        metadata=document.metadata,
        origin=Origin(date=date_in(document.metadata)),
        source=document.source,
        line=line,
        places=locate.places(span.start, span.end),
        header=header,
    )
