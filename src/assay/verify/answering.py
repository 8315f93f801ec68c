"""Whether a finished answer answers its question, by the reader."""

from __future__ import annotations

from dataclasses import dataclass

from assay.nlp.blocks import without_markup
from assay.stages import Reader
from assay.text.citation_marks import citations, without_marks
from assay.types import Question, TitledText


@dataclass(frozen=True, slots=True)
class ReaderRelevance:
    """Reads the answer's own text beside the question, as it reads a passage."""

    reader: Reader

    async def read(self, question: Question, text: str) -> float | None:
        """The log odds that the text answers; None in a language that the reader does not read."""
        if question.language not in self.reader.model.languages:
            return None
        said = without_markup(without_marks(text, citations(text)))
        (reading,) = await self.reader.read(question.standalone, [TitledText("", said)])
        return reading.answerable
