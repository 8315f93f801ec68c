"""The few sentences of several passages that a grader reads a question against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.judge.probe import Probe
from assay.judge.reading import Line, Reading
from assay.text.answer_types import new_candidates, tells

# About 128 tokens together with a question: what the network reads in one go.
WORDS = 90
# A sentence is cut to this many words, so that one long line does not fill the window.
LONGEST = 45


def window(probe: Probe, readings: Sequence[Reading], cosines: Mapping[str, float], words: int = WORDS) -> str:
    """The sentences that hold most of the question, as many as fit, in order; "" with nothing to read."""
    best_first = sorted(
        ((rank, at, line) for at, reading in enumerate(readings) for rank, line in ranked(probe, reading, cosines)),
        key=lambda each: -each[0],
    )
    kept: dict[tuple[int, int], str] = {}
    room = words
    for place, (_, at, line) in enumerate(best_first[:40]):
        taken = [line]
        if place == 0:
            taken += [each for each in readings[at].lines if each.position == line.position + 1]
        for each in taken:
            cut = each.text.split()[:LONGEST]
            if (at, each.position) not in kept and (len(cut) <= room or not kept):
                kept[at, each.position] = " ".join(cut)
                room -= len(cut)
        if room < 8:
            break
    return " ".join(kept[key] for key in sorted(kept))


def ranked(probe: Probe, reading: Reading, cosines: Mapping[str, float]) -> list[tuple[float, Line]]:
    """Each line with its rank: what it holds, how near its passage is, whether it opens it, an answer's type."""
    passage = 0.3 * reading.cover + max(0.0, cosines.get(reading.passage_id, 0.0))
    return [
        (line.cover + passage + (0.1 if line.position == 0 else 0.0) + _bonus(probe, line), line)
        for line in reading.lines
    ]


def _bonus(probe: Probe, line: Line) -> float:
    if line.cover < 0.2 or not tells(probe.answer_type, line.text):
        return 0.0
    return 0.2 if new_candidates(line.text, probe.answer_type, probe.text) else 0.0
