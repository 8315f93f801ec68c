"""A model's judgement held against itself: where its parts contradict one another, the stricter counts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from assay.judge.combine import under
from assay.types import Action, Aspect, AspectState

# A passage of less relevance does not cover anything.
LOW = 0.5
# What each state of an aspect is worth. Passages that contradict one another are no answer yet.
WORTH: Mapping[AspectState, float] = MappingProxyType(
    {"covered": 1.0, "partial": 0.5, "conflicting": 0.5, "missing": 0.0}
)


@dataclass(frozen=True, slots=True)
class Consistent:
    """What a reply comes to: its aspects, its sufficiency and coverage (0 to 1), and the contradictions found."""

    aspects: tuple[Aspect, ...]
    sufficiency: float
    coverage: float
    issues: tuple[str, ...] = ()


def consistent(
    aspects: Sequence[Aspect],
    relevance: Mapping[str, float],
    missing: Sequence[str],
    recommendation: Action,
    correct: float,
) -> Consistent:
    """The reply without contradictions, each of them named in `issues`; `aspects` must not be empty.

    1. An aspect that is covered and also named as missing is missing.
    2. An aspect that is covered by passages of relevance under `LOW` alone is partial.
    3. Sufficiency is not the model's to choose: it is the mean over the aspects of their `WORTH` times the
       relevance of the best passage that they name. So ANSWER over weak passages or missing aspects falls.
    4. Where the model does not recommend ANSWER and the rest of its reply says that all is there, sufficiency is
       held below `correct`, the threshold from which on evidence counts as enough.

    >>> covered = Aspect("the year", "covered", ("a",))
    >>> consistent([covered], {"a": 0.9}, (), Action.ANSWER, 0.7).sufficiency
    0.9
    >>> consistent([covered], {"a": 0.1}, (), Action.ANSWER, 0.7).aspects[0].state
    'partial'
    """
    issues: list[str] = []
    kept = tuple(_settled(each, relevance, missing, issues) for each in aspects)
    parts = [WORTH[each.state] * _best(each, relevance) for each in kept]
    sufficiency = sum(parts) / len(parts)
    if recommendation is Action.ANSWER and sufficiency < correct:
        issues.append("the model recommends ANSWER, though by its own account the passages do not suffice")
    if recommendation is not Action.ANSWER and sufficiency >= correct:
        issues.append(
            f"the model recommends {recommendation.value}, though by its own account the passages suffice"
        )
        sufficiency = under(correct, sufficiency)
    coverage = sum(WORTH[each.state] for each in kept) / len(kept)
    return Consistent(kept, sufficiency, coverage, tuple(issues))


def _settled(aspect: Aspect, relevance: Mapping[str, float], missing: Sequence[str], issues: list[str]) -> Aspect:
    """The aspect in the state that the rest of the reply allows; adds an issue where that is another."""
    if aspect.state == "missing":
        return replace(aspect, passage_ids=())
    if aspect.text.casefold() in (each.casefold() for each in missing):
        issues.append(f'the model calls "{aspect.text}" {aspect.state} and names it as missing')
        return replace(aspect, state="missing", passage_ids=())
    if aspect.state == "covered" and _best(aspect, relevance) < LOW:
        issues.append(f'the model calls "{aspect.text}" covered, by passages of low relevance alone')
        return replace(aspect, state="partial")
    return aspect


def _best(aspect: Aspect, relevance: Mapping[str, float]) -> float:
    """The relevance of the best passage that the aspect names; 0 without."""
    return max((relevance.get(each, 0.0) for each in aspect.passage_ids), default=0.0)
