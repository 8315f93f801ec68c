"""The sources of a claim as the support score reads them: words in their order, and where each stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.text.dates import Date
from assay.text.quantities import Quantity
from assay.verify.sources import Sources, rarity
from assay.verify.words import Word

GRAM = 4
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Ground:
    """All words of the sources. `places` are positions in `stems`, the stems of all sentences one after another.

    `held` are the stems of each sentence, `holders` the sentences of each stem.

    `rarity` is 1 + ln(sentences / sentences with the stem); `unseen` is what a stem of no sentence counts.
    """

    texts: tuple[str, ...]
    sentences: tuple[tuple[Word, ...], ...]
    held: tuple[frozenset[str], ...]
    holders: Mapping[str, frozenset[int]]
    stems: tuple[str, ...]
    places: Mapping[str, Sequence[int]]
    pairs: frozenset[tuple[str, ...]]
    triples: frozenset[tuple[str, ...]]
    grams: frozenset[str]
    rarity: Mapping[str, float]
    unseen: float
    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]


def ground_of(sources: Sources) -> Ground:
    """The sources read once for all claims that stand on them."""
    texts = tuple(sentence.text for sentence in sources.sentences)
    sentences = tuple(sentence.words for sentence in sources.sentences)
    stems = tuple(word.stem for sentence in sentences for word in sentence)
    places: dict[str, list[int]] = {}
    for position, each in enumerate(stems):
        places.setdefault(each, []).append(position)
    held = tuple(frozenset(word.stem for word in sentence) for sentence in sentences)
    holders: dict[str, set[int]] = {}
    for at, sentence in enumerate(held):
        for stem in sentence:
            holders.setdefault(stem, set()).add(at)
    return Ground(
        texts=texts,
        sentences=sentences,
        held=held,
        holders={stem: frozenset(at) for stem, at in holders.items()},
        stems=stems,
        places=places,
        pairs=frozenset(runs(stems, 2)),
        triples=frozenset(runs(stems, 3)),
        grams=frozenset(gram for passage in sources.passages for gram in grams(passage.text)),
        rarity={stem: rarity(len(at), len(held)) for stem, at in holders.items()},
        unseen=rarity(1, len(held) + 1),
        quantities=tuple(each for each, _ in sources.quantities),
        dates=tuple(each for each, _ in sources.dates),
    )


def shared_with(stems: Iterable[str], ground: Ground) -> dict[int, set[str]]:
    """Which of the stems each sentence holds, by the sentence's number; those that hold none are left out."""
    found: dict[int, set[str]] = {}
    for stem in stems:
        for at in ground.holders.get(stem, ()):
            found.setdefault(at, set()).add(stem)
    return found


def runs(stems: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """All runs of that many stems.

    >>> runs(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(stems[at : at + length]) for at in range(len(stems) - length + 1)]


def grams(text: str) -> list[str]:
    """All runs of four characters, in lower case, white space as one space.

    >>> grams("To be")
    ['to b', 'o be']
    """
    plain = _SPACES.sub(" ", text.lower())
    return [plain[at : at + GRAM] for at in range(len(plain) - GRAM + 1)]
