"""Keeping the questions of which the reader is sure: that a passage answers them, or that none does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.calibration import sigmoid
from assay.core.stages import Reader
from assay.engine import Engine
from assay.evals.make.fact import Fact, Kind
from assay.nlp.blocks import titled
from assay.nlp.table_cells import asked_cell
from assay.nlp.tokens import terms
from assay.types import Passage, PassageReading, SearchMode, SearchSettings, Span, Value

# From this probability on the reader is sure that a passage answers, and below the other that none does. Chosen.
SURE, ABSENT = 0.7, 0.2
# Passages that are read for one question, and looked through for the one that holds the answer.
READ, LOOKED_THROUGH = 8, 30
# Of the places where the reader thinks the answer may stand, so many are looked at.
_PLACES = 2


@dataclass(frozen=True, slots=True)
class Reading(Value):
    """The reader's view of a question: its own passage's likelihood to answer, and that of another one.

    `finds` says whether it finds the answer where it stands; `rival` is the probability of the likeliest passage
    that gives another answer, 0 without one.
    """

    own: float
    finds: bool
    rival: float


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Reads questions beside the passages of a collection."""

    engine: Engine
    reader: Reader

    async def read(self, question: str, fact: Fact) -> Reading | None:
        """The reading of a question about a fact; None where no passage holds all of the answer."""
        found = await self.passages(question)
        own = [passage for passage in found if _holds(passage, fact)] or await self._own(fact)
        if not own:
            return None
        others = [passage for passage in found if not _holds(passage, fact)]
        readings = await self._read(question, (*own, *others))
        of_own = list(zip(own, readings, strict=False))
        best = max(sigmoid(reading.answerable) for _, reading in of_own)
        finds = any(_finds(question, passage, reading, fact) for passage, reading in of_own)
        rivals = [
            sigmoid(reading.answerable)
            for passage, reading in zip(others, readings[len(own) :], strict=True)
            if not _says(passage, reading, fact)
        ]
        return Reading(best, finds, max(rivals, default=0.0))

    async def likeliest(self, question: str) -> float:
        """Likelihood of the likeliest of the passages found to answer, 0 without any."""
        readings = await self._read(question, await self.passages(question))
        return max((sigmoid(reading.answerable) for reading in readings), default=0.0)

    async def passages(self, question: str, k: int = READ) -> tuple[Passage, ...]:
        """The passages that a search for a question finds, best first."""
        return (await self.engine.asearch(question, SearchSettings(k=k))).passages

    async def _own(self, fact: Fact) -> list[Passage]:
        """The passages that hold a fact, found by its words."""
        document = await self.engine.adocument(fact.document_id)
        if document is None:
            return []
        words = document.text[fact.quote.start : fact.quote.end][:500]
        settings = SearchSettings(mode=SearchMode.SPARSE, k=LOOKED_THROUGH)
        if not terms(words):
            return []
        return [
            passage for passage in (await self.engine.asearch(words, settings)).passages if _holds(passage, fact)
        ]

    async def _read(self, question: str, passages: Sequence[Passage]) -> tuple[PassageReading, ...]:
        return await self.reader.read(question, [titled(passage) for passage in passages]) if passages else ()


def is_sure(reading: Reading | None) -> bool:
    """True if the reader finds the answer where it stands, surely, and no surer one elsewhere.

    >>> is_sure(Reading(0.9, True, 0.5)), is_sure(Reading(0.9, False, 0.5)), is_sure(Reading(0.8, True, 0.95))
    (True, False, False)
    """
    return reading is not None and reading.finds and reading.own >= SURE and reading.rival <= reading.own


def _holds(passage: Passage, fact: Fact) -> bool:
    """True if a passage holds the answer, or where the answer is a whole list or code, its beginning."""
    if passage.document_id != fact.document_id or not passage.start <= fact.answer.start < passage.end:
        return False
    return fact.kind in (Kind.HOW_TO, Kind.HEADING) or fact.answer.end <= passage.end


def _finds(question: str, passage: Passage, reading: PassageReading, fact: Fact) -> bool:
    start, end = fact.answer.start - passage.start, fact.answer.end - passage.start
    if fact.kind is Kind.CELL and (cell := asked_cell(question, passage)) is not None:
        return _share(cell.span, start, end)
    return any(_share(span, start, end) for span in reading.spans[:_PLACES])


def _share(span: object, start: int, end: int) -> bool:
    place = Span(span.start, span.end)  # type: ignore[attr-defined]
    return place.start < end and start < place.end


def _says(passage: Passage, reading: PassageReading, fact: Fact) -> bool:
    """True if a passage's likeliest answer is that of the fact: its words, or a part of them."""
    if not reading.spans:
        return False
    place = reading.spans[0]
    said, wanted = set(terms(passage.text[place.start : place.end])), set(terms(fact.answer_text))
    return bool(said) and (said <= wanted or wanted <= said)
