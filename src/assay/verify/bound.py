"""Whether a number of the claim belongs to what the claim says it of, where a source sentence gives several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.text.quantities import Quantity, quantities
from assay.text.tokens import terms
from assay.types import Check, Severity, Status
from assay.verify.comparison import SAME_MATTER, Comparison

_CLAUSE = re.compile(r"[;,]\s+(?:(?:and|but|while|whereas)\s+)?|\s+(?:and|but|while|whereas)\s+")


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence with one number: its text, the terms before the number, and all of its terms."""

    text: str
    quantity: Quantity
    before: frozenset[str]
    terms: frozenset[str]


def bound(over: Comparison) -> list[Check]:
    """An open check for each number that a source sentence gives for something else than the claim does.

    In "cars pay 4 pounds, lorries pay 12 pounds" 12 pounds are the lorries'; a claim that says them of cars names
    what another clause gives another number of the same kind for. It is unknown rather than failed: a sentence may
    list its subjects first and its numbers behind them.
    """
    checks = []
    for quantity in quantities(over.claim.plain):
        before = frozenset(terms(over.claim.plain[: quantity.start]))
        for near in over.near(SAME_MATTER):
            theirs = _of_another(quantity, before, list(_clauses(near.sentence.text)))
            if theirs:
                number = over.claim.plain[quantity.start : quantity.end].strip()
                cause = f"{number!r} may be of something else: the source has it in {theirs!r}"
                checks.append(over.check("belonging", Status.UNKNOWN, Severity.BLOCK, cause, quantity))
                break
    return checks


def _clauses(text: str) -> Iterator[_Clause]:
    """The parts of a sentence that hold one number each."""
    for part in _CLAUSE.split(text):
        found = quantities(part)
        if len(found) == 1:
            yield _Clause(part.strip(), found[0], frozenset(terms(part[: found[0].start])), frozenset(terms(part)))


def _of_another(quantity: Quantity, before: frozenset[str], clauses: list[_Clause]) -> str:
    """The clause that has this number, where the claim says it of another clause's subject; else empty."""
    own = [each for each in clauses if _alike(each.quantity, quantity)]
    if len(own) != 1:
        return ""
    rivals = (each for each in clauses if each is not own[0] and each.quantity.dimension == quantity.dimension)
    claimed = not before <= own[0].terms and any(before <= rival.terms for rival in rivals)
    return own[0].text if claimed and own[0].before - before else ""


def _alike(one: Quantity, other: Quantity) -> bool:
    return (one.low, one.high, one.dimension) == (other.low, other.high, other.dimension)
