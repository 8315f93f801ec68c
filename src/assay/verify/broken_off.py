"""Sentences that stop where they were about to say something: small models leave the place of the answer empty."""

from __future__ import annotations

import re

from assay.text.language import language_of

_LINKING = r"(?:is|are|was|were)"
# In small letters: names of works end on anything.
_LEFT_OPEN = re.compile(r"(?<![\w.'’-])(?:the|and)[ \t]*\.?\s*\Z")
_LINKS_TO_NOTHING = re.compile(rf"(?<![\w.'’-]){_LINKING}[ \t]*\.?\s*\Z")
# A mark stood where the answer should: "The answer is: [1]."
_LEADS_TO_NOTHING = re.compile(r"[:;,]\s*[.。]\s*\Z")
# "That is how it is", "she asked who the winner was", "it cost more than the other was".
_SAID_BEFORE = re.compile(
    rf"\b(?:what|who|whom|whose|where|when|how|why|which|whatever|whoever|wherever|than)\b"
    rf"|\b(?:I|it|he|she|they|we|you|there|this|that|these|those|one|so|nor|neither)[ \t]+{_LINKING}[ \t]*\.?\s*\Z",
    re.IGNORECASE,
)
# "Ann was never there, but Bo was", "he is as tall as she is".
_REPEATS = re.compile(
    r"\b(?:is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|weren['’]t)\b.*"
    r"\b(?:as|so|but|while|whereas|though|although|and|unlike|only)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[:;]\s")


def breaks_off(sentence: str) -> bool:
    """Whether a sentence ends where something must follow; of words only English ones are known.

    >>> [breaks_off(each) for each in ("The answer is.", "It is located in the", "She asked who he was.")]
    [True, True, False]
    >>> [breaks_off(each) for each in ("Ann was not there, but Bo was.", "Das ist, was es war.")]
    [False, False]
    """
    if _LEADS_TO_NOTHING.search(sentence):
        return True
    if language_of(sentence) != "en":
        return False
    if _LEFT_OPEN.search(sentence):
        return True
    clause = _CLAUSE.split(sentence)[-1]
    return bool(_LINKS_TO_NOTHING.search(clause)) and not (_SAID_BEFORE.search(clause) or _REPEATS.search(clause))
