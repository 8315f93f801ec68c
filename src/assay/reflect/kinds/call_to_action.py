"""call_to_action: a sentence that invites the reader to act, as where prices are spoken of."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field

from assay.reflect.blocks import statements, word_count
from assay.reflect.phrases import found, named
from assay.reflect.subject import Broken, Demand, Exempt, Kind, Phrase, Subject

# Words that are a thing as often as an act: "the contact lens", "a schedule of fees".
_AMBIGUOUS = frozenset("contact schedule book call order email mail visit request quote demo message sign".split())
# What may stand behind such a word where it is the act: whom, what, when, how.
_OBJECT = re.compile(
    r"""\s*(?:us|our|me|my|him|her|them|the|a|an|your|one|sales|support|today|now|here|up|in|with|at|by|for|via|on|through|to
        |[A-Z]\w+)\b(?!\s+of\b)|\s*(?:[.!?,;:)]|\Z)|\s+(?:and|or)\b""",
    re.VERBOSE,
)
# What may stand before it, but for the start of the sentence: a word that leads to a verb, or another such word.
_BEFORE_VERB = re.compile(
    r"(?:[,;:]\s*|\b(?:to|please|and|or|can|may|could|should|now|just|then|simply|also|let's|let’s|us)\s+)\Z",
    re.IGNORECASE,
)
_LOOKED_BACK = 40
# An English sentence that speaks to the reader, or opens with the act.
_ADDRESSES = re.compile(
    r"""\b(?:you|your|please|us|our|we|let['’]s)\b
      | \A[\W\d]*(?:contact|call|email|write|book|schedule|request|arrange|reach|get|visit|ask|talk|speak|sign|try
        |start|click|apply|order|feel|let|message|send|find|learn|join|claim|reserve|set)\b""",
    re.VERBOSE | re.IGNORECASE,
)


class CallToAction(Kind):
    """One of the `phrases` in a sentence that invites; with `when.topic`, where that topic comes up."""

    left_alone: ClassVar[frozenset[Exempt]] = frozenset(("quote", "code"))
    phrases: tuple[Phrase, ...] = Field(min_length=1, max_length=100)

    def told(self, language: str) -> str:
        """To invite, and in what words."""
        return f"Invite the reader in one sentence to take the next step, with words such as {named(self.phrases)}."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The whole answer, where no sentence invites."""
        language = subject.question.language
        if any(invites(each.plain, self.phrases, language) for each in statements(subject.plain)):
            return ()
        return (Broken(f"no sentence invites the reader with words such as {named(self.phrases)}"),)

    def demand(self, language: str) -> Demand:
        """One of the phrases."""
        return Demand(
            added_words=min(map(word_count, self.phrases)) - 1,  # the sentence may be the answer's only one
            texts=tuple(f"Please {phrase}." for phrase in self.phrases),
        )


def invites(sentence: str, phrases: tuple[str, ...], language: str = "en") -> bool:
    """Whether a sentence invites with one of the phrases; but for English the phrase is enough.

    >>> phrases = ("contact", "schedule", "consultation")
    >>> [invites(text, phrases) for text in ("Contact us for a quote.", "You see a contact lens.")]
    [True, False]
    """
    if language != "en":
        return bool(found(sentence, phrases))
    if not _ADDRESSES.search(sentence):
        return False
    return any(_as_an_act(sentence, span.start, span.end) for span in found(sentence, phrases))


def _as_an_act(sentence: str, start: int, end: int) -> bool:
    if sentence[start:end].casefold() not in _AMBIGUOUS:
        return True
    before = sentence[max(0, start - _LOOKED_BACK) : start]
    opens = start < _LOOKED_BACK and not any(map(str.isalpha, before))
    return bool((opens or _BEFORE_VERB.search(before)) and _OBJECT.match(sentence, end))
