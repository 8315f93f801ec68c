"""A case: one question of a golden set, and what is known of its right answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assay.types import Message, Passage, Value


class Answerability(StrEnum):
    """The answer of the documents to a question: in full, in part, or none."""

    FULL = "full"
    HALF = "half"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class WantedQuote(Value):
    """Words of a document that an answer should cite.

    `document` is a document's path, a part of it from the end on, or its id; `quote` is text of the document, and
    `page` the page that it stands on, counted from 1, where the document has pages.
    """

    document: str
    quote: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Case(Value):
    """One question, and what is known of its right answer; what is not known is empty, and is not measured.

    `answers` are texts, any of which is right; `patterns` are regular expressions of RE2, any of which shows the
    right answer; `nuggets` are facts that a complete answer has, each with its wordings. `relevant` maps a passage
    id, a document id or the end of a document's path to a gain above 0. `quotes` are what should be cited.
    `answerability` is None where nobody said; `missing` are the parts that the documents do not answer.
    `conflicting` says whether the documents contradict one another on it. `passages`, where given, are the evidence
    to answer from instead of a collection. `slices` are names by which figures are told apart, such as {"kind":
    "how-to"}. `synthetic` cases were made, not asked by a person.
    """

    id: str
    question: str
    history: tuple[Message, ...] = ()
    answers: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    nuggets: tuple[tuple[str, ...], ...] = ()
    relevant: Mapping[str, float] = field(default_factory=dict)
    quotes: tuple[WantedQuote, ...] = ()
    answerability: Answerability | None = None
    missing: tuple[str, ...] = ()
    conflicting: bool | None = None
    passages: tuple[Passage, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)
    synthetic: bool = False
