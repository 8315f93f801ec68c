"""Coherence, estimated: sentences that repeat or contradict another, hang in the air, or break off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from assay.assess.reading import Measured, Reading
from assay.text.connectives import CONNECTIVES
from assay.text.negation import negations
from assay.text.quantities import quantities
from assay.text.tokens import STOP_WORDS, terms, words
from assay.types import Span

# The most that an answer scores which contradicts itself: below every sensible floor.
WITH_A_CONTRADICTION = 0.4
# How alike two sentences are (Jaccard over their terms) that say the same; with at least this many terms.
_SAME = 0.9
_FEWEST_TERMS = 3
# How alike they are, their numbers and negations left out, when they speak of the same matter.
_SAME_MATTER = 0.8
_FEWEST_MATTER = 2
_LONGEST_WORD = 20
# Each sentence is compared with this many before it: an answer of any length takes linear time.
_BEFORE = 40
_EXAMPLES = 3
_REMOVE = "remove the sentence that repeats another"
_KEEP_ONE = "keep the one of two contradictory sentences that the evidence says"
# No English sentence ends with one of these.
_GOES_ON = frozenset("the a an and or of to with by for from as at its their is are was were be than that".split())
_ENDING = re.compile(r"[.!?。！？…:：)\]\"”’»*`|]\s*\Z")
_MARKED_LINE = re.compile(r"\s*(?:#{1,6}\s|\||[-*•+]\s|\d{1,3}[.)]\s|```)")


@dataclass(frozen=True, slots=True)
class _Sentence:
    at: int
    text: str
    terms: frozenset[str]
    matter: frozenset[str]
    numbers: frozenset[tuple[float, float, str]]
    negated: bool


@dataclass(frozen=True, slots=True)
class _Flaw:
    at: int
    reason: str
    suggestion: str
    contradicts: bool = False


def coherence(reading: Reading) -> Measured:
    """1 - flawed sentences / sentences; at most 0.4 where two sentences contradict one another.

    A sentence is flawed that repeats one of the 40 before it (Jaccard of terms at least 0.9), contradicts one (the
    same matter, at least 0.8, with another number or a negation more), opens the answer with a connective, or ends
    it in the middle. English words are known; of other languages repetition and numbers.
    """
    found = [_taken(at, text) for at, text in enumerate(reading.sentences)]
    if not found:
        return Measured(None, ("unknown: the answer has no sentences",))
    flaws = list(chain.from_iterable(look(found) for look in _LOOKS))
    score = 1 - len({flaw.at for flaw in flaws}) / len(found)
    if any(flaw.contradicts for flaw in flaws):
        score = min(score, WITH_A_CONTRADICTION)
    if not flaws:
        return Measured(score, (f"none of {len(found)} sentences repeats or contradicts another",))
    shown = flaws[:_EXAMPLES]
    return Measured(
        score,
        tuple(f"sentence {flaw.at + 1} {flaw.reason}" for flaw in shown),
        tuple(dict.fromkeys(_quote(reading, flaw.at) for flaw in shown)),
        tuple(dict.fromkeys(flaw.suggestion for flaw in shown)),
    )


def _quote(reading: Reading, at: int) -> str:
    return reading.quote(reading.spans[at].start, reading.spans[at].end)


def _taken(at: int, text: str) -> _Sentence:
    """A sentence with what it says apart from its numbers and negations, and with those."""
    denied = negations(text)
    values = [each for each in quantities(text) if _is_value(text, each.start)]
    places = [Span(each.start, each.end) for each in denied] + [Span(each.start, each.end) for each in values]
    matter = _without(text, places)
    numbers = frozenset((each.low, each.high, each.dimension) for each in values)
    return _Sentence(at, text, frozenset(terms(text)), frozenset(terms(matter)), numbers, bool(denied))


def _without(text: str, places: list[Span]) -> str:
    """The text without these stretches."""
    kept, at = [], 0
    for place in sorted(places, key=lambda each: each.start):
        kept.append(text[at : place.start])
        at = max(at, place.end)
    return " ".join([*kept, text[at:]])


def _is_value(text: str, start: int) -> bool:
    """Whether a number says how much or when: behind a small word ("in 1932"), not a name's part ("step 2")."""
    before = words(text[max(0, start - _LONGEST_WORD) : start])
    return bool(before) and before[-1] in STOP_WORDS


def _likeness(one: frozenset[str], other: frozenset[str], fewest: int) -> float:
    """Jaccard, 0 to 1; 0 where either has too few terms to tell."""
    if min(len(one), len(other)) < fewest:
        return 0.0
    both = len(one & other)
    return both / (len(one) + len(other) - both)


def _beside_others(found: list[_Sentence]) -> Iterator[_Flaw]:
    """What repeats or contradicts one of the sentences shortly before it."""
    for sentence in found:
        for before in found[max(0, sentence.at - _BEFORE) : sentence.at]:
            if _contradicts(before, sentence):
                yield _Flaw(sentence.at, f"contradicts sentence {before.at + 1}", _KEEP_ONE, contradicts=True)
            elif _likeness(before.terms, sentence.terms, _FEWEST_TERMS) >= _SAME:
                yield _Flaw(sentence.at, f"repeats sentence {before.at + 1}", _REMOVE)


def _contradicts(before: _Sentence, sentence: _Sentence) -> bool:
    """Whether two sentences on one matter differ in a number alone, or in a negation alone."""
    if _likeness(before.matter, sentence.matter, _FEWEST_MATTER) < _SAME_MATTER:
        return False
    if before.negated != sentence.negated:
        return before.numbers == sentence.numbers
    # The same said of another time ("in 1990 …, in 2000 …") has a second number.
    return len(before.numbers) == len(sentence.numbers) == 1 and before.numbers != sentence.numbers


def _hanging(found: list[_Sentence]) -> Iterator[_Flaw]:
    first = next(iter(words(found[0].text)), "")
    if first in CONNECTIVES:
        yield _Flaw(0, f"opens with “{first}”, and nothing stands before it", "open without the connective")


def _broken_off(found: list[_Sentence]) -> Iterator[_Flaw]:
    last = found[-1]
    if _MARKED_LINE.match(last.text) or _ENDING.search(last.text):
        return
    ends_open = last.text.endswith((",", ";", "，", "、", "(", "“", "-", "–"))
    goes_on = next(reversed(words(last.text)), "") in _GOES_ON
    others_end = len(found) > 1 and all(_ENDING.search(each.text) for each in found[:-1])
    if ends_open or goes_on or others_end:
        yield _Flaw(last.at, "breaks off", "finish the last sentence, or remove it")


_LOOKS = (_beside_others, _hanging, _broken_off)
