"""What a claim puts together from two like clauses of one source sentence: Bruno's name with Anna's team."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from assay.text.tokens import terms
from assay.types import Check, Severity, Span, Status
from assay.verify.comparison import SAME_MATTER, Comparison

CLAUSE = re.compile(r"[;,]\s+(?:(?:and|but|while|whereas)\s+)?|\s+(?:and|but|while|whereas)\s+")
# Two ways to cut: "the roof and the walls; the heating" is two clauses by the first, three by the second.
_CUTS = (
    re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+|\s+(?:but|while|whereas)\s+"),
    CLAUSE,
)
_OR = re.compile(r"\W*(?:\([^)]*\)\s*)?(?:[^\s,;]+\s+){0,3}?or\s")
# A clause that speaks of something: "Anna leads sales".
_LEAST_TERMS = 3
# Of a sentence of more clauses the first are looked at.
_MOST_CLAUSES = 12

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause with its terms, those before its first number, and whether it has one."""

    text: str
    terms: frozenset[str]
    before: frozenset[str]
    measured: bool


def joined_across(over: Comparison) -> list[Check]:
    """An open check of a claim that takes its words from two like clauses, and of neither all.

    Of "Anna leads the sales team and Bruno leads the support team" a claim that Bruno leads the sales team takes
    who from the one and what from the other. Like clauses share a word. A sentence may list what is true of all of
    them, so the check is unknown rather than failed.
    """
    said = frozenset(terms(over.claim.plain))
    for near in over.near(SAME_MATTER):
        for one, other in _like(near.sentence.text):
            if said <= one.terms | other.terms and _mixes(said, one, other):
                cause = f"it may be of something else: the source says {one.text!r} and {other.text!r}"
                whole = Span(0, len(over.claim.plain))
                return [over.check("belonging", Status.UNKNOWN, Severity.BLOCK, cause, whole, near.sentence.span)]
    return _half_an_alternative(over)


def _half_an_alternative(over: Comparison) -> list[Check]:
    """An open check of a copy that breaks off before "or": of "the drug or placebo" it says the drug."""
    if over.copied is None or not over.copied.copy.edits:
        return []
    last = over.copied.copy.edits[-1]
    ends = last.mine.start == last.mine.end >= len(over.claim.plain.rstrip(" ."))
    rest = over.copied.sentence.text[last.theirs.start : last.theirs.end]
    if not ends or not _OR.match(rest):
        return []
    cause = f"the source goes on {rest.strip()[:40]!r}"
    place = over.copied.span(last.theirs)
    return [over.check("belonging", Status.UNKNOWN, Severity.BLOCK, cause, last.mine, place)]


def _mixes(said: frozenset[str], one: _Clause, other: _Clause) -> bool:
    """Whether some terms have a part, and not all, of what each clause has for itself.

    Or all of the one's own, a number among it, with what the other gives another number for: "in London 140", of
    "140, in London 190".
    """
    own, others = one.terms - other.terms, other.terms - one.terms
    if not (said & own and said & others):
        return False
    left, lost = own - said, others - said
    if left and lost:
        return True
    full, part, missing = (one, other, lost) if lost else (other, one, left)
    return full.measured and any(_is_number(each) for each in missing) and bool(said & part.before - full.terms)


def _is_number(term: str) -> bool:
    return term[0].isdigit()


def _like(text: str) -> Iterator[tuple[_Clause, _Clause]]:
    """The pairs of clauses of a sentence that share a word."""
    for cut in _CUTS:
        yield from ((one, other) for one, other in combinations(_clauses(text, cut), 2) if one.terms & other.terms)


# Many claims are compared with the same few source sentences.
@lru_cache(maxsize=256)
def _clauses(text: str, cut: re.Pattern[str]) -> tuple[_Clause, ...]:
    """The clauses of a sentence that speak of something."""
    parts = (_clause(part.strip(" .")) for part in cut.split(text)[:_MOST_CLAUSES])
    return tuple(part for part in parts if len(part.terms) >= _LEAST_TERMS)


def _clause(text: str) -> _Clause:
    number = _DIGIT.search(text)
    before = terms(text[: number.start()]) if number else ()
    return _Clause(text, frozenset(terms(text)), frozenset(before), number is not None)
