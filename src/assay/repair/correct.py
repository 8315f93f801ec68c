"""The source's own values in the place of wrong ones, and its denials as it has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from assay.repair.negate import turned_round
from assay.repair.sure import says, sentence_around, stands_elsewhere
from assay.repair.values import UNTOUCHED
from assay.repair.wording import edited, fitted
from assay.text.tokens import words
from assay.types import Candidate, Check, Edit, Evidence, FindingKind, Question, Review, Sentence, Span, Status

_BEFORE_DATE = re.compile(r"\b(?:in|on)\s+\Z", re.IGNORECASE)


def corrected(
    question: Question, evidence: Evidence, sentence: Sentence, review: Review, begins: int
) -> Candidate | None:
    """The sentence with what the sources say where a check found it wrong; None where no check tells that surely.

    It is sure where a claim has one wrong value, and one sentence of a source says the claim with its own value in
    that place. A value that the question names, or that stands elsewhere in the evidence, may be right of another
    thing and is left. What stands in quotation marks or in code is left as it is.
    """
    text, causes, touched = sentence.text, [], len(sentence.text)
    done: set[int | None] = set()
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(text)]
    for check, place in reversed(list(_alone(_places(review, begins, text)))):
        edit = _edit(text, place, check)
        if edit is None or check.claim in done or edit.end > touched or _within(edit, quoted):
            continue
        if not _sure(check, place, edit, _claim_at(review, check, begins, text), text, question, evidence):
            continue
        text, touched = edited(text, edit), edit.start
        done.add(check.claim)
        causes.append(edit.reason)
    if text == sentence.text:
        return None
    reason = "; ".join(dict.fromkeys(each for each in reversed(causes) if each))
    return Candidate(replace(sentence, text=text), evidence, reason, "rules")


def _alone(places: Iterable[tuple[Check, Span]]) -> Iterator[tuple[Check, Span]]:
    """Those of claims of which one thing is wrong: a value, or a denial, which several checks may tell of."""
    found = list({(check.claim, place): (check, place) for check, place in places}.values())
    wrong = Counter(
        claim for claim, _ in {(check.claim, place if check.expected else None) for check, place in found}
    )
    return (each for each in found if wrong[each[0].claim] == 1)


def _claim_at(review: Review, check: Check, begins: int, text: str) -> Span:
    """Where the check's claim stands in the sentence's text; the whole of it where it is of no claim."""
    claim = next((each for each in review.claims if each.n == check.claim), None)
    return Span(0, len(text)) if claim is None else Span(claim.start - begins, min(claim.end - begins, len(text)))


def _sure(
    check: Check, place: Span, edit: Edit, claim: Span, text: str, question: Question, evidence: Evidence
) -> bool:
    """Whether a source sentence says the claim as it would be after the edit."""
    if check.source_span is None or not claim.start <= edit.start <= edit.end <= claim.end:
        return False
    passage = next((each for each in evidence.passages if each.passage_id == check.source_span.passage_id), None)
    source = sentence_around(check.source_span, evidence)
    if passage is None or not source:
        return False
    if check.expected is None:
        changed = text[claim.start : edit.start] + edit.replacement + text[edit.end : claim.end]
        return says("", "", changed, source, passage.title)
    value = text[place.start : place.end]
    if stands_elsewhere(value, evidence.passages) or set(words(value)) <= set(words(question.standalone)):
        return False
    before, behind = text[claim.start : place.start], text[place.end : claim.end]
    if check.kind is FindingKind.WRONG_DATE:  # "in 1934" where the source says "on 3 May 1932"
        before = _BEFORE_DATE.sub("", before)
    return says(before, check.expected, behind, source, passage.title)


def _places(review: Review, begins: int, text: str) -> Iterator[tuple[Check, Span]]:
    """The failed checks that say otherwise, each with its place in the sentence's text, in order."""
    found = []
    for check in review.checks:
        if check.status not in (Status.FAILED, Status.UNKNOWN) or check.answer_span is None:
            continue
        place = Span(check.answer_span.start - begins, check.answer_span.end - begins)
        inside = 0 <= place.start < place.end <= len(text)
        if inside and (check.expected or check.kind is FindingKind.NEGATION):
            found.append((check, place))
    return iter(sorted(found, key=lambda each: each[1].start))


def _edit(text: str, place: Span, check: Check) -> Edit | None:
    if check.expected:
        return fitted(text, place, check.expected, check.cause or "")
    source = check.source_span.quote if check.source_span else ""
    return turned_round(text, place, source, check.cause or "")


def _within(edit: Edit, quoted: list[Span]) -> bool:
    return any(edit.start < each.end and each.start < edit.end for each in quoted)
