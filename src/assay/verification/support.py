"""How far the sources bear a claim out, 0 to 1: boosted trees over the features, fitted by benchmarks/check/fit.py.

The trees and where they come from are in `support.json`: one model for words alone, one that also reads vectors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.nlp import dates as date_text
from assay.nlp import quantities as quantity_text
from assay.nlp.negation import comparisons, is_absolute, is_hedge, opposite
from assay.nlp.sentences import sentences
from assay.nlp.tokens import stem
from assay.verification.alignment import Reading, dates_in, names_in, negations_in, overlaps, quantities_in
from assay.verification.cases import Case
from assay.verification.sources import (
    Ground,
    Kinship,
    Word,
    grams,
    kinship,
    lexicon,
    part_of_speech,
    runs,
    shared_with,
    words_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Rows = NDArray[np.float32]

Variant = Literal["words", "vectors"]
_LEAF = -1


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Regression trees over named inputs; `score` is the log odds before calibration.

    Arrays hold all nodes of all trees: at a node go left where the input is at most the threshold; `feature` is
    -1 at a leaf. `slope` and `shift` turn the sum of the leaves into calibrated log odds.
    """

    names: tuple[str, ...]
    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    value: NDArray[np.float64]
    slope: float
    shift: float

    def probability(self, inputs: Mapping[str, float]) -> float:
        """The calibrated probability for one row of inputs, 0 to 1; KeyError where an input is missing."""
        row = np.array([inputs[name] for name in self.names])
        nodes = self.roots
        while (inner := self.feature[nodes] != _LEAF).any():
            goes_left = row[self.feature[nodes]] <= self.threshold[nodes]
            nodes = np.where(inner, np.where(goes_left, self.left[nodes], self.right[nodes]), nodes)
        odds = self.slope * float(self.value[nodes].sum()) + self.shift
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


@lru_cache(maxsize=2)
def trees(variant: Variant) -> Trees:
    """The fitted trees that ship with the package.

    >>> trees("words").names[:2]
    ('overlap', 'cover')
    """
    body: dict[str, Any] = json.loads(
        files("assay.verification").joinpath("support.json").read_text(encoding="utf-8")
    )
    return trees_from(body["models"][variant])


def trees_from(body: Mapping[str, Any]) -> Trees:
    """The trees of one model as `support.json` writes it."""
    return Trees(
        names=tuple(body["names"]),
        roots=np.array(body["roots"], dtype=np.intp),
        feature=np.array(body["feature"], dtype=np.intp),
        threshold=np.array(body["threshold"], dtype=np.float64),
        left=np.array(body["left"], dtype=np.intp),
        right=np.array(body["right"], dtype=np.intp),
        value=np.array(body["value"], dtype=np.float64),
        slope=float(body["slope"]),
        shift=float(body["shift"]),
    )


# How a claim differs from its sources, in numbers: the second half of the support score's inputs.


# A common word's further places tell nothing more.
_PLACES = 40
# Of a claim that is a table, this many numbers, dates and names are looked at.
_MOST = 100
_AMOUNTS = frozenset(
    """all most many some few several every each both none only first last never always more less least half
    majority minority often rarely sometimes usually entire whole single double""".split()
)
_CLASSES = ("noun", "verb", "adjective", "adverb", "other", "number", "name")
_MEANINGS: tuple[str, ...] = (
    "opposite",
    "same",
    "broader",
    "narrower",
    "far_same",
    "far_broader",
    "sister",
    "none",
)


def differences(reading: Reading) -> dict[str, float]:
    """All differences by name; shares lie in 0 to 1, the rest are counts."""
    return {**_novelty(reading), **_moved(reading), **_named(reading), **_measured(reading), **_turned(reading)}


def _class(word: Word, reading: Reading) -> str:
    """A number, a name, or the word's part of speech; the claim's first word is no name for its capital."""
    if word.folded[0].isdigit():
        return "number"
    if word.capital and word is not reading.words[0]:
        return "name"
    return part_of_speech(word.stem, word.folded)


def _novelty(reading: Reading) -> dict[str, float]:
    """The novel words by class, and what they are to words that the claim leaves out."""
    novel = {word.stem: word for word in reading.content if word.stem not in reading.ground.rarity}
    near = {
        word.stem for each in reading.window for word in reading.ground.sentences[each]
        if not word.stop and word.stem not in reading.weights
    }  # fmt: skip
    counts = {f"novel_{each}": 0.0 for each in _CLASSES} | {f"meaning_{each}": 0.0 for each in _MEANINGS}
    for part in ("noun", "verb", "adjective", "adverb"):
        counts |= {f"kept_{part}": 0.0, f"changed_{part}": 0.0}
    for word in novel.values():
        kind, meaning = _class(word, reading), _meaning(word.stem, near, reading.ground)
        counts[f"novel_{kind}"] += 1
        counts[f"meaning_{meaning}"] += 1
        if f"kept_{kind}" in counts:
            kept = meaning in ("same", "broader", "far_same", "far_broader")
            counts[f"{'kept' if kept else 'changed'}_{kind}"] += 1
    return {**counts, "novel": float(len(novel)), "novel_share": len(novel) / max(1, len(reading.weights))}


