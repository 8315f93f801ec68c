"""The one row of a table that answers a question, by a reader and an embedder, with fitted weights.

Two things are measured apart: whether the question names the row rather than another, and whether the row tells
what was asked. A network that reads a table as a whole confuses its rows, and one row said as a sentence it reads
well (docs/decisions/206).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.stages import Embedder, Reader
from assay.nlp.language import language_of
from assay.nlp.lexicon import word_class
from assay.nlp.quantities import quantities
from assay.nlp.table_rows import NamedCell, TableRow, table_rows
from assay.nlp.tokens import STOP_WORDS, fold, rarity, terms, word_spans
from assay.nlp.value_kinds import KindFit, kind_fit
from assay.types import FoundRow, Passage, PassageReading, TitledText

# At most so many rows are embedded, those with words of the question first, and the nearest of them read (chosen).
MOST_ROWS, MOST_READ = 40, 6
# Log odds of the reader are clipped to these, those of a span to twice as much.
_MOST_ODDS = 6.0
# The weights of what is measured in the log odds that the question names this row, and that the row tells what was
# asked (benchmarks/cells/fit.py).
NAMED: Mapping[str, float] = {
    "odds": 0.977,
    "cosine": 14.558,
    "own words": 4.449,
    "rarest missing": -4.966,
    "number missing": -3.546,
}
NAMED_INTERCEPT = 0.742
TOLD: Mapping[str, float] = {
    "span": 0.211,
    "cosine": 5.657,
    "doubtful": -1.822,
    "clashes": -4.061,
    "thing missing": -2.766,
}
TOLD_INTERCEPT = 0.666
LEAST_ODDS = -20.0
# A row is asked for from these log odds that the question names it, and from those that a row tells what is asked;
# of a question that names none, a word of at least this rarity is missed (chosen on benchmarks/cells/asked.jsonl).
LEAST_NAMED, LEAST_TOLD, LEAST_RARITY = -3.0, 1.0, 0.6
_CODE = re.compile(r"[\w.]+")
# The thing of "what colour", "which menu", "how many pages".
_THING = re.compile(r"\b(?:what|which|how many|how much)\s+([^\W\d_]+)", re.IGNORECASE)
_NO_THINGS = word_class("questions.no_things")


@dataclass(frozen=True, slots=True)
class RowSignals:
    """Measures of a row: `named` tells whether it is the one asked about, `told` whether it answers.

    `cell` is the one in which the reader finds the answer. Of the question's terms, `words` are those that this row
    has and no other, and `missing` those that neither it has nor its title nor its header.
    """

    row: TableRow
    cell: NamedCell
    words: tuple[str, ...]
    missing: tuple[str, ...]
    named: Mapping[str, float]
    told: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ReaderRowFinder:
    """Finds the row by signals of words, vectors and the reader."""

    reader: Reader
    embedder: Embedder

    async def find(self, question: str, passages: Sequence[Passage]) -> FoundRow | None:
        """The row that the question names most likely; None without tables, and in a language that is not read.

        Raises what the embedder and the reader raise.
        """
        if language_of(question) not in self.reader.model.languages:
            return None
        measured = await self.measure(question, passages)
        if not measured:
            return None
        rows = [_found_row(signals) for signals in measured]
        told, at = max(row.told for row in rows), max(range(len(rows)), key=lambda at: rows[at].named)
        return _with_term(replace(rows[at], told=told), measured[at])

    async def measure(self, question: str, passages: Sequence[Passage]) -> tuple[RowSignals, ...]:
        """The signals of the rows nearest to the question."""
        rows = _rows(question, passages)
        if not rows:
            return ()
        asked = self.embedder.model.as_question(question)
        vectors = await self.embedder.embed([asked, *(f"{row.title}\n{row.sentence}" for row in rows)])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        words = _own_words(question, rows)
        own = [math.fsum(sorted(map(rarity, held))) for held in words]
        nearest = sorted(range(len(rows)), key=lambda at: -(cosines[at] + own[at]))[:MOST_READ]
        chosen = [rows[at] for at in nearest]
        readings = await self.reader.read(question, [TitledText(row.title, row.sentence) for row in chosen])
        told = await self._cosines_of_values(question, chosen)
        odds = [_clipped(reading.answerable, _MOST_ODDS) for reading in readings]
        return tuple(
            _signals(
                question,
                row,
                words[at],
                reading,
                {"odds": _lead(odds, number), "cosine": _lead(cosines, at), "own words": _lead(own, at)},
                told[number],
            )
            for number, (at, row, reading) in enumerate(zip(nearest, chosen, readings, strict=True))
        )

    async def _cosines_of_values(self, question: str, rows: Sequence[TableRow]) -> list[float]:
        """The cosine of each row's values and the question without the words of the row's label."""
        asked = [self.embedder.model.as_question(_without_label(question, row)) for row in rows]
        vectors = await self.embedder.embed([*asked, *(row.values for row in rows)])
        return [float(vectors[at] @ vectors[len(rows) + at]) for at in range(len(rows))]


def _rows(question: str, passages: Sequence[Passage]) -> list[TableRow]:
    """The rows of the passages, none twice: a passage may go on into the next. Of too many, the first are kept.

    Rows with rarer terms of the question come before others, and else those of passages that rank higher.
    """
    found: dict[tuple[str, int], TableRow] = {}
    for passage in passages:
        for row in table_rows(passage, question):
            found.setdefault((passage.document_id, passage.start + row.line.start), row)
    rows = list(found.values())
    if len(rows) <= MOST_ROWS:
        return rows
    shared = [math.fsum(sorted(map(rarity, words))) for words in _own_words(question, rows)]
    kept = sorted(range(len(rows)), key=lambda at: -shared[at])[:MOST_ROWS]
    return [rows[at] for at in sorted(kept)]


def _own_words(question: str, rows: Sequence[TableRow]) -> list[tuple[str, ...]]:
    """The terms of the question that a row has and no other row."""
    held = [frozenset(terms(f"{row.title} {row.text}")) for row in rows]
    alone = [term for term in dict.fromkeys(terms(question)) if sum(term in row for row in held) == 1]
    return [tuple(term for term in alone if term in row) for row in held]


def _lead(values: Sequence[float], at: int) -> float:
    """The distance of a value from the greatest other one; from zero where it is alone."""
    return values[at] - max((value for other, value in enumerate(values) if other != at), default=0.0)


def _signals(
    question: str,
    row: TableRow,
    words: tuple[str, ...],
    reading: PassageReading,
    named: Mapping[str, float],
    cosine: float,
) -> RowSignals:
    held = set(terms(" ".join((row.title, *row.names, row.text))))
    missing = tuple(term for term in dict.fromkeys(terms(question)) if term not in held)
    cell = _asked_cell(question, row, reading)
    fit = kind_fit(question, cell.text, cell.name)
    said = fold(" ".join((row.title, *row.names, row.text)))
    return RowSignals(
        row,
        cell,
        words,
        missing,
        {
            **named,
            "rarest missing": max(map(rarity, missing), default=0.0),
            "number missing": float(any(fold(number) not in said for number in _numbers(question))),
        },
        {
            "span": _clipped(reading.spans[0].score, 2 * _MOST_ODDS) if reading.spans else 0.0,
            "odds": _clipped(reading.answerable, _MOST_ODDS),
            "cosine": cosine,
            "doubtful": float(fit is KindFit.DOUBTFUL),
            "clashes": float(fit is KindFit.CLASHES),
            "thing missing": float(_thing_missing(question, held)),
        },
    )


def _numbers(question: str) -> list[str]:
    """The words with a digit, and the amounts in words: "two years"."""
    spelled = (question[one.start : one.end] for one in quantities(question) if one.spelled and one.dimension)
    return [*(word for word in _CODE.findall(question) if any(map(str.isdigit, word))), *spelled]


def _asked_cell(question: str, row: TableRow, reading: PassageReading) -> NamedCell:
    """The likeliest cell that says more than the question does, the last one without any."""
    asked = set(terms(question))
    read = (row.cell_at(span.start, span.end) for span in reading.spans)
    likely = (cell for cell in (*read, *row.cells) if cell is not None)
    return next((cell for cell in likely if not asked.issuperset(terms(cell.text))), row.cells[-1])


def _thing_missing(question: str, held: set[str]) -> bool:
    """Tell whether the row lacks the thing that the question asks for by name: "what colour", "how many pages"."""
    match = _THING.search(question)
    if match is None or fold(match[1]) in STOP_WORDS | _NO_THINGS:
        return False
    return not held.intersection(terms(match[1]))


def _without_label(question: str, row: TableRow) -> str:
    """The question with "it" for the words of the row's label.

    Of "How are eye drops stored?" the label "Eye drops" leaves "How are it stored?".
    """
    label = set(terms(row.label))
    parts, at, replaced = [], 0, False
    for span in word_spans(question):
        found = terms(question[span.start : span.end])
        if found and label.issuperset(found):
            if not replaced:
                parts.append(f"{question[at : span.start]}it")
            replaced = True
        else:
            parts.append(question[at : span.end])
            replaced = False
        at = span.end
    return "".join((*parts, question[at:]))


def _found_row(signals: RowSignals) -> FoundRow:
    """The row with the log odds of its signals."""
    named = NAMED_INTERCEPT + _weighed(NAMED, signals.named)
    told = TOLD_INTERCEPT + _weighed(TOLD, signals.told)
    row, cell = signals.row, signals.cell
    return FoundRow(
        passage_id=row.passage.passage_id,
        line=row.line,
        header=row.header,
        table=row.table,
        cell=cell.span,
        named=named,
        told=told,
        # A row that holds nothing beside its label tells nothing.
        odds=both(named, told) if row.values else LEAST_ODDS,
    )


def _with_term(row: FoundRow, signals: RowSignals) -> FoundRow:
    """The row with the term by which the question asks for one, or as one of a table asked about as a whole.

    The term is the rarest that this row alone has; of a question that a row would answer and that names none, the
    rarest that the row lacks, where that is no common word.
    """
    if signals.words and row.named >= LEAST_NAMED:
        return replace(row, term=max(signals.words, key=rarity))
    if row.told < LEAST_TOLD:
        return row
    rarest = max(signals.missing, key=rarity, default="")
    if rarest and rarity(rarest) >= LEAST_RARITY:
        return replace(row, term=rarest)
    return replace(row, is_general=not signals.words)


def both(first: float, second: float) -> float:
    """The log odds of two independent things together, by those of each.

    >>> round(both(0.0, 0.0), 3), round(both(2.0, 50.0), 3)
    (-1.099, 2.0)
    """
    exponents = (-first, -second, -first - second)
    most = max(exponents)
    return -most - math.log(math.fsum(math.exp(one - most) for one in exponents))


def _weighed(weights: Mapping[str, float], signals: Mapping[str, float]) -> float:
    return math.fsum(weight * signals[name] for name, weight in weights.items())


def _clipped(value: float, most: float) -> float:
    return min(max(value, -most), most)
