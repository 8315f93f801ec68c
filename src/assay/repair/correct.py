"""Correction of wrong values and denials to what the source says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.nlp.controls import encodable
from assay.nlp.lexicon import word_class
from assay.nlp.negation import negations
from assay.nlp.sentences import sentences
from assay.nlp.tokens import stem, words
from assay.repair.exchange import UNTOUCHED
from assay.repair.wording import apply_edit, fit_value
from assay.types import (
    Candidate,
    Check,
    Edit,
    Evidence,
    FindingKind,
    Passage,
    Question,
    Review,
    Sentence,
    SourceSpan,
    Span,
    Status,
)

# A denial removed or inserted, where that changes one word and its auxiliary.


_HELPER = r"(?:is|are|was|were|am|be|been|has|have|had|can|could|will|would|shall|should|may|might|must)"
_DENIED_HELPER = re.compile(rf"\b(?P<helper>{_HELPER})(?: not|n['’]t)\b", re.IGNORECASE)
_CANNOT = re.compile(r"\b(?P<helper>can)not\b", re.IGNORECASE)
_NEVER = re.compile(r"\bnever ", re.IGNORECASE)
# "did not open", "doesn't hold", "failed to win": the verb that follows has its plain form.
_DENIED_VERB = re.compile(
    r"\b(?:(?:do|does|did)(?: not|n['’]t)|fail(?:s|ed)? to) (?P<verb>[a-z]+)\b", re.IGNORECASE
)
_WHOLE = re.compile(r"It is (?:not true|false) that (?P<rest>\w)")
_WORD = re.compile(r"[^\W\d_]+")


def flip_negation(text: str, place: Span, source: str, reason: str = "") -> Edit | None:
    """The edit that makes a text deny exactly what its source denies; None where no simple edit does.

    `place` is the denial, or the claim that lacks one. A verb takes the form that the source has.

    >>> flip_negation("It did not open in May.", Span(7, 10), "It opened in May 1932.")
    Edit(start=3, end=15, replacement='opened', reason='')
    >>> flip_negation("It is open.", Span(0, 11), "It is not open on Sundays.")
    Edit(start=5, end=5, replacement=' not', reason='')
    """
    is_denied = len(negations(source)) % 2 == 1
    edit = _with_denial(text, place, source) if is_denied else _without_denial(text, place, source)
    return None if edit is None else replace(edit, reason=reason)


def _without_denial(text: str, place: Span, source: str) -> Edit | None:
    """The edit that removes the denial at a place."""
    opening = _WHOLE.match(text)
    if opening is not None:
        return Edit(0, opening.end(), opening["rest"].upper(), "")
    for form in (_DENIED_HELPER, _CANNOT):
        for match in form.finditer(text):
            if _overlaps(match, place):
                return Edit(match.start(), match.end(), match["helper"], "")
    for match in _DENIED_VERB.finditer(text):
        source_form = _form_in(source, match["verb"])
        if _overlaps(match, place) and source_form is not None:
            return Edit(match.start(), match.end(), source_form, "")
    never = next((match for match in _NEVER.finditer(text) if _overlaps(match, place)), None)
    return None if never is None else Edit(never.start(), never.end(), "", "")


def _with_denial(text: str, place: Span, source: str) -> Edit | None:
    """The edit that inserts the source's denial into a claim."""
    for match in _DENIED_HELPER.finditer(source):
        helper = re.compile(rf"\b{re.escape(match['helper'])}\b(?! not|n['’]t)", re.IGNORECASE)
        found = list(helper.finditer(text, place.start, place.end))
        if len(found) == 1:
            return Edit(found[0].end(), found[0].end(), " not", "")
    for match in _DENIED_VERB.finditer(source):
        found = [
            word
            for word in _WORD.finditer(text, place.start, place.end)
            if word.group()[0].islower() and stem(word.group()) == stem(match["verb"])
        ]
        if len(found) == 1:
            return Edit(found[0].start(), found[0].end(), match.group(), "")
    return None


def _overlaps(match: re.Match[str], place: Span) -> bool:
    return match.start() < place.end and place.start < match.end()


def _form_in(source: str, verb: str) -> str | None:
    """The form that the source has of a verb, where it has only one."""
    forms = {word for word in _WORD.findall(source) if word[0].islower() and stem(word) == stem(verb)}
    return forms.pop() if len(forms) == 1 else None


# The test that a source sentence says what a sentence would say once a value in it is corrected.


# Words that a sentence may have and its source may lack: pronouns and articles.
_STAND_IN = word_class("repair.stand_ins")
# Words that qualify a statement: a correction may not leave them out.
_QUALIFIERS = word_class("repair.qualifiers")


def sentence_around(span: SourceSpan, evidence: Evidence) -> str:
    """The sentence of the evidence that a span stands in; empty where it stands in none."""
    passage = next((one for one in evidence.passages if one.passage_id == span.passage_id), None)
    if passage is None:
        return ""
    offset = span.start - passage.start
    around = (sentence for sentence in sentences(passage.text) if sentence.start <= offset < sentence.end)
    return next((passage.text[sentence.start : sentence.end] for sentence in around), "")


def entails_correction(before: str, value: str, behind: str, source: str, title: str = "") -> bool:
    """True if `source` says `before`, `value` and `behind` in this order, without a qualifier besides.

    The source may lack words of the passage's `title`, pronouns and articles.

    >>> source = "The bridge opened on 30 June 1894 after eight years."
    >>> entails_correction("Tower Bridge opened on", "30 June 1894", ".", source, "Tower Bridge")
    True
    >>> entails_correction("More than", "1,200", "people work here.", "1,200 people work here.")
    False
    >>> entails_correction("It has", "100", "rooms.", "It has more than 100 rooms.")
    False
    """
    value_words, source_words = words(value), words(source)
    optional = _STAND_IN.union(words(title))
    for at in range(len(source_words) - len(value_words) + 1):
        if source_words[at : at + len(value_words)] != value_words:
            continue
        omitted_before = _omitted(words(before), source_words[:at], optional)
        omitted_behind = _omitted(words(behind), source_words[at + len(value_words) :], optional)
        if omitted_before is not None and omitted_behind is not None:
            return not _QUALIFIERS.intersection((*omitted_before, *omitted_behind))
    return False


