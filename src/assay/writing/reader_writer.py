"""Extractive answers by a reader: a short answer first, then the block around it, quoted."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.stages import Embedder, Reader, RowFinder
from assay.nlp.blocks import BlockKind, in_context, passage_blocks, titled, without_markup
from assay.nlp.cues import asks_alone
from assay.nlp.dates import dates, relation
from assay.nlp.names import names
from assay.nlp.numbered import asked_numbers, is_of_none
from assay.nlp.quantities import agree, quantities
from assay.nlp.rivals import Rival, is_of_rival, rivals, titled_without
from assay.nlp.table_cells import Cell, asked_cell, columns_alike, tables
from assay.nlp.tokens import UNSPACED, terms
from assay.types import (
    AnswerSpan,
    AnswerType,
    Evidence,
    Finding,
    Finished,
    FoundRow,
    Passage,
    Question,
    QuestionKind,
    Quote,
    Sentence,
    Span,
)
from assay.writing.blocks import (
    Room,
    Shown,
    asks_for_several,
    exclude_rivals,
    extend_block,
    in_code,
    overlap,
    remainder_notes,
    room_for,
    shown_around,
    with_opening,
)
from assay.writing.extractive import ExtractiveWriter

# Weights of the passage's log odds, the span's log odds, the logarithm of the search rank, and the cosine of block
# and question in the log odds that a block shows the answer (benchmarks/answers/choose.py).
READER_WEIGHT, SPAN_WEIGHT, RANK_WEIGHT, COSINE_WEIGHT = 0.47, 0.27, 0.67, 3.9
# The log odds of a span are clipped to these (chosen).
MOST_SPAN_ODDS = 12.0
# From this probability the answer to a question with a name is treated as spread over passages: half of wiki-mix's
# questions of two steps reach it, and one in two hundred of the others (docs/decisions/156).
STEPS = 0.85
# At most this many spans of a passage are candidates (chosen).
SPANS = 2
# Another block is shown if it is at most e^NEAR times less likely than the best and fits: further blocks cost more
# words than they add golds (benchmarks/answers/choose.py).
NEAR, MOST_BLOCKS = 3.0, 3
# From this share of its characters a block repeats another (chosen).
MOSTLY = 0.5
_ITEM = re.compile(r"\n[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_WORD = re.compile(r"\w+")
# A line with a name and its value, and no other.
_NAME_AND_VALUE = re.compile(r"^(?P<name>[^:;\n]{1,80}): (?P<value>[^;\n]+)$", re.MULTILINE)
# "A priority value" repeats the question "which priority", "the package overcite" answers "which package".
_INDEFINITE, _NOUN_WORDS = ("a ", "an "), 4
# A span with at least these log odds and at most this many words is shown first as the short answer (chosen).
SURE_SPAN, SHORT_WORDS = 2.0, 8
# From this probability the answer begins with yes or no (chosen).
SURE_POLARITY = 0.85
# From these log odds a table's row is shown first, and from the second ones alone (benchmarks/cells/fit.py).
LIKELY_ROW, SURE_ROW = 0.0, 2.3
# From these it is a place among others (chosen).
POSSIBLE_ROW = -1.5
# Two characters of one word, in a script that sets words apart.
_JOINED = re.compile(rf"[^\W_{UNSPACED}][^\W_{UNSPACED}]")
# The beginnings of blocks that keep their lines: lists, tables, code.
_LINES = ("- ", "* ", "+ ", "|", "```", "~~~", "1.", "    ")
_SHORT_TYPES = frozenset(
    {AnswerType.PERSON, AnswerType.PLACE, AnswerType.DATE, AnswerType.NUMBER, AnswerType.NAME, AnswerType.OTHER}
)


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate for the answer: a span of a passage and the block shown around it.

    `odds` are the reader's log odds that the passage answers, `rank` is its search rank from 0, and `cosine` that
    of the block and the question. A place about a `rival` of the thing asked about is never shown, but it counts
    against the separation of the answer. `cell`: one row of a table is shown for the cell that the question asks
    for; one that was `looked_up` by the names of row and column precedes all other places. `row` are the log odds
    that the table row shown answers; None where no row was asked for.
    """

    passage: Passage
    span: AnswerSpan
    shown: Shown
    odds: float
    rank: int
    cosine: float
    rival: bool = False
    cell: bool = False
    looked_up: bool = False
    row: float | None = None

    @property
    def signals(self) -> tuple[float, float, float, float]:
        """The signals of the score: log odds of passage and span, search rank, cosine."""
        span = min(max(self.span.score, -MOST_SPAN_ODDS), MOST_SPAN_ODDS)
        return self.odds, span, -math.log(1 + self.rank), self.cosine

    @property
    def score(self) -> float:
        """The log odds, up to a constant, that of all candidates this block shows the answer.

        A table of which no row is likely to answer is less likely by that.
        """
        weights = (READER_WEIGHT, SPAN_WEIGHT, RANK_WEIGHT, COSINE_WEIGHT)
        score = sum(weight * signal for weight, signal in zip(weights, self.signals, strict=True))
        return score + min(0.0, self.row or 0.0)


