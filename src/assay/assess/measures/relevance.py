"""Relevance, estimated: the share of the answer's claims that bear on the question."""

from __future__ import annotations

from assay.assess.reading import Measured, Reading, grounds
from assay.text.answer_types import new_candidates, tells
from assay.text.tokens import terms
from assay.types import AnswerType, Verdict

# The most that an answer scores which holds nothing of the type asked for: on the subject at best.
WITHOUT_THE_TYPE = 0.5
# What a claim counts that shares no term with the question, but shares two with one that does.
LINKED = 0.5
_SHARED = 2
_EXAMPLES = 3
# Types whose candidates are told by words that a good answer need not use.
_TOLD_LOOSELY = frozenset(
    {AnswerType.REASON, AnswerType.PROCEDURE, AnswerType.DEFINITION, AnswerType.LIST, AnswerType.NAME}
)


def relevance(reading: Reading) -> Measured:
    """The mean over claims: 1 on the question, 0.5 linked to one that is, 0 beside it.

    A claim is on the question where it, or what it stands on if it is supported, shares a term with the question,
    or where it holds the type of thing asked for. An answer without that type scores at most 0.5; of the types only
    persons, places, dates and numbers can be missed.
    """
    claims, question = reading.claims, reading.question
    if not claims:
        return Measured(None, ("unknown: the answer states nothing",))
    asked = frozenset(terms(question.standalone))
    if not asked:
        return Measured(None, ("unknown: the question has no words that an answer could be compared with",))
    said = [
        frozenset(terms(grounds(reading, each) if each.verdict is Verdict.SUPPORTED else each.text))
        for each in claims
    ]
    typed = [bool(new_candidates(each.text, question.answer_type, question.standalone)) for each in claims]
    on = [bool(each & asked) or has_type for each, has_type in zip(said, typed, strict=True)]
    subject = frozenset().union(*(each for each, is_on in zip(said, on, strict=True) if is_on))
    values = [
        1.0 if is_on else LINKED * (len(each & subject) >= _SHARED) for each, is_on in zip(said, on, strict=True)
    ]
    score = sum(values) / len(values)
    beside = [claim for claim, value in zip(claims, values, strict=True) if value < 1]
    reasons = [f"{len(claims) - len(beside)} of {len(claims)} claims speak of what the question speaks of"]
    suggestions = ["remove what does not bear on the question"] if beside else []
    if _is_missed(reading, any(typed)):
        score = min(score, WITHOUT_THE_TYPE)
        reasons.append(f"no claim gives a {question.answer_type.value}, which is what is asked for")
        suggestions.append(f"give the {question.answer_type.value} in the first sentence")
    return Measured(
        score, tuple(reasons), tuple(reading.quote_claim(each) for each in beside[:_EXAMPLES]), tuple(suggestions)
    )


def _is_missed(reading: Reading, is_there: bool) -> bool:
    """Whether the answer can be seen to lack the type of thing asked for."""
    wanted = reading.question.answer_type
    return wanted not in _TOLD_LOOSELY and tells(wanted, reading.text) and not is_there
