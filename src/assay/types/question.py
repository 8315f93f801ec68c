"""A question, worked out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from assay.types.value import Value


@dataclass(frozen=True, slots=True)
class Message(Value):
    """One turn of a dialogue."""

    role: Literal["user", "assistant"]
    text: str


class QuestionKind(StrEnum):
    """What sort of answer a question wants."""

    FACTUAL = "factual"
    INTERPRETIVE = "interpretive"
    COMPARATIVE = "comparative"
    FOLLOW_UP = "follow-up"
    HOW_TO = "how-to"
    YES_NO = "yes-no"


class AnswerType(StrEnum):
    """What the words of the answer must hold."""

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

    @property
    def on_topic(self) -> str:
        """The question with the topic of the earlier turn, if it may be about it.

        >>> Question("How can I apply?", "How can I apply?", topic="the grant").on_topic
        'How can I apply? (the grant)'
        """
        return f"{self.standalone} ({self.topic})" if self.topic else self.standalone


class Action(StrEnum):
    """What to do with a question, given its evidence."""

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
