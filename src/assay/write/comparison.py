"""Questions that set things side by side: which sentence speaks for each of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from assay.text.answer_types import candidates as stretches
from assay.text.tokens import words
from assay.types import AnswerType, Evidence, Question, QuestionKind
from assay.write.candidates import Candidate
from assay.write.features import bare_title, named

_SETS_SIDE_BY_SIDE = re.compile(
    r"\b(?:or|both|between|than|common|same|difference|differ|versus|vs)\b", re.IGNORECASE
)
_IN_TIME = re.compile(
    r"\b(?:first|earlier|earliest|older|oldest|later|latest|younger|youngest|newer|newest|before|after|born"
    r"|longer|recent|recently)\b",
    re.IGNORECASE,
)
# How much likelier a dated sentence is to speak for its side where the question compares in time.
_DATED = 4.0
_MOST_SIDES = 3


def sides(question: Question, evidence: Evidence, pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """The likeliest sentence on each thing compared, in order of the passages; empty where nothing is compared.

    A thing is compared when it is the title of a passage and the question names it, beside another one.
    """
    ranks = _named_ranks(question.standalone, evidence)
    compares = question.kind is QuestionKind.COMPARATIVE or _SETS_SIDE_BY_SIDE.search(question.standalone)
    if len(ranks) < 2 or not compares:
        return []
    dated = bool(_IN_TIME.search(question.standalone))
    best = []
    for rank in ranks[:_MOST_SIDES]:
        own = [index for index, candidate in enumerate(pool) if candidate.rank == rank]
        if own:
            best.append(max(own, key=lambda index: shares[index] * _weight(pool[index], dated)))
    return best


def _named_ranks(question: str, evidence: Evidence) -> list[int]:
    """The first passage of each title that the question names and that is not part of a longer one it names."""
    titles = [passage.title for passage in evidence.passages]
    first = {bare_title(title): rank for rank, title in reversed(list(enumerate(titles)))}
    asked = {bare_title(title) for title, is_named in zip(titles, named(question, titles), strict=True) if is_named}
    return sorted(
        first[title]
        for title in asked
        if not any(title != other and f" {title} " in f" {other} " for other in asked)
    )


def _weight(candidate: Candidate, dated: bool) -> float:
    """How fit a sentence is to stand beside another: short, and dated where dates are compared."""
    short = 1 / math.sqrt(candidate.words)
    return short * _DATED if dated and stretches(candidate.text, AnswerType.DATE) else short


def asks_which_of(question: str) -> bool:
    """Whether the question offers its answers: "A or B".

    >>> asks_which_of("Is it tea or coffee?"), asks_which_of("Is it tea?")
    (True, False)
    """
    return "or" in words(question)
