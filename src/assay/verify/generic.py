"""Statements that say nothing: they fit under any question, and no source could bear them out or deny them."""

from __future__ import annotations

import re

from assay.text.tokens import STOP_WORDS, stem, words
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import Comparison, names_in

# The share of a statement's content words that say nothing in particular, from which it is generic.
SHARE = 0.75
_LONGEST = 25
_EMPTY = frozenset(
    map(
        stem,
        """aspect aspects area areas benefit benefits case cases challenge challenges choice choices circumstance
        circumstances complex
        consider consideration considerations considered context contexts crucial depend depends
        depending different difference essential example examples factor factors field fields general generally good
        help helpful helps important importance include includes including individual individuals information
        interesting involve involves issue issues key know lot main make makes many matter matters may might mind
        need
        needs number often one option options overall part particular people perspective perspectives play plays
        point possible potential provide provides question questions range reason reasons relevant remember role
        significant situation situations specific subject take taken takes thing things topic topics type types
        understand understanding understood use useful valuable value vary varies various varied way ways well wide
        worth carefully must note noted always keep affect affects influence influences impact account today world
        life society""".split(),
    )
)
_DIGIT = re.compile(r"\d")


def generic(over: Comparison) -> list[Check]:
    """A warning where the claim says nothing in particular."""
    if not says_nothing(over.claim.plain):
        return []
    cause = "this would fit under any question: it states nothing that a source could bear out"
    where = Span(0, len(over.claim.plain))
    return [over.check("generic", Status.FAILED, Severity.WARN, cause, where, None, FindingKind.GENERIC)]


def says_nothing(text: str) -> bool:
    """Whether a statement is made of words that fit everywhere.

    >>> says_nothing("There are many factors to consider."), says_nothing("The dam has many leaks.")
    (True, False)
    """
    content = [stem(word) for word in words(text) if word not in STOP_WORDS]
    if (
        not content
        or len(content) > _LONGEST
        or _DIGIT.search(text)
        or any(not each.opens for each in names_in(text))
    ):
        return False
    return sum(each in _EMPTY for each in content) >= SHARE * len(content)
