"""Relations of English words, from a cut of WordNet 3.0 (`lexicon.json`, see its `source`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

PartOfSpeech = Literal["noun", "verb", "adjective", "adverb", "other"]
Kinship = Literal["opposite", "same", "broader", "narrower", "sister", "none"]
_PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")


@dataclass(frozen=True, slots=True)
class Entry:
    """A stem's tagged counts as noun, verb, adjective, adverb; its senses, those above them, its opposites."""

    counts: tuple[int, ...]
    senses: frozenset[int]
    above: frozenset[int]
    opposites: frozenset[str]


class Lexicon:
    """Entries by stem; an entry is parsed when it is first looked up."""

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._rows = rows
        self._entries: dict[str, Entry] = {}

    def __contains__(self, stem: str) -> bool:
        return stem in self._rows

    def get(self, stem: str) -> Entry | None:
        """The stem's entry, None where there is none."""
        entry = self._entries.get(stem)
        if entry is None and stem in self._rows:
            counts, senses, above, opposites = json.loads(self._rows[stem])
            entry = Entry(tuple(counts), frozenset(senses), frozenset(above), frozenset(opposites))
            self._entries[stem] = entry
        return entry


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """All entries; the file holds one a line and is split into lines once.

    >>> entry = lexicon().get("increas")
    >>> sorted(entry.opposites) if entry else None
    ['decreas', 'lower']
    """
    _, *lines, _ = files("assay.nlp").joinpath("lexicon.json").read_text(encoding="utf-8").splitlines()
    pairs = (line.removesuffix(",").split(":", 1) for line in lines)
    return Lexicon({stem.strip('"'): row for stem, row in pairs})


def part_of_speech(stem: str, word: str) -> PartOfSpeech:
    """The most frequent part of speech of a word; "other" where the lexicon does not hold it.

    >>> part_of_speech("increas", "increases"), part_of_speech("quick", "quickly")
    ('verb', 'adverb')
    """
    entry = lexicon().get(stem)
    if entry is None:
        return "other"
    if word.endswith("ly") and len(word) > 4:
        return "adverb"
    most = max(range(len(_PARTS)), key=lambda part: entry.counts[part])
    return _PARTS[most]


@lru_cache(maxsize=1 << 16)
def kinship(stem: str, other: str) -> Kinship:
    """The relation of the first stem to the other: "broader" means that it says less.

    >>> kinship("buy", "purchas"), kinship("increas", "decreas"), kinship("dog", "book")
    ('same', 'opposite', 'none')
    """
    first, second = lexicon().get(stem), lexicon().get(other)
    if first is None or second is None:
        return "none"
    if other in first.opposites or stem in second.opposites:
        return "opposite"
    if first.senses & second.senses:
        return "same"
    if first.senses & second.above:
        return "broader"
    if first.above & second.senses:
        return "narrower"
    return "sister" if first.above & second.above else "none"
