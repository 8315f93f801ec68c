"""Correctness of a result: what its text shows of the gold, and if it answers where it should."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from assay.evals.cases import Answerability, Case
from assay.evals.results import CaseResult
from assay.nlp.citations import citations, without_marks
from assay.nlp.controls import encodable
from assay.nlp.tokens import terms, words
from assay.types import Outcome

# Outcomes that show an answer, and those that show none.
GIVEN = frozenset({Outcome.ANSWERED, Outcome.PARTIAL})
WITHHELD = frozenset({Outcome.ABSTAINED, Outcome.CLARIFY})
# A gold of more words than this need not occur word for word: half of its content words must (chosen).
LONG_WORDS = 8
_MARKUP = re.compile(r"[*_`#|>]+")


def shown_text(result: CaseResult) -> str:
    """The text of an answer that was given, without marks of citations and of Markdown; "" where none was.

    >>> shown_text(CaseResult("a", 0, Outcome.ANSWERED, "**3 May** — It opened on 3 May. [1]"))
    '3 May — It opened on 3 May.'
    """
    if result.outcome not in GIVEN:
        return ""
    return _bare(result.text)


# Many measures read the text of one result, one after the other.
_REMEMBERED = 256


@lru_cache(maxsize=_REMEMBERED)
def _bare(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", without_marks(text, citations(text))).split())


@lru_cache(maxsize=_REMEMBERED)
def folded(text: str) -> str:
    """The words of a text, whatever their case and accents, with a space before and behind each.

    >>> folded("It's 8 M high.")
    " it's 8 m high "
    """
    return f" {' '.join(words(text))} "


def shows_gold(text: str, gold: str) -> bool:
    """True if a text shows a gold answer.

    Yes and no must be the first of the two words in the text; a gold of up to eight words must occur as words,
    whatever the case and accents; of a longer one half of the distinct content words must. This is the definition
    of "gold shown" in docs/measured.md.

    >>> shows_gold("It opened on 3 May 1932.", "3 may 1932"), shows_gold("Yes, not no.", "no")
    (True, False)
    """
    wanted, shown = folded(gold), folded(text)
    if wanted in (" yes ", " no "):
        return next((word for word in shown.split() if word in ("yes", "no")), "") == wanted.strip()
    if len(wanted.split()) > LONG_WORDS:
        return content_share(text, gold) >= 0.5
    return bool(wanted.strip()) and wanted in shown


def content_share(text: str, wanted: str) -> float:
    """The share of the distinct content terms of `wanted` that the text holds, 0 to 1; 0 where it has none.

    >>> content_share("The boiling point", "points of boiling water")
    0.6666666666666666
    """
    sought = set(terms(wanted))
    return len(sought & set(terms(text))) / len(sought) if sought else 0.0


def has_gold(case: Case) -> bool:
    """True if the case says what a right answer shows."""
    return bool(case.answers or case.patterns)


def shows_answer(case: Case, result: CaseResult) -> bool:
    """True if the text shows one of the case's answers, or matches one of its patterns in any case."""
    text = shown_text(result)
    return bool(text) and (
        any(shows_gold(text, gold) for gold in case.answers)
        or any(_compiled(pattern).search(encodable(text)) is not None for pattern in case.patterns)
    )


def nuggets_shown(case: Case, result: CaseResult) -> int:
    """Number of the case's nuggets that the text shows, in any of their wordings."""
    text = shown_text(result)
    return sum(any(shows_gold(text, wording) for wording in nugget) for nugget in case.nuggets) if text else 0


def is_right(case: Case, result: CaseResult) -> bool | None:
    """Tell whether the result does the right thing; None where the case does not say what that is.

    Where the documents do not answer, that is to give no answer; else to show the gold: an answer or a pattern, or
    without these all nuggets. A failed result is not right.
    """
    if case.answerability is Answerability.NONE:
        return result.outcome in WITHHELD
    if has_gold(case):
        return shows_answer(case, result)
    return nuggets_shown(case, result) == len(case.nuggets) if case.nuggets else None


def says_right(case: Case) -> bool:
    """True if the case says what the right thing is."""
    return case.answerability is Answerability.NONE or has_gold(case) or bool(case.nuggets)


@lru_cache(maxsize=1 << 12)
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.dot_nl = True
    return re2.compile(pattern, options)
