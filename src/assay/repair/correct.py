"""The source's own values in the place of wrong ones, and its denials as it has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.nlp.lexicon import word_class
from assay.nlp.negation import negations
from assay.nlp.sentences import sentences
from assay.nlp.tokens import encodable, stem, words
from assay.repair.exchange import UNTOUCHED
from assay.repair.wording import edited, fitted
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

# A denial taken out or put in, as the source has it, where that takes one word and its helper.


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


def turned_round(text: str, place: Span, source: str, reason: str = "") -> Edit | None:
    """The edit after which a text denies what its source denies, and no more; None where no simple one does.

    `place` is what was found to deny, or the claim that should. A verb takes the form that the source has of it.

    >>> turned_round("It did not open in May.", Span(7, 10), "It opened in May 1932.")
    Edit(start=3, end=15, replacement='opened', reason='')
    >>> turned_round("It is open.", Span(0, 11), "It is not open on Sundays.")
    Edit(start=5, end=5, replacement=' not', reason='')
    """
    made = _denied(text, place, source) if len(negations(source)) % 2 else _stated(text, place, source)
    return None if made is None else replace(made, reason=reason)


def _stated(text: str, place: Span, source: str) -> Edit | None:
    """The denial at a place taken out."""
    whole = _WHOLE.match(text)
    if whole is not None:
        return Edit(0, whole.end(), whole["rest"].upper(), "")
    for form in (_DENIED_HELPER, _CANNOT):
        for match in form.finditer(text):
            if _about(match, place):
                return Edit(match.start(), match.end(), match["helper"], "")
    for match in _DENIED_VERB.finditer(text):
        form_there = _form_in(source, match["verb"])
        if _about(match, place) and form_there is not None:
            return Edit(match.start(), match.end(), form_there, "")
    never = next((match for match in _NEVER.finditer(text) if _about(match, place)), None)
    return None if never is None else Edit(never.start(), never.end(), "", "")


def _denied(text: str, place: Span, source: str) -> Edit | None:
    """The denial of the source put into a claim."""
    for match in _DENIED_HELPER.finditer(source):
        here = re.compile(rf"\b{re.escape(match['helper'])}\b(?! not|n['’]t)", re.IGNORECASE)
        found = list(here.finditer(text, place.start, place.end))
        if len(found) == 1:
            return Edit(found[0].end(), found[0].end(), " not", "")
    for match in _DENIED_VERB.finditer(source):
        found = [
            each
            for each in _WORD.finditer(text, place.start, place.end)
            if each.group()[0].islower() and stem(each.group()) == stem(match["verb"])
        ]
        if len(found) == 1:
            return Edit(found[0].start(), found[0].end(), match.group(), "")
    return None


def _about(match: re.Match[str], place: Span) -> bool:
    return match.start() < place.end and place.start < match.end()


def _form_in(source: str, verb: str) -> str | None:
    """The form that the source has of a verb, where it has one alone."""
    forms = {word for word in _WORD.findall(source) if word[0].islower() and stem(word) == stem(verb)}
    return forms.pop() if len(forms) == 1 else None


# Whether a source sentence says just what a sentence would say once a value in it is corrected.


# Words that a sentence may have and its source not: they stand for what the source names, or for nothing.
_STAND_IN = word_class("repair.stand_ins")
# Words that change what is said; a source sentence that has them and a correction that leaves them out differ.
_QUALIFIERS = word_class("repair.qualifiers")


def sentence_around(span: SourceSpan, evidence: Evidence) -> str:
    """The sentence of the evidence that a span stands in; empty where it stands in none."""
    passage = next((each for each in evidence.passages if each.passage_id == span.passage_id), None)
    if passage is None:
        return ""
    at = span.start - passage.start
    found = (each for each in sentences(passage.text) if each.start <= at < each.end)
    return next((passage.text[each.start : each.end] for each in found), "")


def says(before: str, value: str, behind: str, source: str, title: str = "") -> bool:
    """Whether `source` says `before`, `value` and `behind` in this order, leaving out nothing that qualifies it.

    Words of the passage's `title`, pronouns and articles may be missing in the source.

    >>> source = "The bridge opened on 30 June 1894 after eight years."
    >>> says("Tower Bridge opened on", "30 June 1894", ".", source, "Tower Bridge")
    True
    >>> says("More than", "1,200", "people work here.", "1,200 people work here.")
    False
    >>> says("It has", "100", "rooms.", "It has more than 100 rooms.")
    False
    """
    wanted, there = words(value), words(source)
    skipped = _STAND_IN.union(words(title))
    for at in range(len(there) - len(wanted) + 1):
        if there[at : at + len(wanted)] != wanted:
            continue
        left_before = _left_out(words(before), there[:at], skipped)
        left_behind = _left_out(words(behind), there[at + len(wanted) :], skipped)
        if left_before is not None and left_behind is not None:
            return not _QUALIFIERS.intersection((*left_before, *left_behind))
    return False


def stands_elsewhere(value: str, passages: Sequence[Passage]) -> bool:
    """Whether a value that a check found wrong stands in the passages: it may be right of another thing."""
    wanted = words(value)
    for passage in passages:
        there = words(passage.text)
        if any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1)):
            return True
    return False


def _left_out(said: Sequence[str], there: Sequence[str], skipped: frozenset[str]) -> list[str] | None:
    """The words of `there` that `said` leaves out; None where it has words, or an order, that `there` has not."""
    left: list[str] = []
    at = 0
    for word in said:
        found = next((n for n in range(at, len(there)) if there[n] == word), None)
        if found is not None:
            left += there[at:found]
            at = found + 1
        elif word not in skipped:
            return None
    return [*left, *there[at:]]


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
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(encodable(text))]
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
