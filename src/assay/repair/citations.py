"""Citations pointed at the passages that bear out what they stand behind."""

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

# Of more passages, those that share the most words with a claim are asked.
MOST_ASKED = 8
# Of these, the first are asked two by two.
MOST_PAIRED = 4
# The support of a claim that a passage says word for word.
WORD_FOR_WORD = 1.0


async def recited(on: TextVerifier, evidence: Evidence, sentence: Sentence, review: Review) -> Candidate | None:
    """The sentence citing the passages that bear its claims out, without marks that stand for nothing.

    A citation that is there stays unless every claim has its passages without it. No passage is cited that bears
    nothing. None where all is cited as it should be.
    """
    held = tuple(each for each in sentence.passage_ids if each in evidence.ids)
    found = [await _bearing(claim, review, held, evidence.passages, on) for claim in review.claims]
    borne = tuple(dict.fromkeys(each for ids in found for each in ids))
    left = tuple(each for each in held if each in borne) if found and all(found) else held
    cited = {*left, *borne}
    ids = left if cited == set(left) else tuple(each for each in _ids(evidence.passages) if each in cited)
    if ids == sentence.passage_ids and not sentence.unknown_marks:
        return None
    mended = replace(sentence, passage_ids=ids, unknown_marks=())
    return Candidate(mended, evidence, _reason(sentence, ids, evidence), "rules")


async def _bearing(
    claim: Claim, review: Review, held: Sequence[str], passages: tuple[Passage, ...], on: TextVerifier
) -> tuple[str, ...]:
    """The passages to cite for a claim: those that it cites where they bear it, else the one that does."""
    if claim.verdict is Verdict.SUPPORTED and claim.citations:
        return tuple(each for each in claim.citations if each in held)
    named = _named(claim, review)
    if named is not None:
        return (named,)
    likeliest = _likeliest(claim.text, passages)
    asked = [await _asked(claim.text, each, on) for each in likeliest]
    contradicted = claim.verdict is Verdict.CONTRADICTED  # against its source only another's own words count
    bearing = [each for each in asked if each.bears and (each.support == WORD_FOR_WORD or not contradicted)]
    if bearing:
        return (max(bearing, key=lambda each: each.support).passage_id,)
    ordered_map = tuple(each for each in passages if each in likeliest)
    together = () if contradicted else await _together(claim.text, ordered_map, on)
    if together or _correctable(claim, review):
        return together
    telling = [each for each in asked if each.tells]  # it says what is right, so that it can be corrected
    return (max(telling, key=lambda each: each.support).passage_id,) if telling else ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one passage says of a claim: whether it bears it out, or tells what is wrong about it."""

    passage_id: str
    bears: bool
    tells: bool
    support: float


async def _asked(text: str, passage: Passage, on: TextVerifier) -> _Asked:
    review = await on.check(text, (passage,), one_claim=True)
    support = max((each.support or 0.0 for each in review.claims), default=0.0)
    return _Asked(passage.passage_id, _borne_out(review), any(map(_tells, review.checks)), support)


async def _together(text: str, passages: tuple[Passage, ...], on: TextVerifier) -> tuple[str, ...]:
    """The passages that bear a claim out together, where none does alone; each of them says some of it.

    What all that there is bears out need not be borne out by the part that is cited: each part is asked by itself.
    """
    review = await on.check(text, passages, one_claim=True)
    if not _borne_out(review):
        return ()
    said = tuple(each for each in passages if each.passage_id in _saying(review))
    first = tuple(each for each in passages if each in _likeliest(text, passages)[:MOST_PAIRED])
    for some in sorted((said, *combinations(first, 2)), key=len):  # the fewest that suffice
        asked = await on.check(text, some, one_claim=True)
        if _borne_out(asked) and _saying(asked) == set(_ids(some)):
            return _ids(some)
    return ()


def _saying(review: Review) -> set[str]:
    """The passages whose sentences hold most of the claims."""
    return {span.passage_id for each in review.claims for span in each.spans}


def _borne_out(review: Review) -> bool:
    return bool(review.claims) and all(each.verdict is Verdict.SUPPORTED for each in review.claims)


def _ids(passages: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(each.passage_id for each in passages)


def _named(claim: Claim, review: Review) -> str | None:
    """The passage that a check says should have been cited."""
    wrong = (each for each in review.checks if each.kind is FindingKind.WRONG_PASSAGE and each.claim == claim.n)
    return next((each.source_span.passage_id for each in wrong if each.source_span is not None), None)


def _correctable(claim: Claim, review: Review) -> bool:
    """Whether what the claim cites already tells what is wrong about it."""
    return bool(claim.citations) and any(each.claim == claim.n and _tells(each) for each in review.checks)


def _tells(check: Check) -> bool:
    return check.status is Status.FAILED and check.expected is not None


def _likeliest(text: str, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """The passages that share the most words with a text, in their order where they share as many."""
    wanted = set(terms(text))
    return tuple(sorted(passages, key=lambda each: -len(wanted.intersection(terms(each.text)))))[:MOST_ASKED]


def _reason(sentence: Sentence, ids: Sequence[str], evidence: Evidence) -> str:
    marks = ", ".join(sentence.unknown_marks)
    stands = f"{marks} {'stand' if len(sentence.unknown_marks) > 1 else 'stands'} for no source" if marks else ""
    added = [each for each in ids if each not in sentence.passage_ids]
    titles = [each.title or f"[{each.passage_id}]" for each in evidence.passages if each.passage_id in added]
    says = f"{' and '.join(titles)} {'say' if len(titles) > 1 else 'says'} it" if titles else ""
    gone = any(each not in ids for each in sentence.passage_ids)
    dropped = "a source that does not say it is no longer cited" if gone and not says else ""
    return "; ".join(part for part in (stands, says, dropped) if part)
