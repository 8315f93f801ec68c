"""An assessment as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.cli.answer_view import Json, marked

if TYPE_CHECKING:
    from rich.text import Text

# What cannot be assessed without a question.
OF_A_QUESTION = ("relevance", "completeness")


def weakness(answer: Json) -> Iterator[Text]:
    """A line for an assessment that did not pass: what was reached, what was asked, and the weakest criterion.

    An overall score that was reached leaves the floor as what was not. Records of earlier versions may lack both.
    """
    assessment = answer.get("assessment")
    if not assessment or assessment["passed"] is not False:
        return
    overall, bar = assessment["overall"], assessment.get("bar")
    asked = "" if bar is None else f", {bar:.3f} was asked"
    criterion = assessment.get("weakest")
    scored = [score_told(each) for each in assessment["scores"] if each["criterion"] == criterion]
    floor = "" if assessment.get("floor") is None else f" of {assessment['floor']:.3f}"
    below = f"below the floor{floor}" if bar is not None and overall >= bar else "the weakest"
    weakest = f"; {below}: {scored[0]}" if scored else ""
    yield marked("failed", f"assessed as weak: {overall:.3f} overall{asked}{weakest}")


def assessed(assessment: Json | None, asked: bool) -> Iterator[str]:
    """A line for an assessment: the overall score, each known one, what is open where none was `asked`."""
    if not assessment:
        return
    known = [score_told(each) for each in assessment["scores"] if each["score"] is not None]
    open_ones = [each["criterion"] for each in assessment["scores"] if each["score"] is None]
    needed = [each for each in OF_A_QUESTION if each in open_ones and not asked]
    hint = [f"give --question to assess {' and '.join(needed)}"] if needed else []
    overall = score_told({"criterion": "overall", "score": assessment["overall"]})
    yield "; ".join([f"assessed: {overall}", *([", ".join(known)] if known else []), *hint])


def score_told(score: Json) -> str:
    """A criterion with its score.

    >>> score_told({"criterion": "user_alignment", "score": 0.5})
    'user alignment 0.500'
    """
    known = "unknown" if score["score"] is None else f"{score['score']:.3f}"
    return f"{score['criterion'].replace('_', ' ')} {known}"