def _meaning(novel: str, near: Iterable[str], ground: Ground) -> str:
    """The closest thing that a novel stem is to a stem near it, or to one anywhere."""
    close: set[Kinship] = {kinship(novel, each) for each in near}
    for kind in ("opposite", "same", "broader", "narrower"):
        if kind in close:
            return kind
    if novel in lexicon():
        anywhere: set[Kinship] = {kinship(novel, each) for each in ground.rarity}
        for kind in ("same", "broader"):
            if kind in anywhere:
                return f"far_{kind}"
    return "sister" if "sister" in close else "none"


def _moved(reading: Reading) -> dict[str, float]:
    """The claim's words that the sources hold, only not in its window."""
    near = frozenset().union(*(reading.ground.held[each] for each in reading.window))
    moved = {w.stem: w for w in reading.content if w.stem in reading.ground.rarity and w.stem not in near}
    kinds = [_class(word, reading) for word in moved.values()]
    counts = {f"moved_{each}": float(kinds.count(each)) for each in ("noun", "verb", "adjective", "number", "name")}
    return {**counts, "moved": len(moved) / max(1, len(reading.weights))}


def _named(reading: Reading) -> dict[str, float]:
    """Names that the sources lack, and how much of what stands around a name stands around it there too."""
    named = [name for name in names_in(reading.text) if not name.opens][:_MOST]
    found = [{stem(part) for part in name.words} for name in named]
    held = [each for each in found if each <= reading.ground.rarity.keys()]
    around = [share for each in held if (share := _around(each, reading)) is not None]
    missing = len(found) - len(held)
    return {
        "names_missing": float(missing),
        "names_missing_share": missing / max(1, len(found)),
        "around_least": min(around, default=1.0),
        "around_mean": sum(around) / len(around) if around else 1.0,
    }


def _around(name: set[str], reading: Reading) -> float | None:
    """The best share of the content within 6 words of a name that stands within 15 words of it in the sources."""
    rarest = max(sorted(name), key=lambda each: reading.ground.rarity[each])
    at = next((n for n, word in enumerate(reading.words) if word.stem == rarest), None)
    if at is None:
        return None
    mine = {word.stem for word in reading.words[max(0, at - 6) : at + 7] if not word.stop} - name
    if not mine:
        return None
    stems = reading.ground.stems
    places = reading.ground.places[rarest][:_PLACES]
    return max(len(mine.intersection(stems[max(0, p - 15) : p + 16])) / len(mine) for p in places)


def _measured(reading: Reading) -> dict[str, float]:
    """Numbers and dates that the sources, or the window, do not say."""
    dated = dates_in(reading.text)[:_MOST]
    bare = (q for q in quantities_in(reading.text) if not any(overlaps(d, q) for d in dated))
    found = list(islice(bare, _MOST))
    window = quantities_in(" ".join(reading.ground.texts[each] for each in reading.window))
    lacking = [q for q in found if not any(quantity_text.agree(q, each) for each in reading.ground.quantities)]
    soft = sum(q.spelled or q.dimension == "ordinal" for q in lacking)
    undated = [d for d in dated if not any(date_text.agree(d, each) for each in reading.ground.dates)]
    return {
        "numbers_missing": float(len(lacking) - soft),
        "numbers_missing_soft": float(soft),
        "numbers_elsewhere": float(sum(not any(quantity_text.agree(q, each) for each in window) for q in found)),
        "dates_missing": float(len(undated)),
    }


