"""The judgement of the evidence, and the steps taken to gather it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.types.claims import Check
from assay.types.question import Action, Triage
from assay.types.search import Contradiction, Evidence
from assay.types.value import Value

AspectState = Literal["covered", "partial", "missing", "conflicting"]
Quality = Literal["excellent", "good", "partial", "poor", "unknown"]


@dataclass(frozen=True, slots=True)
class Aspect(Value):
    """A part of the question, and the passages that bear on it."""

    text: str
    state: AspectState
    passage_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement(Value):
    """The judgement of the evidence: its sufficiency, and what is missing.

    `sufficiency` is None, and `quality` unknown, where nothing could be measured. `relevance` maps passage
    ids to 0-1. `signals` are the measured numbers behind the sufficiency. `mode_used` says what ran; `checks`
    what of the asked depth could not run. `ms` is how long it took, None where nobody measured.
    `contradictions` are where the passages disagree on what is asked. `ambiguity`, 0 to 1, is how likely the
    question must be asked back before it can be answered; None where nobody measured. `shadow` is what a second
    judge said of the same evidence; it changes nothing.
    """

    sufficiency: float | None
    recommendation: Action
    reason: str
    quality: Quality = "unknown"
    triage: Triage | None = None
    coverage: float | None = None
    relevance: Mapping[str, float] = field(default_factory=dict)
    aspects: tuple[Aspect, ...] = ()
    missing: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    mode_used: str = ""
    calibrated: bool = False
    checks: tuple[Check, ...] = ()
    ms: float | None = None
    contradictions: tuple[Contradiction, ...] = ()
    ambiguity: float | None = None
    shadow: Judgement | None = None


@dataclass(frozen=True, slots=True)
class Step(Value):
    """One turn of the search loop: what was decided, on which queries and passages."""

    action: Action
    queries: tuple[str, ...]
    passage_ids: frozenset[str]
    sufficiency: float | None


@dataclass(frozen=True, slots=True)
class Gathered(Value):
    """The result of the search loop: the action that ended it, and all that it found."""

    action: Action
    evidence: Evidence
    judgement: Judgement
    path: tuple[Step, ...]
