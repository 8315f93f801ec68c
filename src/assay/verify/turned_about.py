"""Whether what stands before a verb in the claim stands behind it in the source, in the same voice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.text.tokens import STOP_WORDS, stem, word_spans, words
from assay.types import Span
from assay.verify.denials import clause_end, clause_start
from assay.verify.lexicon import lexicon

# "In the tower hangs a bell": what comes first need not be the subject.
_PREPOSITIONS = frozenset(
    "in on at by with from for of to during after before under over since until behind near as through".split()
)
# Verbs that hold both ways, and words that join two subjects.
_BOTH_WAYS = frozenset(
    map(
        stem,
        """and or nor both each other versus vs equal equals resemble resembles border borders adjoin adjoins meet
        meets met marry married differ differs match matches join joined include includes mean means
        accompany accompanied correlate correlated associate associated link linked relate related connect
        connected mix mixed collide collided become became remain call called name named know known""".split(),
    )
)
_BE = frozenset("is are was were be been being".split())
_BY_WITHIN = 3


@dataclass(frozen=True, slots=True)
class _Sides:
    """The clause about a verb: the content stems before and behind it, whether it is passive, and its place."""

    before: frozenset[str]
    behind: frozenset[str]
    passive: bool
    place: Span


def about_turned(claim: str, source: str) -> tuple[Span, Span] | None:
    """The claim's two sides of a verb where they have changed places; None where they have not.

    What the claim says first stands behind the verb in the source, and the other way round.

    >>> about_turned("The expired key was caused by the outage.", "The outage was caused by an expired key.")
    (Span(start=0, end=20), Span(start=26, end=40))
    >>> about_turned("The expired key caused the outage.", "The outage was caused by an expired key.") is None
    True
    """
    theirs = _verbs(source)
    for verb, mine in _verbs(claim).items():
        other = theirs.get(verb)
        if other is None or mine.passive != other.passive or not mine.before or not other.before:
            continue
        if _crossed(mine, other):
            start, end = clause_start(claim, mine.place.start), clause_end(claim, mine.place.end)
            return Span(start, mine.place.start), Span(mine.place.end, end)
    return None


def _crossed(mine: _Sides, other: _Sides) -> bool:
    """Whether what is before the one is behind the other; what is on both sides ("version 2") tells nothing.

    A number, as of a year, may stand on either side, unless it tells two of a kind apart.
    """
    shared = mine.before & mine.behind
    before, behind = mine.before - shared, other.behind - shared
    theirs = (other.before & mine.behind) - shared
    named = bool(shared) or any(not each[0].isdigit() for each in theirs)
    return bool(before) and before <= behind and bool(theirs) and named and not before & other.before


def _verbs(text: str) -> dict[str, _Sides]:
    """The sides of each word of a text that may be a verb and stands in it once."""
    spans = list(word_spans(text))
    folded = words(text)
    stems = [stem(each) for each in folded]
    found = {}
    for at, word in enumerate(stems):
        if 0 < at < len(stems) - 1 and stems.count(word) == 1 and _is_verb(word, folded[at]):
            sides = _sides(text, spans, folded, stems, at)
            if sides is not None:
                found[word] = sides
    return found


def _sides(text: str, spans: Sequence[Span], folded: Sequence[str], stems: Sequence[str], at: int) -> _Sides | None:
    """What stands before and behind a verb in its clause; None where what comes first may not be its subject."""
    start, end = clause_start(text, spans[at].start), clause_end(text, spans[at].end)
    within = [n for n, each in enumerate(spans) if start <= each.start and each.end <= end]
    before, behind = [n for n in within if n < at], [n for n in within if n > at]
    if not before or not behind or folded[before[0]] in _PREPOSITIONS or _BOTH_WAYS & {stems[n] for n in within}:
        return None
    passive = "by" in folded[at + 1 : at + 1 + _BY_WITHIN] or (folded[at - 1] in _BE and folded[at][-3:] != "ing")
    first, second = ({stems[n] for n in some if folded[n] not in STOP_WORDS} for some in (before, behind))
    return _Sides(frozenset(first), frozenset(second), passive, spans[at])


def _is_verb(word: str, folded: str) -> bool:
    entry = lexicon().get(word)
    if folded in STOP_WORDS or entry is None or not entry.counts[1]:
        return False
    return folded.endswith("ed") or entry.counts[1] >= entry.counts[0]
