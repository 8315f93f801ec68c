"""Repairs by rules, without a search or a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.stages import Repairer, TextVerifier, Weigher
from assay.repair.citations import repair_citations
from assay.repair.correct import correct_values
from assay.repair.exchange import exchange_values, shipped_weights
from assay.types import (
    Candidate,
    Claim,
    Evidence,
    Question,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class RulesRepairer:
    """Repairs citations, corrects values to the sources' own, marks sentences, and drops claims that failed.

    `verifier` says which passages support a claim. With a `weigher` the sources' values are also tried in sentences
    worded freely, where words alone cannot tell which value is meant.
    """

    verifier: TextVerifier
    weigher: Weigher | None = None

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence repaired in this way; None where that is not possible."""
        match kind:
            case RepairKind.RE_CITE:
                return await repair_citations(self.verifier, evidence, sentence, review)
            case RepairKind.CORRECT:
                corrected = correct_values(question, evidence, sentence, review, begins)
                if corrected is not None or self.weigher is None:
                    return corrected
                weights = shipped_weights()
                return await exchange_values(self.weigher, weights, question, evidence, sentence, review, begins)
            case RepairKind.HEDGE:
                return hedge(evidence, sentence, review)
            case RepairKind.DROP:
                return drop_claims(evidence, sentence, review, begins)
            case _:
                return None


def hedge(evidence: Evidence, sentence: Sentence, review: Review) -> Candidate:
    """The sentence with a mark, and its first blocking finding as the reason."""
    return Candidate(replace(sentence, hedged=True), evidence, _blocking(review), "rules")


# Several repairers as one.


@dataclass(frozen=True, slots=True)
class ComposedRepairer:
    """Repairs with the repairer of each kind, and with `default` where a kind has none."""

    default: Repairer
    by_kind: Mapping[RepairKind, Repairer]

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence repaired in this way; None where that is not possible."""
        repairer = self.by_kind.get(kind, self.default)
        return await repairer.repair(kind, question, evidence, sentence, review, begins)


# Words that join a statement to the one before it.
_JOINING = re.compile(r"(?:but|whereas|while|although|though|and)\s+", re.IGNORECASE)
_STOPS = ".!?…。！？"


def drop_claims(evidence: Evidence, sentence: Sentence, review: Review, begins: int) -> Candidate:
    """The sentence without the claims that failed; no sentence where nothing else is in it.

    It is cut where its claims were separated, so that what passed stays as written. Where a cell of a table would
    go, its whole row goes.
    """
    failed = _failed(review)
    reason = "; ".join(dict.fromkeys(_reason(claim, review) for claim in failed)) or _blocking(review)
    keep = [claim not in failed for claim in review.claims]
    if not any(keep):
        return Candidate(None, evidence, reason, "rules")
    places = [Span(claim.start - begins, claim.end - begins) for claim in review.claims]
    text = keep_claims(sentence.text, places, keep)
    shortened = replace(sentence, text=text) if _is_full_row(text, sentence.text) else None
    return Candidate(shortened, evidence, reason, "rules")


def keep_claims(text: str, claims: Sequence[Span], keep: Sequence[bool]) -> str:
    """The text without the claims that are not to be kept; at least one must be.

    >>> text = "It opened in 1932; it cost 4 million, but nobody uses it."
    >>> keep_claims(text, [Span(0, 17), Span(19, 36), Span(38, 57)], [True, False, False])
    'It opened in 1932.'
    >>> keep_claims(text, [Span(0, 17), Span(19, 36), Span(38, 57)], [False, False, True])
    'Nobody uses it.'
    """
    first, last = keep.index(True), len(keep) - 1 - keep[::-1].index(True)
    parts = [text[: claims[0].start]]
    for at, claim in enumerate(claims):
        if not keep[at]:
            continue
        wording = text[claim.start : claim.end]
        if at == first:
            parts.append(wording if at == 0 else _opening(wording, text[claims[0].start]))
        elif keep[at - 1]:
            parts.append(text[claims[at - 1].end : claim.start] + wording)
        else:
            parts.append(_joined("".join(parts), text[claims[at - 1].end : claim.start], wording))
    rest = text[claims[-1].end :]
    shortened = "".join(parts)
    if text.rstrip().endswith("|") and not shortened.rstrip().endswith("|"):
        return f"{shortened.rstrip()} |"
    if last == len(claims) - 1:
        return shortened + rest
    return _with_stop(shortened, text[claims[-1].start : claims[-1].end])


def _is_full_row(text: str, before: str) -> bool:
    """True if a table row still has all its cells and the same first one; true of text that is no row."""
    if not before.rstrip().endswith("|"):
        return True
    cells, known = text.strip().split("|"), before.strip().split("|")
    return len(cells) == len(known) and cells[:2] == known[:2]


def _opening(claim: str, first: str) -> str:
    """The claim as a sentence opening; `first` is the first character of the old opening."""
    bare = _JOINING.sub("", claim, count=1)
    return bare[:1].upper() + bare[1:] if first.isupper() else bare


def _joined(before: str, joint: str, claim: str) -> str:
    """The claim behind an earlier one, where the claim between them was removed."""
    if before.endswith(tuple(_STOPS)):
        return " " + _opening(claim, "A")
    return (joint if joint.strip() else "; ") + claim


def _with_stop(text: str, removed: str) -> str:
    """The text with the full stop of the claim that was removed behind it."""
    bare, removed = text.rstrip(), removed.rstrip()
    if bare.endswith(tuple(_STOPS)) or not removed.endswith(tuple(_STOPS)):
        return bare
    return bare + removed[-1]


def _failed(review: Review) -> tuple[Claim, ...]:
    """The claims that failed, else those that are not supported."""
    failed = tuple(claim for claim in review.claims if _fails(claim, review))
    return failed or tuple(claim for claim in review.claims if claim.verdict is not Verdict.SUPPORTED)


def _fails(claim: Claim, review: Review) -> bool:
    wrong = claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)
    return wrong or any(
        check.claim == claim.n and check.status is Status.FAILED and check.severity is Severity.BLOCK
        for check in review.checks
    )


def _reason(claim: Claim, review: Review) -> str:
    """The reason for dropping a claim: its first blocking finding."""
    blocking = (one for one in review.findings if one.severity is Severity.BLOCK)
    return next((finding.message for finding in blocking if finding.claim == claim.n), "no source supports it")


def _blocking(review: Review) -> str:
    return next((finding.message for finding in review.findings if finding.severity is Severity.BLOCK), "")
