"""A question, worked out, and the options of one question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Literal

from assay.types.assessment import Criterion
from assay.types.claims import CitationStyle
from assay.types.search import SearchMode
from assay.types.value import Metadata, Value


@dataclass(frozen=True, slots=True)
class Message(Value):
    """One turn of a dialogue."""

    role: Literal["user", "assistant"]
    text: str


class QuestionKind(StrEnum):
    """The sort of answer that a question wants."""

    FACTUAL = "factual"
    INTERPRETIVE = "interpretive"
    COMPARATIVE = "comparative"
    FOLLOW_UP = "follow-up"
    HOW_TO = "how-to"
    YES_NO = "yes-no"


class AnswerType(StrEnum):
    """The type of value that the answer must hold."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    REASON = "reason"
    PROCEDURE = "procedure"
    DEFINITION = "definition"
    YES_NO = "yes-no"
    LIST = "list"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Correction(Value):
    """A word of the question that the collection does not have, and the word of the collection searched instead."""

    written: str
    searched: str


@dataclass(frozen=True, slots=True)
class Question(Value):
    """A question as understood: `standalone` is what is searched, `text` what the user asked.

    `aspects` are the parts that an answer must cover, in words of the question; `detail` is 1 (a phrase) to
    10 (a chapter). `unclear` says what keeps it from being understood, None where nothing does. `notes` say
    what of the understanding could not be done, or was not taken. `corrections` are the words that `standalone` has
    in another spelling than the user's. `topic` is that of an earlier turn, searched for beside the question, which
    may be about it.
    """

    text: str
    standalone: str
    history: tuple[Message, ...] = ()
    aspects: tuple[str, ...] = ()
    kind: QuestionKind = QuestionKind.FACTUAL
    answer_type: AnswerType = AnswerType.OTHER
    language: str = "en"
    expertise: Literal["beginner", "general", "expert"] = "general"
    detail: int = 3
    unclear: str | None = None
    notes: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    topic: str = ""

    def as_typed(self, text: str) -> str:
        """Words of the standalone question in the user's spelling.

        >>> asked = Question("Is there lure?", "Is there sure?", corrections=(Correction("lure", "sure"),))
        >>> asked.as_typed("sure things"), asked.as_typed("ensure")
        ('lure things', 'ensure')
        """
        for correction in self.corrections:  # of letters alone, so that none is a sign of the pattern
            text = re.sub(rf"\b{correction.searched}\b", correction.written, text)
        return text

    @property
    def on_topic(self) -> str:
        """The question with the topic of the earlier turn, if it may be about it.

        >>> Question("How can I apply?", "How can I apply?", topic="the grant").on_topic
        'How can I apply? (the grant)'
        """
        return f"{self.standalone} ({self.topic})" if self.topic else self.standalone


class Action(StrEnum):
    """The action to take on a question, given its evidence."""

    ANSWER = "ANSWER"
    REFINE = "REFINE"
    EXTERNAL = "EXTERNAL"
    CLARIFY = "CLARIFY"
    ABSTAIN = "ABSTAIN"


class Triage(StrEnum):
    """Corrective RAG's three cases (Yan et al. 2024, arXiv 2401.15884, section 4.2)."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions(Value):
    """Settings of one question, over those of the engine; None leaves a setting as the engine has it.

    The names, units and bounds are those of the settings (docs/reference/settings.md), and they are checked where
    the options are used. Three do more than the setting of the same name: `history_messages` is how many of the
    last messages of the dialogue count at all, `citation_style` is that of the answer object's own text, and
    `model` writes also where the engine has a `writer_model` or a `simple_model`. `rounds` above 1, where passages
    are given, lets assay search for more.

    >>> AskOptions(profile="balanced", k=5).values
    {'profile': 'balanced', 'k': 5}
    """

    profile: Literal["fast", "balanced", "thorough", "auto"] | None = None
    importance: Literal["low", "normal", "high"] | None = None
    kind: QuestionKind | str | None = None
    detail: int | None = None
    expertise: Literal["beginner", "general", "expert"] | None = None
    history_messages: int | None = None
    ask_back: bool | None = None
    where: Metadata | None = None
    k: int | None = None
    mode: SearchMode | str | None = None
    rounds: int | None = None
    repairs: int | None = None
    deadline: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    model: str | None = None
    writer_temperature: float | None = None
    reply_tokens: int | None = None
    system_prompt: str | None = None
    citation_style: CitationStyle | str | None = None
    criteria: Sequence[Criterion | str] | None = None
    explain: bool | None = None
    quality: float | None = None
    floor: float | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The settings that these options change, by name."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
