"""The words of a text as the checks read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from assay.text.tokens import STOP_WORDS, UNSPACED, bigrams, fold, stem, written_words

_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its stem, its folded form, whether it is written with a capital, and a stop word."""

    stem: str
    folded: str
    capital: bool
    stop: bool


def words_of(text: str) -> tuple[Word, ...]:
    """The words of `text` in order; a run of an unspaced script becomes its bigrams.

    >>> [(word.stem, word.stop) for word in words_of("The dogs 水素爆")]
    [('the', True), ('dog', False), ('水素', False), ('素爆', False)]
    """
    found: list[Word] = []
    for written in written_words(text):
        if _UNSPACED_RUN.match(written):
            found.extend(Word(pair, pair, False, False) for pair in bigrams(fold(written)))
        else:
            found.append(_word(written))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _word(written: str) -> Word:
    folded = fold(written)
    return Word(stem(folded), folded, written[0].isupper(), folded in STOP_WORDS)
