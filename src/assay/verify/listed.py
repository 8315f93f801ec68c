"""What a claim adds to a list: heating, where the source has the tenant pay for electricity and water alone."""

from __future__ import annotations

import re

from assay.text.tokens import STOP_WORDS, fold, stem, terms
from assay.types import Check, Severity, Span, Status
from assay.verify.comparison import SAME_MATTER, SAME_STATEMENT, Comparison
from assay.verify.lexicon import kinship

# The last of a list, or one between commas: a single word, with or without an article.
_ITEM = re.compile(
    r"(?:,|\band|\bor)\s+(?:(?:an?|the|its|their|his|her)\s+)?(?P<item>[^\W\d_]+)"
    r"(?=\s*(?:[.!?]*\s*\Z|,)|\s+(?:and|or)\s)"
)
_CLAUSE = re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+|\s+(?:but|while|whereas)\s+")


def listed(over: Comparison) -> list[Check]:
    """An open check of an item of a list that the clause does not have which says the rest of the claim.

    Another clause may say it of the item too, in other words, so it is unknown rather than failed.
    """
    for match in _ITEM.finditer(over.claim.plain):
        item = stem(fold(match["item"]))
        rest = [each for each in terms(over.claim.plain) if each != item]
        if fold(match["item"]) in STOP_WORDS or len(rest) < 2:
            continue
        found = _says(rest, over)
        if found is not None and not any(each == item or kinship(item, each) == "same" for each in found):
            cause = f"the source does not say it of {match['item']!r}"
            part = Span(match.start("item"), match.end("item"))
            return [over.check("additions", Status.UNKNOWN, Severity.BLOCK, cause, part)]
    return []


def _says(rest: list[str], over: Comparison) -> frozenset[str] | None:
    """The terms of the clause of a near sentence that holds most of a claim, None where none does."""
    clauses = (
        frozenset(terms(part)) for near in over.near(SAME_MATTER) for part in _CLAUSE.split(near.sentence.text)
    )
    best = max(clauses, key=lambda each: len(each.intersection(rest)), default=frozenset[str]())
    return best if len(best.intersection(rest)) >= SAME_STATEMENT * len(set(rest)) else None
