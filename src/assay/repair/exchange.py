"""A value of the source in the place of one that stands in no source, in a sentence that is not copied.

No single source sentence need say the rest word for word, as for other corrections (repair/correct.py): a checker
reads the sentence with each value of its kind that the nearest source sentences hold. Measured by
benchmarks/fix/run.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from assay.repair.sure import stands_elsewhere
from assay.repair.wording import edited, fitted
from assay.stages import Verifier
from assay.text.citation_marks import HEDGE_MARK
from assay.text.dates import dates
from assay.text.names import names
from assay.text.quantities import comparable, quantities
from assay.text.rarity import rarity
from assay.text.sentences import sentences
from assay.text.tokens import terms, words
from assay.types import (
    VALUE_CHECKS,
    Candidate,
    Check,
    Claim,
    Edit,
    Evidence,
    Passage,
    Question,
    Review,
    Sentence,
    Span,
    Status,
    Verdict,
)

# The values of so many source sentences are tried, and at most so many of them: chosen, since each is read.
_NEAREST, _MOST_TRIED = 2, 5
# How far, in support, the claim with the value that is put in stands above the claim with any other: chosen on 60
# passages that the benchmark does not report.
_MARGIN = 0.1


async def exchanged(
    on: Verifier, question: Question, evidence: Evidence, sentence: Sentence, review: Review, begins: int
) -> Candidate | None:
    """The sentence with the one value of its source that bears it out; None where none does, or several do.

    It takes a claim of which a single value, a number, a date or a name, stands nowhere in the evidence and in the
    question, while no other check of it failed. `begins` is where the sentence begins in the draft.
    """
    text = sentence.text
    for claim in review.claims:
        place = _only_wrong(claim, review, begins, len(text))
        if place is None:
            continue
        value = text[place.start : place.end]
        if stands_elsewhere(value, evidence.passages) or set(words(value)) <= set(words(question.standalone)):
            continue
        cited = tuple(each for each in evidence.passages if each.passage_id in claim.citations) or evidence.passages
        own = Span(claim.start - begins, min(claim.end - begins, len(text)))
        tried: list[tuple[float, bool, Edit]] = []
        for other in _values(text, place, claim, cited):
            edit = fitted(text, place, other, f"no source says {value!r}: the source says {other!r}")
            if not own.start <= edit.start <= edit.end <= own.end:
                continue
            changed = text[own.start : edit.start] + edit.replacement + text[edit.end : own.end]
            found = await on.check(changed.replace(HEDGE_MARK, ""), cited, one_claim=True)
            borne_out = bool(found.claims) and all(each.verdict is Verdict.SUPPORTED for each in found.claims)
            tried.append((min((each.support or 0.0 for each in found.claims), default=0.0), borne_out, edit))
        best = _clearly_best(tried)
        if best is not None:
            return Candidate(replace(sentence, text=edited(text, best)), evidence, best.reason, "rules")
    return None


def _clearly_best(tried: Sequence[tuple[float, bool, Edit]]) -> Edit | None:
    """The edit after which the claim is borne out, where with every other value it is far less so."""
    best = max(tried, key=lambda each: each[0], default=None)
    if best is None or not best[1]:
        return None
    others = [support for support, _, edit in tried if edit.replacement != best[2].replacement]
    return best[2] if best[0] - max(others, default=0.0) >= _MARGIN else None


def _only_wrong(claim: Claim, review: Review, begins: int, length: int) -> Span | None:
    """Where in the sentence the claim's one value stands that no check could find; None where that is not all."""
    if claim.verdict is Verdict.SUPPORTED:
        return None
    wrong = [each for each in review.checks if each.claim == claim.n and _speaks_against(each)]
    places = {each.answer_span for each in wrong}
    if len(places) != 1 or any(each.name not in VALUE_CHECKS for each in wrong):
        return None
    (span,) = places
    if span is None or not begins <= span.start < span.end <= begins + length:
        return None
    return Span(span.start - begins, span.end - begins)


def _speaks_against(check: Check) -> bool:
    """Whether a check of what the claim says failed, or one of its values could not be found."""
    if check.status is Status.UNKNOWN:
        return check.name in VALUE_CHECKS
    return check.status is Status.FAILED and check.name not in ("support", "passages", "sources")


def _values(text: str, place: Span, claim: Claim, passages: Sequence[Passage]) -> list[str]:
    """Values of the kind of the one in this place, of the source sentences that share most with the claim."""
    asked = {term: rarity(term) for term in set(terms(claim.text))}
    every = [passage.text[span.start : span.end] for passage in passages for span in sentences(passage.text)]
    every.sort(key=lambda each: -sum(asked.get(term, 0.0) for term in set(terms(each))))
    found = dict.fromkeys(value for each in every[:_NEAREST] for value in _of_kind(text, place, each))
    said = set(words(claim.text))
    return [value for value in found if not set(words(value)) <= said][:_MOST_TRIED]


def _of_kind(text: str, place: Span, source: str) -> Iterator[str]:
    """The values of a source sentence that may stand where the text has another: dates, quantities or names."""
    mine = [each for each in dates(text) if _overlaps(each, place)]
    if mine:
        for date in dates(source):
            if (date.month is None, date.day is None) == (mine[0].month is None, mine[0].day is None):
                yield source[date.start : date.end]
        return
    told = [each for each in quantities(text) if _overlaps(each, place)]
    if told:
        spans = [(each.start, each.end) for each in dates(source)]
        for quantity in quantities(source):
            dated = any(start < quantity.end and quantity.start < end for start, end in spans)
            if not dated and comparable(told[0], quantity):
                yield source[quantity.start : quantity.end]
        return
    for name in names(source):
        if not name.opens:
            yield source[name.start : name.end]


class _Placed(Protocol):
    """A value at its place."""

    @property
    def start(self) -> int:
        """Its first character."""

    @property
    def end(self) -> int:
        """Behind its last."""


def _overlaps(value: _Placed, place: Span) -> bool:
    return value.start < place.end and place.start < value.end
