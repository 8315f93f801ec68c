"""Words that may stand in a word's place: the same thing, something broader, a sister of it, its opposite."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from assay.text.tokens import STOP_WORDS, fold, stem
from assay.verify.lexicon import kinship, lexicon, part_of_speech

_WORD = re.compile(r"[a-z]{3,}")
# Rarer words are left alone: a word list of their kin would be guesswork.
_LEAST_SEEN, _MOST_KIN = 4, 8
_ENDINGS = ("ing", "ed", "ly", "s")


def shape(word: str) -> str:
    """The ending that another word must share to fit in the same place.

    >>> shape("walked"), shape("dogs"), shape("red")
    ('ed', 's', '')
    """
    return next((end for end in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2), "")


class Vocabulary:
    """The kin of the words that a collection of texts uses, by kinship."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts = Counter(word for text in texts for word in _WORD.findall(text.lower()))
        self.common = {word for word, count in counts.items() if count >= _LEAST_SEEN and word not in STOP_WORDS}
        self._by_key: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self.common, key=lambda each: -counts[each]):
            mine = stem(word)
            self._stems[mine].append(word)
            entry = lexicon().get(mine)
            for sense in () if entry is None else entry.senses | entry.above:
                self._by_key[sense, shape(word)].append(word)
        self._known: dict[str, dict[str, list[str]]] = {}

    def kin(self, word: str, kind: str) -> list[str]:
        """Up to eight words of that kinship (same, broader, sister, opposite) and the same ending."""
        lower = fold(word)
        if lower not in self._known:
            self._known[lower] = self._found(lower)
        return self._known[lower].get(kind, [])

    def _found(self, word: str) -> dict[str, list[str]]:
        mine = stem(word)
        entry = lexicon().get(mine)
        if entry is None or word in STOP_WORDS:
            return {}
        near = {each for sense in entry.senses | entry.above for each in self._by_key[sense, shape(word)][:40]}
        found: dict[str, list[str]] = defaultdict(list)
        for other in sorted(near):
            theirs = stem(other)
            if theirs != mine and part_of_speech(theirs, other) == part_of_speech(mine, word):
                found[kinship(theirs, mine)].append(other)
        found["opposite"] = [
            each for other in sorted(entry.opposites) for each in self._stems[other] if shape(each) == shape(word)
        ]
        return {kind: words[:_MOST_KIN] for kind, words in found.items()}
