"""The signals that vectors give: how near the question is to passages and to their best sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.judge.probe import Probe
from assay.judge.reading import Reading
from assay.text.answer_types import new_candidates, tells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Sentences embedded for one judgement, and characters of each: about 13 CPU-ms with the bundled model.
# Eight of them measured no better.
MOST_LINES = 4
LONGEST_LINE = 200
# How many sentences together may express a question.
_TOGETHER = 3


def vector_signals(
    passages: Sequence[float],
    question: NDArray[np.float32],
    lines: NDArray[np.float32],
    topic: NDArray[np.float32] | None = None,
) -> dict[str, float]:
    """Signals in 0 to 1; a negative cosine counts as 0.

    `passages` are the cosines of question and passages that are known, at least one; `question` is its vector,
    shape (dimension,), `lines` those of the telling sentences, shape (sentences, dimension), `topic` that of the
    nearest passage's title.
    """
    return {
        "cosine_best": clipped(max(passages)),
        "reached": reached(question, lines),
        "beyond": beyond(question, lines, topic),
    }


def beyond(question: NDArray[np.float32], lines: NDArray[np.float32], topic: NDArray[np.float32] | None) -> float:
    """How near the nearest sentence comes to what the question asks beyond its topic, 0 to 1.

    The best cosine after the topic's direction is taken out of question and sentences: a near miss speaks of the
    same thing without saying what is asked of it. It counts by how much of the question is left without its topic;
    for the rest, and without a topic, the best cosine as it is counts.
    """
    plain = _best_cosine(question, lines)
    if topic is None:
        return plain
    rest = question - (question @ topic) * topic
    share = clipped(float(rest @ rest) ** 0.5)
    return share * _best_cosine(rest, lines - (lines @ topic)[:, None] * topic) + (1 - share) * plain


def _best_cosine(question: NDArray[np.float32], lines: NDArray[np.float32]) -> float:
    """The highest cosine of the question and a line, within 0 to 1; vectors of no length are near nothing."""
    asked = float(question @ question) ** 0.5
    lengths = [float(line @ line) ** 0.5 * asked for line in lines]
    near = (float(dot) / length for dot, length in zip(lines @ question, lengths, strict=True) if length > 1e-6)
    return clipped(max(near, default=0.0))


def reached(question: NDArray[np.float32], lines: NDArray[np.float32]) -> float:
    """How much of the question's meaning its three nearest sentences express together, 0 to 1.

    The length of the projection of the question's vector on the space that their vectors span: 1 where it is a
    sum of theirs, so that facts found in different sentences add up and repetition does not.
    """
    left = question.astype("float64")
    whole = float(left @ left)
    order = sorted(range(len(lines)), key=lambda n: -float(lines[n] @ question))[:_TOGETHER]
    directions: list[NDArray[np.float64]] = []
    for n in order:
        direction = lines[n].astype("float64")
        for known in directions:
            direction = direction - (direction @ known) * known
        length = float(direction @ direction) ** 0.5
        if length > 1e-6:
            directions.append(direction / length)
            left = left - (left @ directions[-1]) * directions[-1]
    return clipped(max(0.0, 1.0 - float(left @ left) / whole) ** 0.5) if whole else 0.0


def clipped(cosine: float) -> float:
    """The cosine within 0 to 1."""
    return min(1.0, max(0.0, cosine))


def telling_lines(probe: Probe, readings: Sequence[Reading], cosines: Mapping[str, float]) -> tuple[str, ...]:
    """The sentences worth embedding, at most `MOST_LINES`, each cut to `LONGEST_LINE` characters, best first.

    Best is what holds most of the question, in a passage that is near and holds much of it, at its start, with
    something new of the type asked for. Distinct; ties go to the earlier passage.
    """
    ranked: list[tuple[float, str]] = []
    for reading in readings:
        passage = 0.3 * reading.cover + clipped(cosines.get(reading.passage_id, 0.0))
        for line in reading.lines:
            first = 0.1 if line.position == 0 else 0.0
            ranked.append((line.cover + passage + first, line.text[:LONGEST_LINE]))
    ranked.sort(key=lambda each: -each[0])
    several = [(score + _bonus(probe, text), text) for score, text in ranked[: 3 * MOST_LINES]]
    several.sort(key=lambda each: -each[0])
    return tuple(dict.fromkeys(text for _, text in several))[:MOST_LINES]


def _bonus(probe: Probe, text: str) -> float:
    """A little more for a sentence that holds something new of the type asked for."""
    told = tells(probe.answer_type, text) and new_candidates(text, probe.answer_type, probe.text)
    return 0.2 if told else 0.0