@dataclass(frozen=True, slots=True)
class ReaderWriter:
    """Quote whole blocks around the spans where the reader finds the answer, word for word.

    Questions in a language unknown to the reader go to `other`, as do questions with contradictory sources, and
    those of several steps, which no single passage answers. The advice is ignored: a quotation cannot be improved.
    `rows` finds the one row of a table that answers.
    """

    reader: Reader
    embedder: Embedder
    other: ExtractiveWriter
    rows: RowFinder | None = None

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The answer's blocks, likeliest first, then `Finished("stop")`; none if nothing can be quoted."""
        known = question.language in self.reader.model.languages and evidence.hits
        if not known or evidence.contradictions or self._takes_steps(question, evidence):
            async for part in self.other.write(question, evidence, advice):
                yield part
            return
        sentences = await self._sentences(question, evidence)
        for sentence in sentences:
            yield sentence
        yield Finished("stop")

    def _takes_steps(self, question: Question, evidence: Evidence) -> bool:
        """Tell whether the answer needs several passages, starting from a name in the question."""
        named = any(len(name.words) > 1 for name in names(question.standalone))
        return named and self.other.scattered(question, evidence) >= STEPS

    async def _sentences(self, question: Question, evidence: Evidence) -> list[Sentence]:
        parts = [part for part in question.aspects if part not in evidence.uncovered]
        several = len(question.aspects) > 1 and bool(parts)
        room = room_for(question)
        made: list[Sentence] = []
        quoted: list[Shown] = []
        whole = question.standalone
        asked = [part if asks_alone(part) else in_context(part, whole) for part in parts] if several else [whole]
        rivals_found = rivals(question, evidence.passages)
        row = None if several else await self._row(question, evidence, rivals_found)
        for part in asked:
            every = await self.places(part, room, evidence, rivals_found, row, question.answer_type)
            places = _of_asked_number(whole, [place for place in every if not place.rival], evidence)
            taken = choose_places(places, room, made)
            apart = separation(places[0], every) if taken and taken[0] is places[0] else None
            chosen = taken[:1] if several else with_neighbours(taken, room, rivals_found)
            for place in with_opened(question, chosen, rivals_found):
                polarity = await self._polarity(question, place, rivals_found)
                made.append(_sentence(len(made) + 1, question, place, polarity, apart))
                quoted.append(place.shown)
                apart = None
        rests = remainder_notes(question, quoted)
        made = [replace(sentence, text=sentence.text + rest) for sentence, rest in zip(made, rests, strict=True)]
        # The mark goes by what is shown first.
        made = [*made[:1], *(replace(sentence, row=None) for sentence in made[1:])]
        if made and evidence.uncovered:
            named = "; ".join(evidence.uncovered)
            made.append(Sentence(len(made) + 1, f"\n\nThe documents do not answer: {named}."))
        return made

    async def _row(
        self, question: Question, evidence: Evidence, rivals_found: Mapping[str, Sequence[Rival]]
    ) -> FoundRow | None:
        """The row asked for; None without a table, for a row on a rival, and if more than one is asked for."""
        if self.rows is None or asks_for_several(question):
            return None
        row = await self.rows.find(question.standalone, evidence.passages)
        if row is None or row.is_general or is_of_rival(_passage_of(row, evidence), row.line, rivals_found):
            return None
        return row

    async def places(
        self,
        asked: str,
        room: Room,
        evidence: Evidence,
        rivals_found: Mapping[str, Sequence[Rival]],
        row: FoundRow | None = None,
        wanted: AnswerType = AnswerType.OTHER,
    ) -> list[Place]:
        """The likely places of an answer, best first; `rivals_found` are the stretches on rivals, by passage id.

        A passage is read without them, and again with them for the places about rivals. If the question asks for a
        cell of a table, or the `row` of one is likely to answer, nothing else in that table is a place. The odds of
        a row compare it with other rows, so what stands outside the table may be likelier. A reason is `wanted` of
        no cell: the names of rows and columns have no word for "why".
        """
        read = [(rank, passage, False) for rank, passage in enumerate(evidence.passages)]
        read += [(rank, passage, True) for rank, passage, _ in read if passage.passage_id in rivals_found]
        texts = [
            titled(passage) if of_rival else titled_without(passage, rivals_found) for _, passage, of_rival in read
        ]
        readings = await self.reader.read(asked, texts)
        cells = {} if wanted is AnswerType.REASON else _cells_asked(asked, evidence.passages, rivals_found)
        by_rule = frozenset(cells)
        if row is not None and row.odds >= LIKELY_ROW:
            cells.setdefault(row.passage_id, _cell_of(row))
        # The cosines follow below: all blocks are embedded together.
        unscored = [
            Place(passage, span, shown, reading.answerable, rank, 0.0, of_rival, row=_row_odds(row, passage, span))
            for (rank, passage, of_rival), reading in zip(read, readings, strict=True)
            for span in (_with_whole_words(passage.text, span) for span in reading.spans[:SPANS])
            if is_of_rival(passage, Span(span.start, span.end), rivals_found) == of_rival
            if of_rival or not _in_table(passage, span, cells)
            if (around := shown_around(passage, Span(span.start, span.end), room)) is not None
            if (shown := around if of_rival else exclude_rivals(around, rivals_found)) is not None
        ]
        for (rank, passage, of_rival), reading in zip(read, readings, strict=True):
            cell = None if of_rival else cells.get(passage.passage_id)
            is_asked = cell is not None
            if (
                row is not None
                and row.odds >= POSSIBLE_ROW
                and not of_rival
                and row.passage_id == passage.passage_id
            ):
                cell = cell or _cell_of(row)
            if cell is None or cell.is_empty:
                continue
            # What the rule looked up is right more often than the row's odds say (benchmarks/cells/run.py), and no
            # reader of the answer sees that a range holds a number.
            is_rated = row is not None and row.line == cell.row
            is_rated = is_rated and (cell.by_range or passage.passage_id not in by_rule)
            odds = row.odds if row is not None and is_rated else None
            span = AnswerSpan(cell.span.start, cell.span.end, SURE_SPAN if odds is None else odds)
            unscored.append(
                Place(
                    passage,
                    span,
                    _row(passage, cell),
                    reading.answerable,
                    rank,
                    0.0,
                    cell=is_asked,
                    looked_up=is_asked and passage.passage_id in by_rule,
                    row=odds,
                )
            )
        texts_shown = [f"{place.passage.title}\n{without_markup(place.shown.text)}" for place in unscored]
        vectors = await self.embedder.embed([self.embedder.model.as_question(asked), *texts_shown])
        near = (vectors[1:] @ vectors[0]).tolist()
        scored = (replace(place, cosine=cosine) for place, cosine in zip(unscored, near, strict=True))
        return sorted(scored, key=lambda place: (not place.looked_up, -place.score))

    async def _polarity(self, question: Question, place: Place, rivals_found: Mapping[str, Sequence[Rival]]) -> str:
        """Yes or No if the reader is certain, else ""."""
        if question.answer_type is not AnswerType.YES_NO:
            return ""
        (reading,) = await self.reader.read(question.standalone, [titled_without(place.passage, rivals_found)])
        if reading.yes >= SURE_POLARITY:
            return "Yes"
        return "No" if reading.no >= SURE_POLARITY else ""


