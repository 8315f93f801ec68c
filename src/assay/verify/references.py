"""References that a claim gives in its own text, and that no source holds: addresses, DOIs, numbers of papers."""

from __future__ import annotations

import re

from assay.types import Check, FindingKind, Passage, Span
from assay.verify.comparison import Comparison

_REFERENCE = re.compile(
    r"""(?:https?://|www\.)[^\s<>()\[\]"'“”]+
      | \b10\.\d{4,9}/[^\s<>()\[\]"'“”]+
      | \barXiv:\s?\d{4}\.\d{4,5}
      | \b(?:PMID|PMCID|ISBN|ISSN|RFC|CVE)[:\s-]*[\dXx][\dXx-]{2,}""",
    re.VERBOSE | re.IGNORECASE,
)
_ENDING = ".,;:!?"
_NOISE = re.compile(r"https?://|www\.|[\s:/-]+", re.IGNORECASE)


def referred(over: Comparison) -> list[Check]:
    """Each reference of the claim that stands in none of its sources, nor is the address of one."""
    checks = []
    for match in _REFERENCE.finditer(over.claim.plain):
        written = match.group().rstrip(_ENDING)
        if not any(_holds(passage, written) for passage in over.sources.passages):
            where = Span(match.start(), match.start() + len(written))
            cause = f"no source of this claim holds the reference {written!r}"
            checks.append(over.wrong("references", cause, where, FindingKind.FABRICATED_REFERENCE))
    return checks


def _holds(passage: Passage, written: str) -> bool:
    wanted = _bare(written)
    return any(wanted in _bare(text) for text in (passage.text, passage.title, passage.origin.link or ""))


def _bare(text: str) -> str:
    return _NOISE.sub("", text).casefold()