def _turned(reading: Reading) -> dict[str, float]:
    """Denials, opposites, directions, hedges and amounts that the window does not share."""
    ground, mine = reading.ground, {word.folded for word in reading.words}
    window = " ".join(ground.texts[each] for each in reading.window)
    first = " ".join(ground.texts[each] for each in reading.order[:1])
    theirs = {word.folded for each in reading.window for word in ground.sentences[each]}
    nearest = {word.folded for each in reading.order[:2] for word in ground.sentences[each]}
    stems = frozenset().union(*(ground.held[each] for each in reading.window))
    lost = [word for word in reading.content if word.stem not in stems]
    denied, near = len(negations_in(reading.text)), len(negations_in(window))
    up = {each.direction for each in comparisons(reading.text)}
    there = {each.direction for each in comparisons(window)}
    return {
        "denials_near": float(near > 0),
        "denials_alone": float(denied > 0 and near == 0),
        "denials_odd": float(denied % 2 != len(negations_in(first)) % 2),
        "denials_more": float(max(0, denied - near)),
        "hedges_new": float(sum(is_hedge(word) for word in mine - theirs)),
        "hedges_lost": float(sum(is_hedge(word) for word in {w for w in nearest if w not in mine})),
        "absolutes_new": float(sum(is_absolute(word) for word in mine - theirs)),
        "amounts_new": float(len((_AMOUNTS & mine) - theirs)),
        "amounts_nowhere": float(sum(stem(word) not in ground.rarity for word in _AMOUNTS & mine)),
        "opposites": float(sum(opposite(w.folded, other) for w in lost for other in nearest - mine)),
        "opposites_listed": float(sum(_turns(word.stem, stems - reading.weights.keys()) for word in lost)),
        "direction_wrong": float(bool(up) and bool(there) and not up & there),
        "direction_new": float(bool(up) and not there),
        "small_words_new": sum(w.stop and w.stem not in stems for w in reading.words) / max(1, len(reading.words)),
    }


def _turns(word: str, others: Iterable[str]) -> bool:
    entry = lexicon().get(word)
    return entry is not None and not entry.opposites.isdisjoint(others)


# What a claim shares with its sources, in numbers: the inputs of the support score.


# A common word's further places tell nothing more.
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


# How alike a claim and its sources are by sentence vectors: the support score's inputs that need an embedder.


def texts_of(reading: Reading) -> tuple[str, ...]:
    """The texts whose vectors `likeness` needs: the claim, its sentences, the source sentences looked at."""
    return (reading.text, *_own(reading), *(reading.ground.texts[each] for each in sorted(reading.order)))


def likeness(reading: Reading, vectors: Mapping[str, Vector]) -> dict[str, float]:
    """Cosines by name, each -1 to 1; `vectors` maps every text of `texts_of` to its vector of length 1."""
    looked_at = sorted(reading.order)
    single = np.stack([vectors[reading.ground.texts[each]] for each in looked_at])
    joined = _window_rows(single, looked_at)
    claim = vectors[reading.text]
    cosines = np.sort(single @ claim)[::-1]
    each = [float((joined @ vectors[text]).max()) for text in _own(reading)] or [float(cosines[0])]
    return {
        "alike_best": float(cosines[0]),
        "alike_joined": float((joined @ claim).max()),
        "alike_top3": float(cosines[:3].mean()),
        "alike_mean": float(cosines.mean()),
        "alike_ahead": float(cosines[0] - cosines.mean()),
        "alike_all": float(_unit(single.mean(axis=0)) @ claim),
        "alike_least": min(each),
        "alike_sentences": sum(each) / len(each),
        "alike_spanned": _spanned(single, claim),
    }


def _own(reading: Reading) -> list[str]:
    return [reading.text[span.start : span.end] for span in sentences(reading.text)]


def _window_rows(single: Rows, numbers: Sequence[int]) -> Rows:
    """The vectors of the sentences, and the directions of two and three neighbouring ones."""
    rows = [single]
    for length in (2, 3):
        starts = [
            at for at in range(len(numbers) - length + 1) if numbers[at + length - 1] == numbers[at] + length - 1
        ]
        rows += [_unit(single[at : at + length].sum(axis=0))[None, :] for at in starts]
    return np.concatenate(rows)


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def _spanned(single: Rows, claim: Vector) -> float:
    """How much of the claim's vector lies in the space of its three nearest sentences, 0 to 1."""
    nearest = single[np.argsort(-(single @ claim), kind="stable")[:3]]
    basis, _ = np.linalg.qr(nearest.T)
    return float(np.linalg.norm(basis.T @ claim))


# How far a claim's sources bear it out before any check of its facts, 0 to 1, and what that settles.


# At and above the first a changed copy is supported where no checker reads it, below the second any claim is
# unsupported, between them unknown. Of 232 false copies 5 stand as high, of 616 true ones 192; of claims in words
# of their own that do, half are false, so that none is supported without a checker (decisions 104, 164).
SUPPORTED = 0.9
UNSUPPORTED = 0.1


def support_of(case: Case, vectors: Mapping[str, Vector]) -> float | None:
    """The claim's support before its checks: 1 where it is quoted, else by the trees, None with nothing to read."""
    if case.quote is not None:
        return 1.0
    if case.reading is None:
        return None
    found = features(case.reading)
    if any(text not in vectors for text in texts_of(case.reading)):
        return trees("words").probability(found)
    return trees("vectors").probability(found | likeness(case.reading, vectors))


def support_by_words(reading: Reading) -> float:
    """The support of a claim by words alone."""
    return trees("words").probability(features(reading))
