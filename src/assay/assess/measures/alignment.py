"""User alignment, estimated: language, detail and form as this person asked for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean

from assay.assess.measures.completeness import opens_with_yes_or_no
from assay.assess.reading import Measured, Reading
from assay.text.language import language_of
from assay.text.tokens import UNSPACED, words
from assay.types import AnswerType, QuestionKind

# The most words of an answer by detail, 1 to 10. The writer is told of sentences and paragraphs at each detail;
# these allow 30 words a sentence and 120 a paragraph, which is long for either. A chapter has no limit.
MOST_WORDS = (30, 30, 90, 120, 150, 240, 360, 600, 1500, None)
# An unspaced script has about this many characters a word.
_CHARACTERS = 2
_UNSPACED_SIGN = re.compile(rf"[{UNSPACED}]")
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d{1,3}[.)])\s+\S", re.MULTILINE)
# A single step or thing needs no list.
_FEWEST_ITEMS = 2


@dataclass(frozen=True, slots=True)
class _Part:
    value: float
    reason: str
    suggestion: str = ""


def user_alignment(reading: Reading) -> Measured:
    """The mean of what applies: language (0 or 1), length (1, or most words / words), form (0 or 1).

    The form applies to steps, lists and yes or no; two or more sentences of steps want a list. For whom it is
    written cannot be told by rules. An answer too short is a matter of completeness, since the evidence may hold no
    more.
    """
    if not reading.spans:
        return Measured(None, ("unknown: the answer has no sentences",))
    parts = [part for part in (_language(reading), _length(reading), _form(reading)) if part is not None]
    flawed = [part for part in parts if part.value < 1]
    return Measured(
        fmean(part.value for part in parts),
        tuple(part.reason for part in parts),
        (reading.quote(reading.spans[0].start, reading.spans[0].end),) if flawed else (),
        tuple(part.suggestion for part in flawed),
    )


def _language(reading: Reading) -> _Part | None:
    """Whether the answer is in the question's language; None where its words do not tell."""
    wanted, found = reading.question.language, language_of(reading.text)
    if "und" in (wanted, found):
        return None
    if wanted == found:
        return _Part(1.0, f"it is in the question's language ({wanted})")
    return _Part(0.0, f"it is in {found}, and the question in {wanted}", f"answer in {wanted}")


def _length(reading: Reading) -> _Part:
    detail = min(max(reading.question.detail, 1), len(MOST_WORDS))
    most, count = MOST_WORDS[detail - 1], counted(reading.text)
    if most is None or count <= most:
        return _Part(1.0, f"its {count} words suit detail {detail}")
    return _Part(most / count, f"its {count} words are more than the {most} of detail {detail}", "say it shorter")


def counted(text: str) -> int:
    """How many words a text has; two signs of a script without spaces count as one.

    >>> counted("It rained."), counted("水素爆弾")
    (2, 2)
    """
    unspaced = len(_UNSPACED_SIGN.findall(text))
    return len(words(_UNSPACED_SIGN.sub(" ", text))) + unspaced // _CHARACTERS


def _form(reading: Reading) -> _Part | None:
    """Whether steps and lists are such, and a yes-or-no question gets one; None where no form is asked for."""
    question = reading.question
    if question.kind is QuestionKind.YES_NO:
        if opens_with_yes_or_no(reading.text):
            return _Part(1.0, "it begins with yes or no")
        return _Part(0.0, "it does not begin with yes or no", "begin with yes or no, then say what shows it")
    listed = question.answer_type in (AnswerType.LIST, AnswerType.PROCEDURE)
    if not (listed or question.kind is QuestionKind.HOW_TO) or len(reading.spans) < _FEWEST_ITEMS:
        return None
    if len(_ITEM.findall(reading.text)) >= _FEWEST_ITEMS:
        return _Part(1.0, "it is a list, as was asked for")
    return _Part(0.0, "it is prose, and steps or a list were asked for", "write one step or item a line")