def _cells_asked(
    asked: str, passages: Sequence[Passage], rivals_found: Mapping[str, Sequence[Rival]]
) -> dict[str, Cell]:
    """The table cell that the question asks for in each passage, by passage id; none in rows on rivals."""
    found = ((passage, asked_cell(asked, passage)) for passage in passages)
    return {
        passage.passage_id: cell
        for passage, cell in found
        if cell is not None and not is_of_rival(passage, cell.row, rivals_found)
    }


def _of_asked_number(question: str, places: list[Place], evidence: Evidence) -> list[Place]:
    """The places without those of another version or number than the question names; all where no other is left."""
    asked = asked_numbers(question)
    kept = [
        place
        for place in places
        if not is_of_none(asked, place.passage, Span(place.span.start, place.span.end), evidence.passages)
    ]
    return kept or places


def _with_whole_words(text: str, span: AnswerSpan) -> AnswerSpan:
    """The span with the rest of the words that it cuts: a reader's tokens are parts of words."""
    start, end = span.start, span.end
    while start > 0 and _JOINED.match(text, start - 1, start + 1):
        start -= 1
    while _JOINED.match(text, end - 1, end + 1):
        end += 1
    return replace(span, start=start, end=end)


def _in_table(passage: Passage, span: AnswerSpan, cells: Mapping[str, Cell]) -> bool:
    """Tell whether a span overlaps the table of the cell asked for."""
    cell = cells.get(passage.passage_id)
    return cell is not None and span.start < cell.table.end and cell.table.start < span.end


