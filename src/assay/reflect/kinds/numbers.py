"""numbers_in_evidence: prices, or all numbers, only as the evidence has them."""

from __future__ import annotations

from typing import ClassVar, Literal

from assay.reflect.subject import Broken, Exempt, Kind, Subject, Untested
from assay.text.quantities import Quantity, agree, quantities
from assay.text.units import CENTS, CURRENCY_SIGNS
from assay.types import Span

_CURRENCIES = frozenset((*CURRENCY_SIGNS.values(), "CNY", CENTS))
# "Two plans" may be counted from the evidence without being written there; checks of claims say so too.
_COUNTABLE = 12


class NumbersInEvidence(Kind):
    """`which` is "prices", amounts of money, or "all": every number but ordinals and small ones in words."""

    left_alone: ClassVar[frozenset[Exempt]] = frozenset()  # a price in a table or a quotation is a price
    which: Literal["prices", "all"] = "prices"

    def told(self, language: str) -> str:
        """Where numbers may come from."""
        what = "prices" if self.which == "prices" else "numbers"
        return f"Mention only {what} that stand in the sources, exactly as they stand there."

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """Each number that no passage has."""
        mine = [each for each in quantities(subject.plain) if self._looked_at(subject.plain, each)]
        if not mine:
            return ()
        if not subject.evidence.hits:
            return (Untested("there is no evidence to look the numbers up in"),)
        theirs = [each for hit in subject.evidence.hits for each in quantities(hit.passage.text)]
        missing = (each for each in mine if not any(agree(each, one) for one in theirs))
        return tuple(
            Broken(f"no passage has {subject.text[each.start : each.end]!r}", Span(each.start, each.end))
            for each in missing
        )

    def _looked_at(self, plain: str, each: Quantity) -> bool:
        if self.which == "prices":
            return each.dimension in _CURRENCIES
        if each.dimension == "ordinal" or _is_list_mark(plain, each):
            return False
        return not (each.spelled and each.high <= _COUNTABLE and not each.dimension)


def _is_list_mark(plain: str, each: Quantity) -> bool:
    """Whether a number is the mark of a list's point: "2. Then …"."""
    line_start = plain.rfind("\n", 0, each.start) + 1
    return not plain[line_start : each.start].strip() and plain[each.end : each.end + 2] in (". ", ") ")
