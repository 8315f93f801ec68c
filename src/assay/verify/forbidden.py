"""What a claim allows and its source forbids, in words that are no denial: "smoking is forbidden"."""

from __future__ import annotations

import re

from assay.text.tokens import stem, terms
from assay.types import Check, Severity, Span, Status
from assay.verify.comparison import SAME_MATTER, Comparison
from assay.verify.denials import denials, held_share

_FORBIDS = re.compile(
    r"\b(?:forbid(?:s|den)?|forbade|prohibit(?:s|ed)?|bans|banned|barred|illegal|unlawful)\b", re.I
)
_ALLOWS = re.compile(r"\b(?:may|can|could|allow(?:s|ed)?|permit(?:s|ted)?|free\s+to|entitled\s+to)\b", re.I)
_WORDS = frozenset(map(stem, "may can could allow allowed permit permitted free entitled".split()))
# How much of what is allowed a sentence that forbids must hold.
_HELD = 0.6


def forbidden(over: Comparison) -> list[Check]:
    """An open check of what the claim allows, near a sentence that forbids it or something like it."""
    said = over.claim.plain
    allows = _ALLOWS.search(said)
    if allows is None or _FORBIDS.search(said) or denials(said):
        return []
    matter = [each for each in terms(said) if each not in _WORDS]
    for near in over.near(SAME_MATTER):
        text = near.sentence.text
        if _FORBIDS.search(text) and not _ALLOWS.search(text) and held_share(matter, near.sentence.terms) >= _HELD:
            cause = "the source forbids this, or something near to it"
            part = Span(allows.start(), allows.end())
            return [over.check("negation", Status.UNKNOWN, Severity.BLOCK, cause, part, near.sentence.span)]
    return []
