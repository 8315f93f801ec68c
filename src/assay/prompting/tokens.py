"""How many tokens a text costs, without the model's own tokenizer."""

from __future__ import annotations

import math
from collections.abc import Callable

from assay.text.sentences import sentences

# How many tokens a text has; a model's own counter may be handed in for the estimate.
Count = Callable[[str], int]

# A reply gets at most this share of the context window: evidence is what answers.
REPLY_SHARE = 3
# Tokens a code point, and what each further UTF-8 byte of it adds. English prose has about 4.3 characters a
# token and German 3.5; Cyrillic and Greek letters have 2 bytes, CJK ones 3, which comes to one token each.
_A_CHARACTER = 1 / 3.5
_A_FURTHER_BYTE = 0.36


def estimated_tokens(text: str) -> int:
    """How many tokens the text costs at most with the usual vocabularies, for prose; rounded up.

    It is an estimate on the safe side, not a bound: runs of rare signs cost more.

    >>> estimated_tokens("Water boils at 100 degrees."), estimated_tokens("水素爆弾")
    (8, 5)
    """
    characters = len(text)
    if text.isascii():
        return math.ceil(characters * _A_CHARACTER)
    further = len(text.encode("utf-8", "surrogatepass")) - characters
    return math.ceil(characters * _A_CHARACTER + further * _A_FURTHER_BYTE)


def opening(text: str, budget_tokens: int, count: Count = estimated_tokens) -> str:
    """The longest run of whole sentences from the start of `text` within the budget; all of it where it fits.

    >>> opening("It rained. Then the sun came out.", 5)
    'It rained.'
    """
    if count(text) <= budget_tokens:
        return text
    kept = ""
    for span in sentences(text):
        if count(text[: span.end]) > budget_tokens:
            break
        kept = text[: span.end]
    return kept
