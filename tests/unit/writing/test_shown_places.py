"""Where a quote stands: the row of a table file as a user counts it, and each place where several are quoted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.cli.answer_view import locations
from assay.core.draft import compose
from assay.core.finalise import source
from assay.ingest.lines import normalise
from assay.ingest.load_text import CsvLoader
from assay.ingest.split import PassageSplitter
from assay.nlp.blocks import titled
from assay.testing.fakes import ScriptedReader, WordEmbedder
from assay.types import AnswerSpan, Document, Evidence, Hit, Passage, PassageReading, Question, Sentence
from assay.verification.verifier import quotation_review
from assay.writing.extractive import ExtractiveWriter
from assay.writing.features import NAMES, SCATTER_NAMES
from assay.writing.ranking import Ranker
from assay.writing.reader_writer import ReaderWriter

LEAVE = b"Name,Department,Vacation days\nAlice,Sales,24\n\nBob,Finance,27\nCarla,Support,30\n"
NO_HEADER = b"2024-01-01,14.5\n2024-01-02,15.5\n2024-01-03,11.0\n"
MULTILINE = b'City,Note\nUlm,"two\nlines"\nBonn,one\n'


class NoEmbedder(WordEmbedder):
    """Finds every text equally near."""

    async def embed(self, texts: object) -> NDArray[np.float32]:
        return np.ones((len(list(texts)), 1), dtype=np.float32)  # type: ignore[call-overload]


def passage_of(data: bytes) -> Passage:
    loaded = normalise(CsvLoader().load(data, "x.csv"))
    document = Document("x.csv", loaded.text, "x", "x.csv", "csv", "", regions=loaded.regions)
    [passage] = PassageSplitter(lambda text: len(text.split())).split(document)
    return passage


async def quoted(passage: Passage, asked: str, words: str) -> Sentence:
    text = titled(passage).text
    at = text.index(words)
    reading = PassageReading(9.0, (AnswerSpan(at, at + len(words), 0.0),), 0.0, 0.0)
    even = (0.0,) * len(NAMES)
    writer = ReaderWriter(
        ScriptedReader({(asked, text): reading}),
        NoEmbedder(),
        ExtractiveWriter(Ranker(even, even, (0.0,) * len(SCATTER_NAMES), -9.0)),
    )
    question = Question(asked, asked, aspects=(asked,))
    first, *_ = [part async for part in writer.write(question, Evidence((Hit(passage, 1.0),)), ())]
    assert isinstance(first, Sentence)
    return first


@pytest.mark.parametrize(
    ("data", "asked", "words", "row"),
    [
        (LEAVE, "How many days of vacation are there?", "27", 4),
        (LEAVE, "How many days has bob?", "27", 4),
        # The reader points at one row, and the question names another.
        (LEAVE, "How many days has carla?", "27", 5),
        (NO_HEADER, "What was measured last?", "11.0", 3),
        (MULTILINE, "What is said of it?", "one", 3),
    ],
)
async def test_a_quoted_row_is_numbered_as_in_a_spreadsheet(data: bytes, asked: str, words: str, row: int) -> None:
    passage = passage_of(data)
    said = await quoted(passage, asked, words)
    draft = compose((said,))
    review = quotation_review(draft, 0, (), {passage.passage_id: passage})
    assert source(1, passage, review.claims).location.row == row
    assert [span.quote in passage.text for claim in review.claims for span in claim.spans]


PLACE = {"page": None, "slide": None, "sheet": None, "row": None, "section": None}


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ([{"page": 3}], "page 3"),
        ([{"page": 3}, {"page": 3}], "page 3"),
        ([{"page": 3}, {"page": 4}, {"page": 7}], "pages 3, 4 and 7"),
        ([{"sheet": "May", "row": 2}, {"sheet": "May", "row": 9}], "sheet May, rows 2 and 9"),
        ([{"sheet": "May", "row": 2}, {"sheet": "June", "row": 2}], "sheet May, row 2; sheet June, row 2"),
        ([{"section": "Rates > Fees"}, {"section": "Rates > Fines"}], "Fees; Fines"),
    ],
)
def test_each_place_is_told(places: list[dict[str, object]], told: str) -> None:
    assert locations([PLACE | place for place in places], "Rates") == told
