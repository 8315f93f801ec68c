"""A fact of a document, and the question that it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.evals.make.wording import Wording
from assay.types import Span, Value


class Kind(StrEnum):
    """The subject of a fact about its thing; `written` is one that a language model asked for."""

    DATE = "date"
    PLACE = "place"
    MAKER = "maker"
    NUMBER = "number"
    ATTRIBUTE = "attribute"
    DEFINITION = "definition"
    FUNCTION = "function"
    ACRONYM = "acronym"
    CELL = "cell"
    HOW_TO = "how-to"
    HEADING = "heading"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Fact(Value):
    """Something that a document states, and a question that it answers.

    `quote` and `answer` are places in the document's text; `answer` lies within `quote`, and `answer_text` are its
    words without markup.
    """

    kind: Kind
    document_id: str
    quote: Span
    answer: Span
    answer_text: str
    wording: Wording
