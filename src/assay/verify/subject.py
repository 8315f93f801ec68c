"""Whether an answer speaks of what the question names, or of a namesake."""

from __future__ import annotations

from collections.abc import Sequence

from assay.text.names import names
from assay.text.tokens import words
from assay.types import Check, Claim, Question, Severity, Status

# A name of one word has no namesake that shares a part of it.
_WORDS = 2


def subject(question: Question, text: str, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of an answer that names a namesake of what is asked about, and never that itself; none otherwise.

    A namesake shares the last word of a name of the question and has another one before it: the Tay Bridge, where
    the Harbour Bridge was asked for. A title in the place of a name looks the same ("President Obama"), so the
    check is unknown rather than failed.

    >>> asked = Question("When was the Harbour Bridge opened?", "When was the Harbour Bridge opened?")
    >>> [check.cause for check in subject(asked, "The Tay Bridge was opened in 1887.", ())]
    ["the question is about 'harbour bridge', and the answer names 'tay bridge'"]
    >>> subject(asked, "The Harbour Bridge was opened in 1932, the Tay Bridge in 1887.", ())
    ()
    """
    said = set(words(" ".join((text, *(span.quote for claim in claims for span in claim.spans)))))
    named = [each.words for each in names(text) if len(each.words) >= _WORDS]
    for asked in (each.words for each in names(question.standalone) if len(each.words) >= _WORDS):
        if said.intersection(asked[:-1]):
            continue
        rival = next((each for each in named if each[-1] == asked[-1] and each != asked), None)
        if rival is not None:
            cause = f"the question is about {' '.join(asked)!r}, and the answer names {' '.join(rival)!r}"
            return (Check("subject", Status.UNKNOWN, Severity.BLOCK, None, cause),)
    return ()
