"""A denial taken out or put in, as the source has it, where that takes one word and its helper."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.text.negation import negations
from assay.text.tokens import stem
from assay.types import Edit, Span

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
