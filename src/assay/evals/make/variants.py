"""The same question as people may write it: with a typing slip, in other words, as a search. Pure."""

from __future__ import annotations

import random
import re

from assay.evals.make.wording import Wording
from assay.nlp.tokens import STOP_WORDS, fold, is_common, stem

# The keys beside each on a keyboard of the layout QWERTY, in its rows.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_WORD = re.compile(r"(?<![\w\-./`“])[a-z]{6,}(?![\w\-/`”]|\.\w)")


def misspelt(question: str, chance: random.Random) -> str | None:
    """The question with one slip in an ordinary word: two letters swapped, one lost, doubled or a wrong key.

    The first letter stays, as it does in most slips (Pollock and Zamora 1983). None where it has no such word of at
    least six letters: names, numbers and codes stay whole.

    >>> misspelt("How many people does the hall hold?", random.Random(3))
    'How many pepple does the hall hold?'
    """
    places = [match for match in _WORD.finditer(question) if _is_ordinary(match.group())]
    if not places:
        return None
    match = chance.choice(places)
    word = match.group()
    slips = [slip for slip in _slips(word, chance) if slip != word and not is_common(stem(slip))]
    if not slips:
        return None
    return question[: match.start()] + chance.choice(slips) + question[match.end() :]


def reworded(wording: Wording, chance: random.Random) -> str | None:
    """The question in other words, or as a search; None where no other wording is known."""
    known = (*wording.rewordings(), wording.typed())
    other = [text for text in known if text != wording.question]
    return chance.choice(other) if other else None


def _is_ordinary(word: str) -> bool:
    return fold(word) not in STOP_WORDS and is_common(stem(fold(word)))


def _slips(word: str, chance: random.Random) -> tuple[str, ...]:
    at = chance.randrange(1, len(word) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    lost = word[:at] + word[at + 1 :]
    doubled = word[: at + 1] + word[at:]
    missed = word[:at] + chance.choice(_beside(word[at])) + word[at + 1 :]
    return swapped, lost, doubled, missed


def _beside(letter: str) -> str:
    row = next(row for row in _ROWS if letter in row)
    at = row.index(letter)
    return row[max(0, at - 1) : at] + row[at + 1 : at + 2]
