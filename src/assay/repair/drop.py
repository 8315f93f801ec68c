"""A sentence without the claims that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.types import Candidate, Check, Claim, Evidence, Review, Sentence, Severity, Span, Status, Verdict

# What joins a statement to the one before it says nothing without that one.
_JOINING = re.compile(r"(?:but|whereas|while|although|though|and)\s+", re.IGNORECASE)
_STOPS = ".!?…。！？"


def dropped(evidence: Evidence, sentence: Sentence, review: Review, begins: int) -> Candidate:
    """The sentence without the claims that failed; None in its place where nothing else is in it.

    It is cut where its claims were told apart, so that what passed stays as it was written. The row of a table goes
    whole where a cell of it would go.
    """
    gone = _failed(review)
    why = "; ".join(dict.fromkeys(_reason(each, review) for each in gone)) or _blocking(review)
    kept = [claim not in gone for claim in review.claims]
    if not any(kept):
        return Candidate(None, evidence, why, "rules")
    places = [Span(claim.start - begins, claim.end - begins) for claim in review.claims]
    text = without(sentence.text, places, kept)
    left = replace(sentence, text=text) if _whole_row(text, sentence.text) else None
    return Candidate(left, evidence, why, "rules")


def without(text: str, claims: Sequence[Span], kept: Sequence[bool]) -> str:
    """The text with those of its claims only that are kept, at least one.

    >>> text = "It opened in 1932; it cost 4 million, but nobody uses it."
    >>> without(text, [Span(0, 17), Span(19, 36), Span(38, 57)], [True, False, False])
    'It opened in 1932.'
    >>> without(text, [Span(0, 17), Span(19, 36), Span(38, 57)], [False, False, True])
    'Nobody uses it.'
    """
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    parts = [text[: claims[0].start]]
    for at, claim in enumerate(claims):
        if not kept[at]:
            continue
        said = text[claim.start : claim.end]
        if at == first:
            parts.append(said if at == 0 else _opening(said, text[claims[0].start]))
        elif kept[at - 1]:
            parts.append(text[claims[at - 1].end : claim.start] + said)
        else:
            parts.append(_joined("".join(parts), text[claims[at - 1].end : claim.start], said))
    behind = text[claims[-1].end :]
    whole = "".join(parts)
    if text.rstrip().endswith("|") and not whole.rstrip().endswith("|"):
        return f"{whole.rstrip()} |"
    return whole + behind if last == len(claims) - 1 else _ended(whole, text[claims[-1].start : claims[-1].end])


def _whole_row(text: str, before: str) -> bool:
    """Whether a row of a table has all its cells, and its first is as it was; true of what is no row."""
    if not before.rstrip().endswith("|"):
        return True
    cells, known = text.strip().split("|"), before.strip().split("|")
    return len(cells) == len(known) and cells[:2] == known[:2]


def _opening(said: str, opened: str) -> str:
    """A claim as the beginning of the sentence, whose own first character was `opened`."""
    bare = _JOINING.sub("", said, count=1) if _JOINING.match(said) else said
    return bare[:1].upper() + bare[1:] if opened.isupper() else bare


def _joined(before: str, joint: str, said: str) -> str:
    """A claim behind another one, where what stood between them is gone."""
    if before.endswith(tuple(_STOPS)):
        return " " + _opening(said, "A")
    return (joint if joint.strip() else "; ") + said


def _ended(text: str, dropped_end: str) -> str:
    """The text with a full stop, as what stood behind it had."""
    bare = text.rstrip()
    if bare.endswith(tuple(_STOPS)) or not dropped_end.rstrip().endswith(tuple(_STOPS)):
        return bare
    return bare + dropped_end.rstrip()[-1]


def _failed(review: Review) -> tuple[Claim, ...]:
    """The claims that plainly failed, else those that are not borne out."""
    plainly = tuple(claim for claim in review.claims if _fails(claim, review))
    return plainly or tuple(claim for claim in review.claims if claim.verdict is not Verdict.SUPPORTED)


def _fails(claim: Claim, review: Review) -> bool:
    wrong = claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)
    return wrong or any(check.claim == claim.n and _blocks(check) for check in review.checks)


def _blocks(check: Check) -> bool:
    return check.status is Status.FAILED and check.severity is Severity.BLOCK


def _reason(claim: Claim, review: Review) -> str:
    """Why a claim goes: the first check that stops it."""
    found = (each.message for each in review.findings if each.claim == claim.n and each.severity is Severity.BLOCK)
    return next(found, "no source bears it out")


def _blocking(review: Review) -> str:
    return next((each.message for each in review.findings if each.severity is Severity.BLOCK), "")
