"""The signals that vectors give: how near the question is to passages and to their best sentences."""

from __future__ import annotations

from collections.abc import Sequence

from assay.judge.probe import Probe
from assay.judge.reading import Reading
from assay.text.answer_types import new_candidates, tells

# Sentences embedded for one judgement, and characters of each: about 30 CPU-ms with the bundled model.
MOST_LINES = 8
LONGEST_LINE = 240


def vector_signals(passages: Sequence[float], lines: Sequence[float]) -> dict[str, float]:
    """Cosines as signals in 0 to 1 (a negative cosine counts as 0); `passages` must not be empty.

    `passages` are the cosines of question and passages that are known, `lines` those of the chosen sentences.
    """
    near = sorted((clipped(each) for each in passages), reverse=True)
    best_lines = sorted((clipped(each) for each in lines), reverse=True) or [0.0]
    return {
        "cosine_best": near[0],
        "cosine_third": near[min(2, len(near) - 1)],
        "cosine_mean": sum(near) / len(near),
        "cosine_line": best_lines[0],
        "cosine_lines": sum(best_lines[:3]) / len(best_lines[:3]),
    }


def clipped(cosine: float) -> float:
    """The cosine within 0 to 1."""
    return min(1.0, max(0.0, cosine))


def telling_lines(probe: Probe, readings: Sequence[Reading], most: int = MOST_LINES) -> tuple[str, ...]:
    """The sentences worth embedding: most of the question held, an answer of its type, early, in a good passage.

    Distinct, cut to `LONGEST_LINE` characters, best first; ties go to the earlier passage.
    """
    ranked: list[tuple[float, str]] = []
    for reading in readings:
        for line in reading.lines:
            score = line.cover + 0.3 * reading.cover + (0.1 if line.position == 0 else 0.0)
            ranked.append((score, line.text))
    ranked.sort(key=lambda each: -each[0])
    several = [(score + _bonus(probe, text), text) for score, text in ranked[: 3 * most]]
    several.sort(key=lambda each: -each[0])
    return tuple(dict.fromkeys(text[:LONGEST_LINE] for _, text in several))[:most]


def _bonus(probe: Probe, text: str) -> float:
    """A little more for a sentence that holds something new of the type asked for."""
    told = tells(probe.answer_type, text) and new_candidates(text[:LONGEST_LINE], probe.answer_type, probe.text)
    return 0.2 if told else 0.0
