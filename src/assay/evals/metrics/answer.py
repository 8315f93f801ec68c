"""Correctness of an answer's text: the right thing done, exact match, F1, gold contained, nugget completeness."""

from __future__ import annotations

import re
import string
from collections import Counter

from assay.evals.cases import Case
from assay.evals.metrics.gold import (
    GIVEN,
    has_gold,
    is_right,
    nuggets_shown,
    says_right,
    shown_text,
    shows_answer,
)
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
# The short answer that a quoted answer begins with, set off in bold.
_LEAD = re.compile(r"\s*\*\*([^*\n]{1,200})\*\*\s+—")
_NO_ANSWER = "no case has an answer to compare with"


def squad_words(text: str) -> list[str]:
    """The words of a text in SQuAD's normal form: lower case, no punctuation, no articles.

    As `normalize_answer` of its evaluation script (Rajpurkar et al. 2016, arXiv 1606.05250).

    >>> squad_words("The 8-metre tower, a ruin.")
    ['8metre', 'tower', 'ruin']
    """
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def exact_match(text: str, gold: str) -> bool:
    """True if both are the same in SQuAD's normal form.

    >>> exact_match("The tower.", "tower")
    True
    """
    return squad_words(text) == squad_words(gold)


def token_f1(text: str, gold: str) -> float:
    """F1 of the words of both in SQuAD's normal form, 0 to 1 (Rajpurkar et al. 2016, section 6.1).

    Where either has no words, 1 if both have none, else 0.

    >>> token_f1("the tall tower", "tower of London")
    0.4
    """
    one, other = squad_words(text), squad_words(gold)
    if not one or not other:
        return float(one == other)
    same = (Counter(one) & Counter(other)).total()
    return 2 * same / (len(one) + len(other))


def short_answer(result: CaseResult) -> str:
    """The text to compare with a gold word for word: the bold words that the text begins with, else all of it.

    >>> from assay.types import Outcome
    >>> short_answer(CaseResult("a", 0, Outcome.ANSWERED, "**3 May 1932** — It opened on 3 May 1932. [1]"))
    '3 May 1932'
    """
    if result.outcome not in GIVEN:
        return ""
    lead = _LEAD.match(result.text)
    return lead[1] if lead else shown_text(result)


def _exact(case: Case, result: CaseResult) -> float:
    text = short_answer(result)
    return float(bool(text) and any(exact_match(text, gold) for gold in case.answers))


def _f1(case: Case, result: CaseResult) -> float:
    text = short_answer(result)
    return max(token_f1(text, gold) for gold in case.answers) if text else 0.0


def _contained(case: Case, result: CaseResult) -> float:
    return float(shows_answer(case, result))


def _right(case: Case, result: CaseResult) -> float | None:
    right = is_right(case, result)
    return None if right is None else float(right)


def _wrong_shown(case: Case, result: CaseResult) -> float | None:
    right = is_right(case, result)
    return None if right is None else float(not right and result.outcome in GIVEN)


def _completeness(case: Case, result: CaseResult) -> float:
    """The share of the nuggets that the text shows (as the nugget recall of Voorhees 2003, all nuggets vital)."""
    return nuggets_shown(case, result) / len(case.nuggets)


def _has_answers(case: Case) -> bool:
    return bool(case.answers)


def _has_nuggets(case: Case) -> bool:
    return bool(case.nuggets)


_NO_RIGHT = "no case says what a right answer is"
RIGHT = MeanMeasure("right", "answer", _right, _NO_RIGHT, says_right)
WRONG_SHOWN = MeanMeasure("wrong_shown", "answer", _wrong_shown, _NO_RIGHT, says_right, failed=1.0, better="lower")
GOLD_CONTAINED = MeanMeasure("gold_contained", "answer", _contained, _NO_ANSWER, has_gold)
EXACT_MATCH = MeanMeasure("exact_match", "answer", _exact, _NO_ANSWER, _has_answers)
F1 = MeanMeasure("f1", "answer", _f1, _NO_ANSWER, _has_answers)
NUGGET_COMPLETENESS = MeanMeasure(
    "nugget_completeness", "answer", _completeness, "no case has nuggets", _has_nuggets
)
MEASURES = (RIGHT, WRONG_SHOWN, GOLD_CONTAINED, EXACT_MATCH, F1, NUGGET_COMPLETENESS)
