"""Completeness, estimated: how much of each part of the question the answer speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from assay.assess.reading import Measured, Reading, grounds
from assay.text.answer_types import new_candidates
from assay.text.tokens import terms
from assay.types import AnswerType, Verdict

# A part of which less is spoken of counts as left out in what is told; the score itself has no threshold.
_LEFT_OUT = 0.5


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    share: float


def completeness(reading: Reading) -> Measured:
    """The mean over the question's parts of the share of the part's own terms that the answer speaks of.

    A part's own terms are those that not every part has. The answer speaks of a term where a claim, or what a
    supported claim stands on, holds it. A question of one part is covered in full where the answer holds the type
    of thing asked for, or says yes or no where that was asked. Words are compared, so a part that is answered in
    other words altogether, and from sources in other words, counts as left out.
    """
    parts = reading.question.aspects or (reading.question.standalone,)
    if not reading.text.strip():
        return Measured(0.0, ("the answer is empty",), (), ("answer the question",))
    spoken = _spoken(reading)
    if len(parts) == 1 and _gives_what_is_asked(reading):
        return Measured(1.0, (f"it gives a {reading.question.answer_type.value}, which is what is asked for",))
    own = _own_terms(parts)
    covered = [
        _Part(part, len(wanted & spoken) / len(wanted)) for part, wanted in zip(parts, own, strict=True) if wanted
    ]
    if not covered:
        return Measured(None, ("unknown: the question has no words that an answer could be compared with",))
    left_out = [part.text for part in covered if part.share < _LEFT_OUT]
    reasons = (f"it speaks of {len(covered) - len(left_out)} of {len(covered)} parts of the question",)
    return Measured(
        fmean(part.share for part in covered),
        (*reasons, *(f"no claim speaks of “{each}”" for each in left_out)),
        tuple(reading.quote_claim(each) for each in reading.claims[:1]),
        tuple(f"answer “{each}”, or say that the evidence does not" for each in left_out),
    )


def _spoken(reading: Reading) -> frozenset[str]:
    """The terms of the claims, and of what the supported ones stand on."""
    found: set[str] = set()
    for claim in reading.claims:
        supported = claim.verdict is Verdict.SUPPORTED
        found.update(terms(grounds(reading, claim) if supported else claim.text))
    return frozenset(found)


def _own_terms(parts: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Each part's terms without those that all parts share; all of them where none is left."""
    every = [frozenset(terms(part)) for part in parts]
    shared = frozenset.intersection(*every) if len(every) > 1 else frozenset()
    return tuple(each - shared or each for each in every)


def _gives_what_is_asked(reading: Reading) -> bool:
    """Whether the answer holds the type of thing asked for, or opens with yes or no where that was asked."""
    question = reading.question
    if question.answer_type is AnswerType.YES_NO:
        return opens_with_yes_or_no(reading.text)
    claimed = " ".join(claim.text for claim in reading.claims)
    return bool(new_candidates(claimed, question.answer_type, question.standalone))


def opens_with_yes_or_no(text: str) -> bool:
    """Whether the first word is yes or no, in one of the languages that assay knows.

    >>> opens_with_yes_or_no("Yes, in 1932."), opens_with_yes_or_no("Yesterday."), opens_with_yes_or_no("是的。")
    (True, False, True)
    """
    opening = text.lstrip(" \n*_\"'“").casefold()
    first = opening.split(maxsplit=1)[0].strip(".,;:!*_") if opening else ""
    return first in _YES_OR_NO or opening.startswith(("是", "不是", "はい", "いいえ"))


_YES_OR_NO = frozenset("yes no ja nein oui non sí si no sim não nee da нет да ναι όχι".split())
