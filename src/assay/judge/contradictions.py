"""Passages that disagree on what is asked: the same thing, the same attribute, another value. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.judge.contradictions_asked import Asked, asked_by
from assay.judge.contradictions_polarity import yes_and_no
from assay.judge.contradictions_same import same
from assay.judge.contradictions_values import NAMED, Given, Value, given
from assay.types import Contradiction, Evidence, Hit, Question, Reading

# A contradiction needs two values of this strength; once there are two, any of the lower strength is a reading.
# Set on the development halves of ramdocs, rgb-en and hotpot100: benchmarks/contradictions.
FIRM, LOOSE = 0.7, 0.4
# The share of the thing's words, by rarity, that a passage must name to join a contradiction.
HALF_NAMED = 0.3
# A passage's second value is a reading too where it is this firm, and about as firm as the first.
SECOND, AS_FIRM = 0.6, 0.95
# What a value that only joins weighs.
JOINS = 0.7
MOST_READINGS = 5


@dataclass(frozen=True, slots=True)
class _Said:
    """A value with the passage that gives it; `begins` where it can begin a contradiction."""

    value: Value
    hit: Hit
    begins: bool = True

    @property
    def weight(self) -> float:
        return self.value.strength if self.begins else JOINS * self.value.strength


def contradictions(question: Question, evidence: Evidence) -> tuple[Contradiction, ...]:
    """What the passages disagree on: nothing, or one contradiction with its readings, best supported first.

    What is masked is not read.
    """
    if polar := yes_and_no(question, evidence):
        return (polar,)
    asked = asked_by(question)
    if asked is None:
        return ()
    groups = _grouped(asked, [each for hit in evidence.hits for each in _said(asked, hit)])
    firm = [group for group in groups if any(each.begins and each.value.strength >= FIRM for each in group)]
    if len(firm) < 2:
        return ()
    groups.sort(key=_support, reverse=True)
    return (Contradiction(_aspect(question), tuple(map(_reading, groups[:MOST_READINGS]))),)


def _said(asked: Asked, hit: Hit) -> Iterator[_Said]:
    """What one passage says: its firmest value, and the next one where that is about as firm and another."""
    found: Given = given(asked, hit.passage.title, hit.readable)
    if not found.values or (found.about < HALF_NAMED and found.values[0].strength < FIRM):
        return
    first, *others = found.values
    named = found.about >= NAMED or first.strength >= FIRM
    if first.strength >= (LOOSE if named else SECOND):
        yield _Said(first, hit, begins=named)
    least = max(SECOND, AS_FIRM * first.strength)
    for other in others if named else ():
        if other.strength < least:
            return
        if not same(asked.shape, first.text, other.text):
            yield _Said(other, hit, begins=False)
            return


def _grouped(asked: Asked, said: Sequence[_Said]) -> list[list[_Said]]:
    """What is said, equal values together; those that can begin a contradiction come first."""
    groups: list[list[_Said]] = []
    for each in sorted(said, key=lambda one: not one.begins):
        for group in groups:
            if any(same(asked.shape, each.value.text, other.value.text) for other in group):
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _support(group: Sequence[_Said]) -> tuple[float, bool, str]:
    """How well a value is supported; of about equal ones, what is first-hand leads, then what is newer."""
    hits = [each.hit for each in group]
    first_hand = any(hit.passage.origin.trust != "open" for hit in hits)
    return round(sum(each.weight for each in group), 1), first_hand, latest_date(hits) or ""


def _reading(group: Sequence[_Said]) -> Reading:
    """A group as the value that most of its passages hold word for word, the firmest of these, with them."""

    def holding(text: str) -> dict[str, Hit]:
        return {each.hit.passage.passage_id: each.hit for each in group if text in each.hit.readable}

    best = max(group, key=lambda each: (len(holding(each.value.text)), each.weight)).value.text
    hits = holding(best)
    return Reading(best, tuple(hits), latest_date(hits.values()))


def latest_date(hits: Iterable[Hit]) -> str | None:
    """The latest date that the passages carry; None where none of them has one."""
    return max((date for hit in hits if (date := hit.passage.origin.date)), default=None)


def _aspect(question: Question) -> str:
    """The aspect that the passages disagree on: the lone one as the question words it, else the question."""
    return question.aspects[0] if len(question.aspects) == 1 else question.standalone
