"""Whether bounds on one answer can all be kept: its words, sentences, paragraphs and points.

What is used: an answer says something besides the sections it must have; a sentence has at least a word and a
paragraph at least a sentence; n words have at least 2n - 1 characters; a list needs prose that introduces it, and
sections and lists are paragraphs besides. The points of a section are points of the answer, but for questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from assay.reflect.kinds.length import counted
from assay.reflect.subject import Demand, Interval

_INTERVALS: dict[str, Callable[[Demand], Interval]] = {
    "words": lambda demand: demand.words,
    "sentences": lambda demand: demand.sentences,
    "characters": lambda demand: demand.characters,
    "paragraphs": lambda demand: demand.paragraphs,
    "points": lambda demand: demand.points,
    "citations": lambda demand: demand.citations,
}
_ADDED: dict[str, Callable[[Demand], int]] = {
    "words": lambda demand: demand.added_words,
    "sentences": lambda demand: demand.added_sentences,
    "paragraphs": lambda demand: demand.added_paragraphs,
    "points": lambda demand: demand.added_points,
}
# What an answer has before any rule adds to it: one sentence of one word.
_LEAST = {"words": 1, "sentences": 1, "paragraphs": 1, "points": 0}
# The least of the first asks at least so much of the second.
_NEEDS: tuple[tuple[str, str, Callable[[int], int]], ...] = (
    ("sentences", "words", lambda n: n),
    ("paragraphs", "sentences", lambda n: n),
    ("paragraphs", "words", lambda n: n),
    ("words", "characters", lambda n: 2 * n - 1),
    ("sentences", "characters", lambda n: 2 * n - 1),
    ("points", "words", lambda n: n),
    ("points", "sentences", lambda n: n),
)


@dataclass(frozen=True, slots=True)
class Clash:
    """The ids of rules that cannot all be kept in answers of more than `over_words` words, and why."""

    rules: tuple[str, ...]
    reason: str
    over_words: int = 0


@dataclass(frozen=True, slots=True)
class _Bound:
    """One bound, and the rules that it comes from."""

    value: int
    rules: tuple[str, ...]


Demands = Sequence[tuple[str, Demand]]


def clashes(demands: Demands) -> Iterator[Clash]:
    """The contradictions among the demands, by the ids of their rules."""
    short = [(each, demand) for each, demand in demands if not demand.over_words]
    found = list(dict.fromkeys(_clashes(short)))
    yield from found
    high = _highest(short, "words")
    for over in sorted({demand.over_words for _, demand in demands if demand.over_words}):
        if high is not None and high.value <= over:
            continue  # no answer is that long
        longer = [(each, demand) for each, demand in demands if demand.over_words <= over]
        least = Demand(words=Interval(over + 1))
        for clash in dict.fromkeys(_clashes([*longer, ("", least)])):
            rules = tuple(each for each in clash.rules if each)
            if not any(set(known.rules) <= set(rules) for known in found):
                found.append(Clash(rules, clash.reason, over))
                yield found[-1]


def _clashes(demands: Demands) -> Iterator[Clash]:
    for what in _INTERVALS:
        most = _highest(demands, what)
        if most is None:
            continue
        for least in (_lowest(demands, what), *_needed(demands, what), _sum(demands, what)):
            if least is not None and least.value > most.value:
                yield Clash(
                    (*least.rules, *most.rules), f"at least {counted(least.value, what)}, at most {most.value}"
                )
                break
    yield from _too_little_room(demands)


def _lowest(demands: Demands, what: str) -> _Bound | None:
    """The highest of the lower bounds."""
    bounds = [_Bound(_INTERVALS[what](demand).low, (each,)) for each, demand in demands]
    return max(bounds, key=lambda bound: bound.value, default=None)


def _highest(demands: Demands, what: str) -> _Bound | None:
    """The lowest of the upper bounds."""
    highs = ((each, _INTERVALS[what](demand).high) for each, demand in demands)
    bounds = [_Bound(high, (each,)) for each, high in highs if high is not None]
    return min(bounds, key=lambda bound: bound.value, default=None)


def _needed(demands: Demands, what: str) -> Iterator[_Bound]:
    """What the least of other measures asks of this one."""
    for other, wanted, least in _NEEDS:
        if wanted != what:
            continue
        for bound in (_lowest(demands, other), _sum(demands, other) if other in _ADDED else None):
            if bound is not None and bound.value > 0:
                yield replace(bound, value=least(bound.value))


def _sum(demands: Demands, what: str) -> _Bound | None:
    """What the answer and all that rules add to it have together."""
    if what not in _ADDED:
        return None
    added = [(each, _addition(demand, what, demands), demand) for each, demand in demands]
    rules = tuple(each for each, count, _ in added if count)
    most: dict[object, int] = {}
    for each, count, demand in added:  # two rules that ask for the same section, or for points, add it once
        points = "points" if demand.points != Interval() else each
        same = tuple(text.casefold() for text in demand.texts) or (points,)
        most[same] = max(most.get(same, 0), count)
    return _Bound(_LEAST[what] + sum(most.values()), rules) if rules else None


def _addition(demand: Demand, what: str, demands: Demands) -> int:
    """What a rule adds to the answer; of points in lists only those that no section holds."""
    count = _ADDED[what](demand)
    if demand.points == Interval():
        return count
    sections = [other.section_points for _, other in demands]
    if what == "paragraphs":
        room = sum(inf if section.high is None else section.high for section in sections)
        return 0 if room >= demand.points.low else count
    return max(0, count - sum(section.low for section in sections))


def _too_little_room(demands: Demands) -> Iterator[Clash]:
    """More words than the paragraphs may hold, where there are no lists to hold them."""
    words, paragraphs = _lowest(demands, "words"), _highest(demands, "paragraphs")
    points = _highest(demands, "points")
    sizes = [_Bound(demand.longest, (each,)) for each, demand in demands if demand.longest is not None]
    if words is None or paragraphs is None or points is None or points.value > 0 or not sizes:
        return
    longest = min(sizes, key=lambda bound: bound.value)
    room = paragraphs.value * longest.value
    if words.value > room:
        rules = dict.fromkeys((*words.rules, *paragraphs.rules, *longest.rules, *points.rules))
        yield Clash(tuple(rules), f"at least {words.value} words, and room for {room} in paragraphs without lists")
