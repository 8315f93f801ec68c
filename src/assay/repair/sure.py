"""Whether a source sentence says just what a sentence would say once a value in it is corrected.

A correction that is not sure can make a true sentence false, which is worse than a mark behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.text.sentences import sentences
from assay.text.tokens import words
from assay.types import Evidence, Passage, SourceSpan

# Words that a sentence may have and its source not: they stand for what the source names, or for nothing.
_STAND_IN = frozenset("a an the it its he his she her they their this that these those".split())
# Words that change what is said; a source sentence that has them and a correction that leaves them out differ.
_QUALIFIERS = frozenset(
    """not no never neither nor cannot except unless until only if than more less fewer over under above below least
    most up down about around nearly almost approximately between may might could would should plan plans planned
    falsely allegedly reportedly claims claimed former formerly without rather instead""".split()
)


def sentence_around(span: SourceSpan, evidence: Evidence) -> str:
    """The sentence of the evidence that a span stands in; empty where it stands in none."""
    passage = next((each for each in evidence.passages if each.passage_id == span.passage_id), None)
    if passage is None:
        return ""
    at = span.start - passage.start
    found = (each for each in sentences(passage.text) if each.start <= at < each.end)
    return next((passage.text[each.start : each.end] for each in found), "")


def says(before: str, value: str, behind: str, source: str, title: str = "") -> bool:
    """Whether `source` says `before`, `value` and `behind` in this order, leaving out nothing that qualifies it.

    Words of the passage's `title`, pronouns and articles may be missing in the source.

    >>> source = "The bridge opened on 30 June 1894 after eight years."
    >>> says("Tower Bridge opened on", "30 June 1894", ".", source, "Tower Bridge")
    True
    >>> says("More than", "1,200", "people work here.", "1,200 people work here.")
    False
    >>> says("It has", "100", "rooms.", "It has more than 100 rooms.")
    False
    """
    wanted, there = words(value), words(source)
    skipped = _STAND_IN.union(words(title))
    for at in range(len(there) - len(wanted) + 1):
        if there[at : at + len(wanted)] != wanted:
            continue
        left_before = _left_out(words(before), there[:at], skipped)
        left_behind = _left_out(words(behind), there[at + len(wanted) :], skipped)
        if left_before is not None and left_behind is not None:
            return not _QUALIFIERS.intersection((*left_before, *left_behind))
    return False


def stands_elsewhere(value: str, passages: Sequence[Passage]) -> bool:
    """Whether a value that a check found wrong stands in the passages: it may be right of another thing."""
    wanted = words(value)
    for passage in passages:
        there = words(passage.text)
        if any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1)):
            return True
    return False


def _left_out(said: Sequence[str], there: Sequence[str], skipped: frozenset[str]) -> list[str] | None:
    """The words of `there` that `said` leaves out; None where it has words, or an order, that `there` has not."""
    left: list[str] = []
    at = 0
    for word in said:
        found = next((n for n in range(at, len(there)) if there[n] == word), None)
        if found is not None:
            left += there[at:found]
            at = found + 1
        elif word not in skipped:
            return None
    return [*left, *there[at:]]
