"""What an assessed answer must reach to pass, and how much more a harder question may demand. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from assay.depth import SHORT, risk_of
from assay.text.tokens import words
from assay.types import Question, QuestionKind

# What one point of complexity adds to the overall quality, and how many points count. At most .1 is added: what the
# usual bar of .7 leaves to 1 is .3, and no more than a third of it is asked for on top.
A_POINT = 0.02
MOST_POINTS = 5
_ASPECTS_COUNTED = 3
_RISK = 2
_LONG_ANSWER = 6
_HARD_KINDS = frozenset({QuestionKind.COMPARATIVE, QuestionKind.INTERPRETIVE, QuestionKind.HOW_TO})


@dataclass(frozen=True, slots=True)
class Bar:
    """`quality` is asked of an answer over all criteria, `floor` in each of them; both 0 to 1."""

    quality: float = 0.7
    floor: float = 0.5


def bar_for(question: Question, usual: Bar = Bar()) -> Bar:
    """The bar of a question: .02 more quality than usual for a point of complexity, .1 at most; the floor stays.

    It only rises: whatever makes a question harder never lowers its bar. The numbers are chosen, not fitted: no
    labelled set says how good an answer to a harder question must be, so this is used only where the setting
    adaptive is on.

    >>> bar_for(Question("Who founded Rome?", "Who founded Rome?")).quality
    0.7
    >>> round(bar_for(Question("q", "Which dose is lethal?")).quality, 2)
    0.74
    """
    points = min(complexity(question), MOST_POINTS)
    return Bar(min(1.0, usual.quality + A_POINT * points) if points else usual.quality, usual.floor)


def complexity(question: Question) -> int:
    """How hard a question is, 0 to 9: a point for each further aspect (3 at most), two where a word shows a risk.

    A point each for one that compares, interprets or asks how to, that wants a long answer (detail 6 or more), that
    an expert asks, and that has more than 20 words.
    """
    return sum(
        (
            min(max(len(question.aspects) - 1, 0), _ASPECTS_COUNTED),
            _RISK * (risk_of(question.standalone) is not None),
            question.kind in _HARD_KINDS,
            question.detail >= _LONG_ANSWER,
            question.expertise == "expert",
            len(words(question.standalone)) > SHORT,
        )
    )
