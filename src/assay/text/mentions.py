"""Whether a text names what was asked about, in one of the ways that a name is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.text.names import acronyms
from assay.text.tokens import STOP_WORDS, fold, words

# Languages that write every noun with a capital, where capitals tell no names.
CAPITAL_NOUNS = frozenset({"de"})
# How much of a name's beginning tells it: "Europe" in "European".
_ENDING, _LEAST_BEGINNING = 2, 4
# A single letter stands for anything.
_LETTERS = 2
_POSSESSIVE = re.compile(r"['’]s?\Z")


def mentions(text: str, asked: Sequence[str]) -> bool:
    """Whether a text has one of the folded words, one that begins as it does, its initials, or what they stand for.

    >>> [mentions(each, ("europe",)) for each in ("The European fee", "The fee in Asia")]
    [True, False]
    """
    held = [plain_word(word) for word in words(text)]
    known = {short: set(long) for short, long in acronyms(text).items()}
    beginnings = tuple(word[: max(_LEAST_BEGINNING, len(word) - _ENDING)] for word in asked)
    if any(word in asked or word.startswith(beginnings) for word in held):
        return True
    short = "".join(word[0] for word in asked)
    if (len(short) >= _LETTERS and short in held) or any(set(asked) & long for long in known.values()):
        return True
    initials = "".join(word[0] for word in held if word not in STOP_WORDS)
    return any(len(word) >= _LETTERS and word in initials for word in asked)


def plain_word(word: str) -> str:
    """A word folded, without the ending of a possessive.

    >>> plain_word("Bergen's")
    'bergen'
    """
    return _POSSESSIVE.sub("", fold(word))
