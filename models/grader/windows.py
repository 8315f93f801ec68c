"""The few sentences of a long context that a claim is read against."""

from __future__ import annotations

from assay.types import Passage
from assay.verify.ground import Ground, ground_of
from assay.verify.reading import Reading, read
from assay.verify.sources import sources_of

# About 128 tokens: what the grader reads in one go.
WORDS = 90


def ground(context: str) -> Ground:
    """The context read once for all claims on it."""
    return ground_of(sources_of([Passage("context", "context", "", 0, len(context), context)]))


def window(claim: str, against: Ground, words: int = WORDS) -> str:
    """The sentences that hold most of the claim, as many as fit, in their order; "" with nothing to read."""
    if not claim.strip() or not against.texts:
        return ""
    reading = read(claim, against)
    kept: set[int] = set()
    room = words
    for number in _wanted(reading):
        length = len(against.texts[number].split())
        if number not in kept and (length <= room or not kept):
            kept.add(number)
            room -= length
    return " ".join(" ".join(against.texts[each].split()[:words]) for each in sorted(kept))


def _wanted(reading: Reading) -> list[int]:
    """The window first, best sentence first; then what stands before and after it; then the next best."""
    first = sorted(reading.window, key=reading.order.index) if set(reading.window) <= set(reading.order) else []
    best = first or list(reading.order[:3])
    count = len(reading.ground.texts)
    beside = [at for each in best[:1] for at in (each - 1, each + 1) if 0 <= at < count]
    return [*best, *beside, *reading.order[:6]]
