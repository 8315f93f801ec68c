"""What the reader makes of the passages: whether any of them answers, and which part of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.calibration import sigmoid
from assay.nlp.reading import in_context, titled
from assay.stages import Reader
from assay.types import Passage, Question, TitledText

# Passages that are read, the nearest first: as many as a search returns, and a few more of those that were given.
MOST_PASSAGES = 10
# Log odds beyond these tell no more: the reader was trained towards 2 and 98 %.
_LEAST_ODDS, _MOST_ODDS = -4.0, 4.0


@dataclass(frozen=True, slots=True)
class Answerability:
    """The reader's signals by name, each in 0 to 1; the probability that a passage answers, by its id.

    `parts` has the highest probability over the passages for each aspect of a question of several, None for a
    question of one.
    """

    signals: Mapping[str, float]
    passages: Mapping[str, float]
    parts: tuple[float, ...] | None = None


async def answerability(
    reader: Reader, question: Question, passages: Sequence[Passage], cosines: Mapping[str, float]
) -> Answerability:
    """Read the nearest passages; there must be one."""
    nearest = sorted(passages, key=lambda each: -cosines.get(each.passage_id, 0.0))[:MOST_PASSAGES]
    texts = [titled(each) for each in nearest]
    odds = [each.answerable for each in await reader.read(question.standalone, texts)]
    order = sorted(range(len(odds)), key=lambda at: -odds[at])
    best = [odds[at] for at in order]
    signals = {
        "reader_best": _share(best[0]),
        "reader_second": _share(best[min(1, len(best) - 1)]),
        "reader_third": _share(best[min(2, len(best) - 1)]),
    }
    parts: tuple[float, ...] | None = None
    if len(question.aspects) > 1:
        parts = tuple([await _part(reader, question, aspect, texts) for aspect in question.aspects])
    by_id = {each.passage_id: sigmoid(one) for each, one in zip(nearest, odds, strict=True)}
    return Answerability(signals, by_id, parts)


async def _part(reader: Reader, question: Question, aspect: str, texts: Sequence[TitledText]) -> float:
    """The highest probability that a passage answers one part of a question."""
    read = await reader.read(in_context(aspect, question.standalone), texts)
    return max(sigmoid(each.answerable) for each in read)


def _share(odds: float) -> float:
    """Log odds within 0 to 1, for a weighted sum.

    >>> _share(-9.0), _share(0.0), _share(4.0)
    (0.0, 0.5, 1.0)
    """
    return (min(max(odds, _LEAST_ODDS), _MOST_ODDS) - _LEAST_ODDS) / (_MOST_ODDS - _LEAST_ODDS)
