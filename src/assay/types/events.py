"""Events of a run, typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.types.answer import Answer, Event
from assay.types.claims import Finding, Sentence
from assay.types.judgement import Judgement, Step
from assay.types.search import Evidence


@dataclass(frozen=True, slots=True)
class StatusChanged(Event):
    """The run entered a stage."""

    kind: ClassVar[str] = "status"
    stage: str


@dataclass(frozen=True, slots=True)
class EvidenceFound(Event):
    """A search returned."""

    kind: ClassVar[str] = "evidence"
    queries: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Judged(Event):
    """The evidence was judged."""

    kind: ClassVar[str] = "judged"
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Acted(Event):
    """The policy chose an action."""

    kind: ClassVar[str] = "acted"
    step: Step
    reason: str


@dataclass(frozen=True, slots=True)
class SentenceProvisional(Event):
    """The writer wrote a sentence; it is not tested yet."""

    kind: ClassVar[str] = "sentence.provisional"
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class SentenceRevised(Event):
    """A sentence was repaired; it is verified or withdrawn next. `before` is its text with its marks as it was."""

    kind: ClassVar[str] = "sentence.revised"
    sentence: Sentence
    before: str
    reason: str


@dataclass(frozen=True, slots=True)
class SentenceVerified(Event):
    """A sentence passed; it is never touched again.

    `claims` counts what was tested in it: 0 for a heading or a question, which states nothing that could be.
    """

    kind: ClassVar[str] = "sentence.verified"
    sentence: Sentence
    claims: int = 0


@dataclass(frozen=True, slots=True)
class SentenceWithdrawn(Event):
    """A sentence did not pass: the answer goes without it, or shows it marked where it is `hedged`."""

    kind: ClassVar[str] = "sentence.withdrawn"
    sentence: Sentence
    reason: str


@dataclass(frozen=True, slots=True)
class FindingMade(Event):
    """A check did not pass."""

    kind: ClassVar[str] = "finding"
    finding: Finding


@dataclass(frozen=True, slots=True)
class Done(Event):
    """The run ended with an answer or an honest refusal."""

    kind: ClassVar[str] = "done"
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """The run ended with an error."""

    kind: ClassVar[str] = "error"
    error: str
    message: str
    hint: str