def _passage_of(row: FoundRow, evidence: Evidence) -> Passage:
    return next(passage for passage in evidence.passages if passage.passage_id == row.passage_id)


def _row_odds(row: FoundRow | None, passage: Passage, span: AnswerSpan) -> float | None:
    """The log odds of the row for a span in a table; None for any other."""
    if row is None:
        return None
    spans = (table.span for table in tables(passage))
    return row.odds if any(span.start < table.end and table.start < span.end for table in spans) else None


def _cell_of(row: FoundRow) -> Cell:
    """The cell of a row with the answer."""
    return Cell(row.cell, row.line, row.header, row.table)


def _row(passage: Passage, cell: Cell) -> Shown:
    """The row of a cell under its header."""
    if cell.header is None:
        return Shown((cell.row,), passage)
    follows = not passage.text[cell.header.end : cell.row.start].strip()
    return Shown((Span(cell.header.start, cell.row.end),) if follows else (cell.header, cell.row), passage)


def choose_places(places: Sequence[Place], room: Room, before: Sequence[Sentence]) -> list[Place]:
    """The places to show, likeliest first: the best one, and others near it that fit.

    `places` are best first; what stands in `before` is not shown again.
    """
    if places and places[0].row is not None and places[0].row >= SURE_ROW:
        return [places[0]]
    taken: list[Place] = []
    for place in places:
        if place.score < places[0].score - NEAR or len(taken) == MOST_BLOCKS:
            break
        words = sum(earlier.shown.words for earlier in taken) + place.shown.words
        if not _is_shown(place.shown, before, taken) and (not taken or words <= room.answer):
            taken.append(place)
    return taken


def separation(first: Place, places: Sequence[Place]) -> float:
    """The log odds that a place shows the answer, against all `places` with other blocks.

    From the softmax that the weights were fitted for; at most `MOST_SPAN_ODDS`, the value of every looked-up cell:
    94 of 97 such cells are right (benchmarks/cells).
    """
    if first.cell:
        return MOST_SPAN_ODDS
    others = [place.score - first.score for place in places if place.shown.text != first.shown.text]
    least = math.exp(-MOST_SPAN_ODDS)
    return -math.log(max(least, math.fsum(map(math.exp, others))))


