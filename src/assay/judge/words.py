"""The signals that words alone give: coverage, phrases, names, numbers, the type of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from assay.judge.probe import Probe
from assay.judge.reading import Line, Reading, cover
from assay.text.answer_types import new_candidates, tells

# Two terms of the question stand together when at most this many terms lie between them in a passage.
_NEAR = 3


def word_signals(probe: Probe, readings: Sequence[Reading]) -> dict[str, float]:
    """Each signal in 0 to 1, higher is better; `readings` must not be empty and the probe must have terms.

    `cover_all`, `cover_best`: the share of the question, by rarity, that all passages or the best one hold.
    `rare`: the share of its two rarest terms. `pairs`: of its neighbouring terms that stand near each other.
    `names`, `numbers`: of its names and numbers. `aspects`: of the least covered aspect. `answer`: the share held
    by two neighbouring sentences with a candidate of the answer's type, and `typed` that share over the share
    without this condition.
    """
    union = frozenset().union(*(each.held for each in readings))
    window, answer = best_window(probe, readings), answer_cover(probe, readings)
    return {
        "cover_all": cover(union, probe),
        "cover_best": max(each.cover for each in readings),
        "rare": sum(term in union for term in probe.rarest) / len(probe.rarest),
        "pairs": _pairs(probe, readings),
        "names": _names(probe, readings),
        "numbers": _numbers(probe, readings),
        "aspects": min(
            (max(aspect_cover(terms, each, probe) for each in readings) for _, terms in probe.aspects),
            default=cover(union, probe),
        ),
        "answer": answer,
        "typed": answer / window if window else 0.0,
    }


def best_window(probe: Probe, readings: Sequence[Reading]) -> float:
    """The highest coverage by two sentences that follow each other."""
    return max((_covered(window, probe) for reading in readings for window in _windows(reading)), default=0.0)


def answer_cover(probe: Probe, readings: Sequence[Reading]) -> float:
    """The highest coverage by two neighbouring sentences of which one holds a candidate of the answer's type.

    Where the type has no shape that could be seen, the same as `best_window`.
    """
    best = 0.0
    for reading in readings:
        seen: dict[int, bool] = {}
        for window in _windows(reading):
            covered = _covered(window, probe)
            if covered > best and any(_answers(line, probe, seen) for line in window):
                best = covered
    return best


def _windows(reading: Reading) -> Iterator[tuple[Line, ...]]:
    """Each sentence with the one behind it; the last stands alone."""
    for at in range(len(reading.lines)):
        yield reading.lines[at : at + 2]


def _covered(window: tuple[Line, ...], probe: Probe) -> float:
    """The coverage by the sentences of a window together."""
    return cover(frozenset().union(*(line.held for line in window)), probe)


def _answers(line: Line, probe: Probe, seen: dict[int, bool]) -> bool:
    """Whether the sentence holds something new of the type that is asked for, or the type cannot be told."""
    if line.position not in seen:
        can_tell = tells(probe.answer_type, line.text)
        seen[line.position] = not can_tell or bool(new_candidates(line.text, probe.answer_type, probe.text))
    return seen[line.position]


def _pairs(probe: Probe, readings: Sequence[Reading]) -> float:
    """The share of the question's neighbouring terms that stand near each other in one passage."""
    if not probe.pairs:
        return cover(readings[0].held, probe)
    wanted = set(probe.pairs)
    met = {pair for reading in readings for pair in _met(wanted, reading.order)}
    weight = {pair: probe.weights[pair[0]] + probe.weights[pair[1]] for pair in wanted}
    return fsum(weight[pair] for pair in met) / fsum(weight.values())


def _met(wanted: set[tuple[str, str]], order: tuple[str, ...]) -> set[tuple[str, str]]:
    """The pairs of which both terms stand near each other, in either order."""
    terms = {term for pair in wanted for term in pair}
    places = [(n, term) for n, term in enumerate(order) if term in terms]
    met: set[tuple[str, str]] = set()
    for at, (place, term) in enumerate(places):
        for other_place, other in places[at + 1 :]:
            if other_place - place > _NEAR:
                break
            met.update(pair for pair in ((term, other), (other, term)) if pair in wanted)
    return met


def _names(probe: Probe, readings: Sequence[Reading]) -> float:
    """The share of the question's names that some passage holds whole; coverage where it names nothing."""
    if not probe.names:
        return cover(frozenset().union(*(each.held for each in readings)), probe)
    sets = [set(each.order) for each in readings]
    return sum(any(set(name) <= each for each in sets) for name in probe.names) / len(probe.names)


def _numbers(probe: Probe, readings: Sequence[Reading]) -> float:
    """The share of the question's numbers that some passage holds; coverage where it has none."""
    union = frozenset().union(*(each.held for each in readings))
    if not probe.numbers:
        return cover(union, probe)
    return len(probe.numbers & union) / len(probe.numbers)


def aspect_cover(terms: frozenset[str], reading: Reading, probe: Probe) -> float:
    """The share of an aspect's terms, by rarity, that a passage holds."""
    total = fsum(probe.weights.get(term, 1.0) for term in terms)
    return fsum(probe.weights.get(term, 1.0) for term in terms & reading.held) / total
