"""The few sentences of its sources that a grader reads a claim against."""

from __future__ import annotations

from assay.verify.reading import Reading

# About 128 tokens: what a grader reads in one go.
WORDS = 90


def window(reading: Reading, words: int = WORDS) -> str:
    """The sentences that hold most of the claim, as many as fit, in their order."""
    texts = reading.ground.texts
    kept: set[int] = set()
    room = words
    for number in _wanted(reading):
        length = len(texts[number].split())
        if number not in kept and (length <= room or not kept):
            kept.add(number)
            room -= length
    return " ".join(" ".join(texts[each].split()[:words]) for each in sorted(kept))


def _wanted(reading: Reading) -> list[int]:
    """The window first, best sentence first; then what stands before and after it; then the next best."""
    first = sorted(reading.window, key=reading.order.index) if set(reading.window) <= set(reading.order) else []
    best = first or list(reading.order[:3])
    count = len(reading.ground.texts)
    beside = [at for each in best[:1] for at in (each - 1, each + 1) if 0 <= at < count]
    return [*best, *beside, *reading.order[:6]]
