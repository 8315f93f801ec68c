"""A claim beside its sources: its content, and the few sentences that it leans on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import fsum

from assay.verify.ground import Ground, shared_with
from assay.verify.words import Word, words_of

# Only the sentences that hold most of the claim are looked at closely.
LOOKED_AT = 24
# A claim is read to this word, so that no input takes long; the longest labelled one has 251.
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim against its ground: its content stems with their weights, and the window it leans on.

    `order` are sentence numbers, those that hold most of the claim first; `window` the few that together hold
    most of it. `shared` are the content stems that each sentence holds, by its number.
    """

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    weights: Mapping[str, float]
    order: tuple[int, ...]
    window: tuple[int, ...]
    ground: Ground
    shared: Mapping[int, AbstractSet[str]]

    @property
    def total(self) -> float:
        """What the claim's content weighs."""
        return fsum(self.weights.values()) or 1.0

    def share(self, held: Iterable[str]) -> float:
        """The weighted share of the claim's content among `held`, 0 to 1."""
        # Exact sums here and below: the order of a set differs from process to process, and the last digit of a
        # plain sum with it, which is enough to turn a tree's branch.
        return fsum(self.weights[each] for each in held if each in self.weights) / self.total


def read(claim: str, ground: Ground) -> Reading:
    """The claim beside the sentences that it leans on; it must hold a word, the ground a sentence."""
    words = words_of(claim)[:LONGEST]
    content = tuple(word for word in words if not word.stop) or words
    weights = {word.stem: ground.rarity.get(word.stem, ground.unseen) for word in content}
    total = fsum(weights.values()) or 1.0
    shared = shared_with(weights, ground)
    shares = {at: fsum(weights[each] for each in stems) / total for at, stems in shared.items()}
    order = tuple(sorted(range(len(ground.held)), key=lambda each: -shares.get(each, 0.0))[:LOOKED_AT])
    window = tuple(sorted({*_together(weights, shared), *order[:2]}))
    return Reading(claim, words, content, weights, order, window, ground, shared)


def _together(weights: Mapping[str, float], shared: Mapping[int, AbstractSet[str]]) -> list[int]:
    """Up to three sentences that each add most to what the ones before hold."""
    chosen: list[int] = []
    held: set[str] = set()
    for _ in range(3):
        gains = {at: fsum(weights[each] for each in stems - held) for at, stems in shared.items()}
        best = min(gains, key=lambda at: (-gains[at], at), default=None)
        if best is None or gains[best] <= 0:
            break
        chosen.append(best)
        held |= shared[best]
    return chosen
