"""How a claim differs from its sources, in numbers: the second half of the support score's inputs.

A novel word is a content word that no source sentence holds; a moved one is held only outside the window.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from assay.text import dates as date_text
from assay.text import quantities as quantity_text
from assay.text.negation import comparisons, is_absolute, is_hedge, opposite
from assay.text.tokens import stem
from assay.verify.comparison import dates_in, names_in, negations_in, overlaps, quantities_in
from assay.verify.ground import Ground
from assay.verify.lexicon import Kinship, kinship, lexicon, part_of_speech
from assay.verify.reading import Reading
from assay.verify.words import Word

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
