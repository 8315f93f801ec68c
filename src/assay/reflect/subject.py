"""What a kind of rule is given, and what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.types import Citation, Edit, Evidence, Question, Span

# What a rule may leave alone: quotations, code and tables, titles and headings.
Exempt = Literal["quote", "code", "title"]
EVERY_EXEMPTION: frozenset[Exempt] = frozenset(("quote", "code", "title"))

Count = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Flag = Annotated[bool, Field(strict=True)]
Phrase = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


@dataclass(frozen=True, slots=True)
class Subject:
    """An answer as one rule reads it.

    `text` is the answer as written; `plain` is as long and has blanks for citation marks and for what the rule
    leaves alone. `marks` are the citation marks of `text`.
    """

    text: str
    plain: str
    question: Question
    evidence: Evidence = field(default_factory=Evidence)
    marks: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """One place where a rule is not kept; `span` None means the answer as a whole."""

    cause: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Untested:
    """Why a rule could not be tested here."""

    cause: str


@dataclass(frozen=True, slots=True)
class Interval:
    """Whole numbers from `low` to `high`, both included; `high` None is without bound."""

    low: int = 0
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """What a rule asks of every answer that it applies to, in numbers: by it contradictions are found.

    The intervals bound the whole answer, `citations` a sentence; `added_*` come on top of an answer's one sentence.
    One of `texts` must stand in the answer, and `heading` over a part of it, "" for none. Something is asked only
    of answers of more than `over_words` words. `longest` is how many words a paragraph may have, `language` a code,
    or "question" for the question's own. `section_points` is how many of the answer's points its section holds.
    """

    words: Interval = Interval()
    sentences: Interval = Interval()
    characters: Interval = Interval()
    paragraphs: Interval = Interval()
    points: Interval = Interval()
    citations: Interval = Interval()
    added_words: int = 0
    added_sentences: int = 0
    added_paragraphs: int = 0
    added_points: int = 0
    over_words: int = 0
    longest: int | None = None
    language: str | None = None
    texts: tuple[str, ...] = ()
    heading: str = ""
    section_points: Interval = Interval(0, 0)


@dataclass(frozen=True, slots=True)
class Swap:
    """A wording and what is to be written instead."""

    term: str
    replacement: str


class Kind(BaseModel, ABC):
    """One kind of rule with its parameters: from them come the writer's instruction, the check and the edits.

    Unknown parameters are refused. `left_alone` is what rules of the kind do not look at, unless the rule says
    otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    left_alone: ClassVar[frozenset[Exempt]] = frozenset(("code",))

    @abstractmethod
    def told(self, language: str) -> str:
        """The sentence for the writer of an answer in that language; empty where there is nothing to tell."""

    @abstractmethod
    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """Where the answer does not keep the rule; nothing where it does."""

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """Changes of wording or layout that mend the answer at places found broken; none where none is certain."""
        return ()

    def demand(self, language: str) -> Demand:
        """What the rule asks of every answer in that language, in numbers."""
        return Demand()

    def swaps(self) -> tuple[Swap, ...]:
        """What the rule has written in place of what."""
        return ()

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the rule tells apart."""
        return frozenset()

    @property
    def forbids(self) -> bool:
        """Whether the rule is broken by what stands in a text, whatever else stands there."""
        return False
