"""Repair of citations: each points at the passages that support its claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from assay.core.stages import TextVerifier
from assay.nlp.tokens import terms
from assay.types import (
    Candidate,
    Check,
    Claim,
    Evidence,
    FindingKind,
    Passage,
    Review,
    Sentence,
    Status,
    Verdict,
)

# Passages that are tested at most, those that share the most words with the claim first; chosen.
MOST_TESTED = 8
# The first of these are also tested in pairs; chosen.
MOST_PAIRED = 4
# The support of a claim that a passage says word for word.
WORD_FOR_WORD = 1.0


async def repair_citations(
    verifier: TextVerifier, evidence: Evidence, sentence: Sentence, review: Review
) -> Candidate | None:
    """The sentence citing the passages that support its claims, without marks of no source; None if unchanged.

    A present citation stays unless every claim has its own passages without it.
    """
    present = tuple(passage_id for passage_id in sentence.passage_ids if passage_id in evidence.ids)
    per_claim = [await _supporting(claim, review, present, evidence.passages, verifier) for claim in review.claims]
    needed = dict.fromkeys(passage_id for ids in per_claim for passage_id in ids)
    retained = tuple(one for one in present if one in needed) if per_claim and all(per_claim) else present
    cited = {*retained, *needed}
    ids = retained if cited == set(retained) else tuple(one for one in _ids(evidence.passages) if one in cited)
    if ids == sentence.passage_ids and not sentence.unknown_marks:
        return None
    repaired = replace(sentence, passage_ids=ids, unknown_marks=())
    return Candidate(repaired, evidence, _reason(sentence, ids, evidence), "rules")


async def _supporting(
    claim: Claim, review: Review, present: Sequence[str], passages: tuple[Passage, ...], verifier: TextVerifier
) -> tuple[str, ...]:
    """The passages to cite for a claim: those it cites if they support it, else the ones that do."""
    if claim.verdict is Verdict.SUPPORTED and claim.citations:
        return tuple(passage_id for passage_id in claim.citations if passage_id in present)
    right_passage = _right_passage(claim, review)
    if right_passage is not None:
        return (right_passage,)
    likeliest = _likeliest(claim.text, passages)
    tested = [await _tested(claim.text, passage, verifier) for passage in likeliest]
    contradicted = claim.verdict is Verdict.CONTRADICTED  # only a verbatim passage outweighs a contradiction
    supporting = [one for one in tested if one.supports and (one.support == WORD_FOR_WORD or not contradicted)]
    if supporting:
        return (max(supporting, key=lambda one: one.support).passage_id,)
    in_order = tuple(passage for passage in passages if passage in likeliest)
    together = () if contradicted else await _supporting_together(claim.text, in_order, verifier)
    if together or _is_correctable(claim, review):
        return together
    correcting = [one for one in tested if one.corrects]
    return (max(correcting, key=lambda one: one.support).passage_id,) if correcting else ()


@dataclass(frozen=True, slots=True)
class _Tested:
    """A claim tested on one passage: whether it supports the claim, or has the right value for it."""

    passage_id: str
    supports: bool
    corrects: bool
    support: float


async def _tested(text: str, passage: Passage, verifier: TextVerifier) -> _Tested:
    review = await verifier.check(text, (passage,), one_claim=True)
    support = max((claim.support or 0.0 for claim in review.claims), default=0.0)
    return _Tested(passage.passage_id, _is_supported(review), any(map(_has_value, review.checks)), support)


async def _supporting_together(text: str, passages: tuple[Passage, ...], verifier: TextVerifier) -> tuple[str, ...]:
    """The fewest passages that support a claim together, where none does alone; each says a part of it.

    A subset is tested again: what all passages support, some of them need not.
    """
    review = await verifier.check(text, passages, one_claim=True)
    if not _is_supported(review):
        return ()
    leaned_on = tuple(passage for passage in passages if passage.passage_id in _leaned_on(review))
    first = tuple(passage for passage in passages if passage in _likeliest(text, passages)[:MOST_PAIRED])
    for subset in sorted((leaned_on, *combinations(first, 2)), key=len):
        alone = await verifier.check(text, subset, one_claim=True)
        if _is_supported(alone) and _leaned_on(alone) == set(_ids(subset)):
            return _ids(subset)
    return ()


def _leaned_on(review: Review) -> set[str]:
    """The passages whose sentences hold most of the claims."""
    return {span.passage_id for claim in review.claims for span in claim.spans}


def _is_supported(review: Review) -> bool:
    return bool(review.claims) and all(claim.verdict is Verdict.SUPPORTED for claim in review.claims)


def _ids(passages: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(passage.passage_id for passage in passages)


def _right_passage(claim: Claim, review: Review) -> str | None:
    """The passage that a check says should have been cited."""
    wrong = (one for one in review.checks if one.kind is FindingKind.WRONG_PASSAGE and one.claim == claim.n)
    return next((check.source_span.passage_id for check in wrong if check.source_span is not None), None)


def _is_correctable(claim: Claim, review: Review) -> bool:
    """True if a cited passage has the right value for the claim."""
    return bool(claim.citations) and any(check.claim == claim.n and _has_value(check) for check in review.checks)


def _has_value(check: Check) -> bool:
    return check.status is Status.FAILED and check.expected is not None


def _likeliest(text: str, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """The passages that share the most words with a text, best first."""
    wanted = set(terms(text))
    return tuple(sorted(passages, key=lambda one: -len(wanted.intersection(terms(one.text)))))[:MOST_TESTED]


def _reason(sentence: Sentence, ids: Sequence[str], evidence: Evidence) -> str:
    marks = ", ".join(sentence.unknown_marks)
    unknown = f"{marks} {'refer' if len(sentence.unknown_marks) > 1 else 'refers'} to no source" if marks else ""
    added = [passage for passage in evidence.passages if passage.passage_id in ids]
    titles = [
        passage.title or f"[{passage.passage_id}]" for passage in added
        if passage.passage_id not in sentence.passage_ids
    ]  # fmt: skip
    found = f"{' and '.join(titles)} {'say' if len(titles) > 1 else 'says'} it" if titles else ""
    was_removed = any(passage_id not in ids for passage_id in sentence.passage_ids)
    removed = "a source that does not say it is no longer cited" if was_removed and not found else ""
    return "; ".join(part for part in (unknown, found, removed) if part)