def with_neighbours(taken: Sequence[Place], room: Room, rivals_found: Mapping[str, Sequence[Rival]]) -> list[Place]:
    """The places to show; for a how-to or a list the first is extended by its neighbours if they fit.

    Stretches on rivals are not neighbours. On 89 such held-out questions over eight collections this shows .74 of
    the golds, .69 without.
    """
    if not taken or room.block < room.answer:
        return list(taken)
    first, *others = taken
    left = room.answer - sum(place.shown.words for place in others)
    shown = extend_block(first.shown, left)
    first = replace(first, shown=exclude_rivals(shown, rivals_found) or shown)
    return [first, *(place for place in others if place.shown.text not in first.shown.text)]


def with_opened(
    question: Question, taken: Sequence[Place], rivals_found: Mapping[str, Sequence[Rival]]
) -> list[Place]:
    """The places to show; the first with the first sentence of its section, if the section's heading asks the same.

    Stretches on rivals are left out again, and rows of tables stay as they are.
    """
    if not taken or taken[0].cell:
        return list(taken)
    first, *others = taken
    shown = exclude_rivals(with_opening(question, first.shown), rivals_found) or first.shown
    return [
        replace(first, shown=shown),
        *(place for place in others if overlap(place.shown, shown) <= MOSTLY),
    ]


def _is_shown(shown: Shown, before: Sequence[Sentence], taken: Sequence[Place]) -> bool:
    """Tell whether most of the block, or all of another in it, is shown already."""
    return any(shown.readable in sentence.text for sentence in before) or any(
        shown.text in place.shown.text or place.shown.text in shown.text or overlap(shown, place.shown) > MOSTLY
        for place in taken
    )


def _sentence(number: int, question: Question, place: Place, polarity: str, apart: float | None) -> Sentence:
    """A block as a sentence of the answer, after the short answer if there is one."""
    passage, text = place.passage, place.shown.readable
    quotes = [_at_its_row(quote, question, place) for quote in place.shown.quotes]
    # A second quote may say otherwise, and is not read for a value of its own.
    short = polarity or (_short(question, place.shown, place) if number == 1 else "")
    if short:
        between = "\n\n" if text.startswith(_LINES) else " — "
        text = f"**{short}**{between}{text}"
        if not polarity:
            quotes.insert(0, Quote(short, passage.span_of(place.span.start, place.span.end)))
    if text.endswith(("```", "~~~")):
        text += "\n"
    lead = "\n\n" if number > 1 else ""
    return Sentence(number, lead + text, (passage.passage_id,), quotes=tuple(quotes), apart=apart, row=place.row)


def _at_its_row(quote: Quote, question: Question, place: Place) -> Quote:
    """The quote; several rows of a table file get the location of the row that answers.

    That is the only row with words of the question, if there is one, else the row of the answer's span.
    """
    source, start = quote.source, place.passage.start + place.span.start
    if source.location.row is None or "\n" not in source.quote:
        return quote
    rows = [set(_WORD.findall(row.casefold())) for row in source.quote.split("\n")]
    holding = [
        [at for at, row in enumerate(rows) if word in row] for word in _WORD.findall(question.standalone.casefold())
    ]
    alone = {rows_holding[0] for rows_holding in holding if len(rows_holding) == 1}
    if len(alone) == 1:
        start = source.start + sum(len(row) + 1 for row in source.quote.split("\n")[: alone.pop()])
    if not source.start <= start < source.end:
        return quote
    return replace(quote, source=replace(source, location=place.passage.location_at(start)))


def _spans_rows(passage: Passage, span: Span) -> bool:
    """Tell whether a span runs from one row of a table into the next: no cell says that."""
    return "\n" in passage.text[span.start : span.end].strip() and _touches_table(passage, span)


def _touches_table(passage: Passage, span: Span) -> bool:
    """Tell whether a span touches a table."""
    if passage.location.row is not None or passage.location.sheet is not None:
        return True
    found = (block for block in passage_blocks(passage) if block.kind is BlockKind.TABLE)
    return any(block.start < span.end and span.start < block.end for block in found)


