"""The source's own values in the place of wrong ones, and its denials as it has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.repair.negate import turned_round
from assay.repair.wording import edited, fitted
from assay.types import Candidate, Check, Edit, Evidence, FindingKind, Review, Sentence, Span, Status

# Nobody's words are changed within quotation marks, nor code.
_UNTOUCHED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|`[^`\n]+`")


def corrected(evidence: Evidence, sentence: Sentence, review: Review, begins: int) -> Candidate | None:
    """The sentence with what the sources say where a check found it wrong; None where no check tells that.

    What stands in quotation marks or in code is left as it is.
    """
    text, causes, touched = sentence.text, [], len(sentence.text)
    quoted = [Span(*match.span()) for match in _UNTOUCHED.finditer(text)]
    for check, place in reversed(list(_places(review, begins, text))):
        edit = _edit(text, place, check)
        if edit is None or edit.end > touched or _within(edit, quoted):
            continue
        text, touched = edited(text, edit), edit.start
        causes.append(edit.reason)
    if text == sentence.text:
        return None
    reason = "; ".join(dict.fromkeys(each for each in reversed(causes) if each))
    return Candidate(replace(sentence, text=text), evidence, reason, "rules")


def _places(review: Review, begins: int, text: str) -> Iterator[tuple[Check, Span]]:
    """The failed checks that say otherwise, each with its place in the sentence's text, in order."""
    found = []
    for check in review.checks:
        if check.status is not Status.FAILED or check.answer_span is None:
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
