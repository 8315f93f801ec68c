"""What a claim shares with its sources, in numbers: the inputs of the support score.

Shares lie in 0 to 1, counts are plain. A claim's content words are its words without stop words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from assay.text.sentences import sentences
from assay.verify.differences import differences
from assay.verify.ground import Ground, grams, runs, shared_with
from assay.verify.reading import Reading
from assay.verify.words import words_of

# A common word's further places tell nothing more.
_PLACES = 40
# A sentence without an end, as in tables and scans, is compared to this word only.
_SENTENCE_WORDS = 1000


def features(reading: Reading) -> dict[str, float]:
    """All features by name."""
    return {
        **_coverage(reading),
        **_by_sentence(reading),
        **_sequence(reading),
        **_neighbours(reading),
        **differences(reading),
        "ground_length": math.log(1 + len(reading.ground.stems)),
    }


def _coverage(reading: Reading) -> dict[str, float]:
    """How much of the content stands anywhere, in one sentence, in two or three neighbours, in the window."""
    known = [each for each in reading.weights if each in reading.ground.rarity]
    return {
        "overlap": len(known) / max(1, len(reading.weights)),
        "cover": reading.share(known),
        "best1": _widest(reading, 1),
        "best2": _widest(reading, 2),
        "best3": _widest(reading, 3),
        "window": reading.share(_held(reading, reading.window)),
    }


def _widest(reading: Reading, length: int) -> float:
    """The most that neighbouring sentences of that number hold."""
    starts = {start for each in reading.order for start in range(max(0, each - length + 1), each + 1)}
    held = {_held(reading, range(start, start + length)) for start in starts}  # most hold the same few
    return max(map(reading.share, held), default=0.0)


def _held(reading: Reading, numbers: Iterable[int]) -> frozenset[str]:
    """The claim's content stems that these sentences hold together."""
    return frozenset().union(*(reading.shared[each] for each in numbers if each in reading.shared))


def _by_sentence(reading: Reading) -> dict[str, float]:
    """The same for each sentence of the claim: the least and the mean."""
    alone, anywhere = [], []
    for span in sentences(reading.text):
        mine = {word.stem for word in words_of(reading.text[span.start : span.end]) if not word.stop}
        weights = {each: reading.weights.get(each, 1.0) for each in mine}
        total = math.fsum(weights.values())
        if not total:
            continue
        shared = shared_with(mine, reading.ground)
        alone.append(max((math.fsum(weights[e] for e in stems) for stems in shared.values()), default=0.0) / total)
        anywhere.append(math.fsum(weights[each] for each in mine if each in reading.ground.rarity) / total)
    return {
        "least_sentence": min(alone, default=0.0),
        "mean_sentence": sum(alone) / max(1, len(alone)),
        "least_cover": min(anywhere, default=0.0),
    }


def _sequence(reading: Reading) -> dict[str, float]:
    """How much of the claim's order is kept: runs of words and of characters."""
    stems = [word.stem for word in reading.words]
    ground, count = reading.ground, max(1, len(stems))
    pairs, triples, pieces = runs(stems, 2), runs(stems, 3), grams(reading.text)
    nearest = [[word.stem for word in ground.sentences[each][:_SENTENCE_WORDS]] for each in reading.order[:3]]
    return {
        "pairs": sum(each in ground.pairs for each in pairs) / max(1, len(pairs)),
        "triples": sum(each in ground.triples for each in triples) / max(1, len(triples)),
        "grams": sum(each in ground.grams for each in pieces) / max(1, len(pieces)),
        "subsequence": max((_common(stems, each) for each in nearest), default=0) / count,
        "run": _longest_run(stems, ground) / count,
    }


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for mine in first:
        diagonal = 0
        for at, theirs in enumerate(second):
            above = row[at + 1]
            row[at + 1] = diagonal + 1 if mine == theirs else max(above, row[at])
            diagonal = above
    return row[-1]


def _longest_run(stems: Sequence[str], ground: Ground) -> int:
    """The most neighbouring words of the claim that stand so in the sources."""
    longest = 0
    for start in range(len(stems)):
        for place in ground.places.get(stems[start], ())[:_PLACES]:
            length, most = 0, min(len(stems) - start, len(ground.stems) - place)
            while length < most and stems[start + length] == ground.stems[place + length]:
                length += 1
            longest = max(longest, length)
    return longest


def _neighbours(reading: Reading) -> dict[str, float]:
    """Whether the content words that stand side by side in the claim stand close in the sources too."""
    stems = [word.stem for word in reading.content]
    pairs = [(a, b) for a, b in pairwise(stems) if a != b]
    triples = list(zip(stems, stems[1:], stems[2:], strict=False))
    near = swapped = far = 0
    for first, second in pairs:
        gap = _gap(reading.ground, first, second)
        near += gap is not None and abs(gap) <= 6
        swapped += gap is not None and -6 <= gap < 0
        far += gap is not None and abs(gap) > 25
    count = max(1, len(pairs))
    return {
        "near": near / count,
        "swapped": float(swapped),
        "far": float(far),
        "far_share": far / count,
        "pairs_together": sum(_stand_together(reading.ground, pair) for pair in pairs) / count,
        "triples_together": sum(_stand_together(reading.ground, three) for three in triples) / max(1, len(triples)),
    }


def _stand_together(ground: Ground, stems: Sequence[str]) -> bool:
    """Whether one sentence holds all of the stems."""
    holders = (ground.holders.get(each, frozenset()) for each in stems)
    return bool(frozenset.intersection(*holders))


def _gap(ground: Ground, first: str, second: str) -> int | None:
    """The least distance from the first stem to the second in the sources, negative when it stands before it."""
    mine, theirs = ground.places.get(first, ())[:_PLACES], ground.places.get(second, ())[:_PLACES]
    return min((b - a for a in mine for b in theirs), key=lambda gap: (abs(gap), gap < 0), default=None)