def _short(question: Question, shown: Shown, place: Place) -> str:
    """The words of the span if they are a short answer that the block does not begin with."""
    found = titled(place.passage).text[place.span.start : place.span.end]
    said = " ".join(found.split())
    # One of several items is not a short answer.
    asks_more = question.kind is QuestionKind.HOW_TO or len(question.aspects) > 1 or asks_for_several(question)
    if asks_more or question.answer_type not in _SHORT_TYPES:
        return ""
    if place.span.score < SURE_SPAN or not said or len(said.split()) > SHORT_WORDS or _ITEM.search(found):
        return ""
    span = Span(place.span.start, place.span.end)
    if in_code(place.passage, span) or _spans_rows(place.passage, span):
        return ""
    # Of a row in which several cells may be meant none is picked out.
    if columns_alike(question.standalone, place.passage, span) or _is_of_other_name(question, place.passage, span):
        return ""
    is_noun = said.casefold().startswith(_INDEFINITE) and len(said.split()) <= _NOUN_WORDS
    if is_noun and not set(terms(question.standalone)).isdisjoint(terms(said)):
        return ""
    text = " ".join(without_markup(shown.text).split())
    if text.startswith(said) or shown.words <= 2 * len(said.split()):
        return ""
    return "" if not _touches_table(place.passage, span) and _is_one_of_several(said, text) else said


def _is_of_other_name(question: Question, passage: Passage, span: Span) -> bool:
    """Tell whether a number is the value of a name that the question lacks, while another name has a number, too.

    >>> passage = Passage("p", "d", "r", 0, 24, "Default: 60\\nExample: 120")
    >>> asked = Question("What is the default?", "What is the default?")
    >>> [_is_of_other_name(asked, passage, span) for span in (Span(9, 11), Span(21, 24))]
    [False, True]
    """
    lines = [*_NAME_AND_VALUE.finditer(passage.text)]
    own = next((line for line in lines if line.start("value") <= span.start < line.end()), None)
    if own is None or not any(map(str.isdigit, passage.text[span.start : span.end])):
        return False
    beside = [line for line in lines if line is not own and passage.text.count("\n", *_between(line, own)) == 1]
    asked = set(terms(question.standalone))
    return any(map(str.isdigit, "".join(line["value"] for line in beside))) and asked.isdisjoint(terms(own["name"]))


def _between(line: re.Match[str], other: re.Match[str]) -> tuple[int, int]:
    """The offsets between two lines."""
    return min(line.end(), other.end()), max(line.start(), other.start())


# Another item right behind a value, or a word that joins it to one before: "Mondays, Wednesdays and Fridays".
_ITEM_BEHIND = re.compile(r"(?:, [^\s,.;]+(?: [^\s,.;]+)?){1,6},? (?:and|or) ")
_CONJUNCTIONS = (" and ", " or ")


def _is_one_of_several(said: str, text: str) -> bool:
    """Tell whether a text has other values of the kind of this one, so that by itself it may be the wrong one.

    These are dates, quantities with the same kind of unit, and other items of the enumeration that it stands in.

    >>> _is_one_of_several("7 May 2027", "It applies on 7 May 2027 to audits and on 7 May 2028 to controls.")
    True
    >>> _is_one_of_several("190 euros", "Hotels cost up to 150 euros. In Rome the limit is 190 euros.")
    True
    >>> _is_one_of_several("Mondays", "Deliveries leave on Mondays, Wednesdays and Fridays.")
    True
    >>> _is_one_of_several("7 May 2027", "It applies on 7 May 2027 to audits and controls.")
    False
    """
    at = text.find(said)
    if at < 0:
        return False
    if _ITEM_BEHIND.match(text, at + len(said)) or text.endswith(_CONJUNCTIONS, 0, at):
        return True
    told = dates(text)
    meant = [date for date in told if date.start < at + len(said) and at < date.end]
    if meant:
        return any(relation(date, meant[0]) == "different" for date in told)
    counted = [number for number in quantities(text) if number.dimension]
    asked = [number for number in counted if number.start < at + len(said) and at < number.end]
    return bool(asked) and any(
        number.dimension == asked[0].dimension and not agree(number, asked[0]) for number in counted
    )