def is_in_passages(value: str, passages: Sequence[Passage]) -> bool:
    """True if a passage holds the value, which may then be right of another thing."""
    value_words = words(value)
    for passage in passages:
        held = words(passage.text)
        if any(held[at : at + len(value_words)] == value_words for at in range(len(held) - len(value_words) + 1)):
            return True
    return False


def _omitted(text: Sequence[str], source: Sequence[str], optional: frozenset[str]) -> list[str] | None:
    """The source's words that a text omits; None where the text has other words, or another order.

    `optional` words of the text need not stand in the source.
    """
    omitted: list[str] = []
    at = 0
    for word in text:
        place = next((n for n in range(at, len(source)) if source[n] == word), None)
        if place is not None:
            omitted += source[at:place]
            at = place + 1
        elif word not in optional:
            return None
    return [*omitted, *source[at:]]


_BEFORE_DATE = re.compile(r"\b(?:in|on)\s+\Z", re.IGNORECASE)


def correct_values(
    question: Question, evidence: Evidence, sentence: Sentence, review: Review, begins: int
) -> Candidate | None:
    """The sentence with the sources' values where checks found wrong ones; None where no correction is certain.

    A correction is certain where a claim has one error, and a source sentence says the claim with its own value in
    that place. A value of the question, or one that stands elsewhere in the evidence, may be right of another thing
    and stays, as do quotations and code. `begins` is where the sentence begins in the draft.
    """
    text, reasons, next_start = sentence.text, [], len(sentence.text)
    corrected: set[int | None] = set()
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(encodable(text))]
    for check, place in reversed(list(_single_errors(_errors(review, begins, text)))):
        edit = _edit(text, place, check)
        if edit is None or check.claim in corrected or edit.end > next_start or _is_quoted(edit, quoted):
            continue
        if not _is_certain(check, place, edit, _claim_at(review, check, begins, text), text, question, evidence):
            continue
        text, next_start = apply_edit(text, edit), edit.start
        corrected.add(check.claim)
        reasons.append(edit.reason)
    if text == sentence.text:
        return None
    reason = "; ".join(dict.fromkeys(one for one in reversed(reasons) if one))
    return Candidate(replace(sentence, text=text), evidence, reason, "rules")


def _single_errors(errors: Iterable[tuple[Check, Span]]) -> Iterator[tuple[Check, Span]]:
    """The errors that are the only one of their claim; several checks may report the same denial."""
    distinct = list({(check.claim, place): (check, place) for check, place in errors}.values())
    count = Counter(
        claim for claim, _ in {(check.claim, place if check.expected else None) for check, place in distinct}
    )
    return ((check, place) for check, place in distinct if count[check.claim] == 1)


def _claim_at(review: Review, check: Check, begins: int, text: str) -> Span:
    """The place of the check's claim in the sentence's text; all of the text where the check has no claim."""
    claim = next((one for one in review.claims if one.n == check.claim), None)
    return Span(0, len(text)) if claim is None else Span(claim.start - begins, min(claim.end - begins, len(text)))


def _is_certain(
    check: Check, place: Span, edit: Edit, claim: Span, text: str, question: Question, evidence: Evidence
) -> bool:
    """True if a source sentence says the claim as it would read after the edit."""
    if check.source_span is None or not claim.start <= edit.start <= edit.end <= claim.end:
        return False
    passage = next((one for one in evidence.passages if one.passage_id == check.source_span.passage_id), None)
    source = sentence_around(check.source_span, evidence)
    if passage is None or not source:
        return False
    if check.expected is None:
        changed = text[claim.start : edit.start] + edit.replacement + text[edit.end : claim.end]
        return entails_correction("", "", changed, source, passage.title)
    value = text[place.start : place.end]
    if is_in_passages(value, evidence.passages) or set(words(value)) <= set(words(question.standalone)):
        return False
    before, behind = text[claim.start : place.start], text[place.end : claim.end]
    if check.kind is FindingKind.WRONG_DATE:  # "in 1934" where the source says "on 3 May 1932"
        before = _BEFORE_DATE.sub("", before)
    return entails_correction(before, check.expected, behind, source, passage.title)


def _errors(review: Review, begins: int, text: str) -> Iterator[tuple[Check, Span]]:
    """The failed or open checks that know the source's value or denial, with their places in the text, in order."""
    errors = []
    for check in review.checks:
        if check.status not in (Status.FAILED, Status.UNKNOWN) or check.answer_span is None:
            continue
        place = Span(check.answer_span.start - begins, check.answer_span.end - begins)
        inside = 0 <= place.start < place.end <= len(text)
        if inside and (check.expected or check.kind is FindingKind.NEGATION):
            errors.append((check, place))
    return iter(sorted(errors, key=lambda error: error[1].start))


def _edit(text: str, place: Span, check: Check) -> Edit | None:
    if check.expected:
        return fit_value(text, place, check.expected, check.cause or "")
    source = check.source_span.quote if check.source_span else ""
    return flip_negation(text, place, source, check.cause or "")


def _is_quoted(edit: Edit, quoted: list[Span]) -> bool:
    return any(edit.start < span.end and span.start < edit.end for span in quoted)
