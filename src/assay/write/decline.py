"""Saying honestly that there is no answer: what is missing, what was tried, what came nearest."""

from __future__ import annotations

from dataclasses import dataclass

from assay.rendering import section_within
from assay.text.language import language_of
from assay.types import Action, Evidence, Gathered, Question

# Things that are named as missing, and characters of a passage that tell its language.
_MOST_NAMED = 3
_SAMPLE = 400
# Characters of the question that are said again; the asker has the rest.
_MOST_SAID = 120
_LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ru": "Russian",
    "th": "Thai",
    "zh": "Chinese",
}


@dataclass(frozen=True, slots=True)
class PlainDecliner:
    """Refuses in one or two plain sentences, or asks back where the question is unclear.

    >>> from assay.types import Judgement
    >>> nothing = Gathered(Action.ABSTAIN, Evidence(), Judgement(0.0, Action.ABSTAIN, "nothing was found"), ())
    >>> PlainDecliner().decline(Question("Who is Ada?", "Who is Ada?"), nothing)
    'No document in this collection speaks of this question.'
    """

    def decline(self, question: Question, gathered: Gathered) -> str:
        """What is missing and what was tried, in one or two sentences; for CLARIFY a question back."""
        if gathered.action is Action.CLARIFY:
            return _asks_back(question, gathered)
        if not gathered.evidence.hits:
            return f"No document in this collection speaks of this question{_queries(question, gathered)}."
        said = (_missing(gathered), *_other_language(question, gathered), _tried(question, gathered))
        return " ".join(said)


def _other_language(question: Question, gathered: Gathered) -> tuple[str, ...]:
    """That the documents are in another language than the question, where all that was found is."""
    asked = question.language
    found = {language_of(each.text[:_SAMPLE]) for each in gathered.evidence.passages} - {"und"}
    if asked == "und" or not found or asked in found:
        return ()
    theirs = _listed(tuple(sorted(_LANGUAGES.get(code, code) for code in found)))
    mine = _LANGUAGES.get(asked, asked)
    return (f"The question is in {mine}, the passages found are in {theirs}: ask in their language.",)


def _missing(gathered: Gathered) -> str:
    missing = gathered.judgement.missing
    if not missing:
        return "The documents do not answer this question."
    named = _listed(tuple(f"“{_shortened(thing)}”" for thing in missing[:_MOST_NAMED]))
    return f"The documents do not answer this question: nothing was found on {named}."


def _tried(question: Question, gathered: Gathered) -> str:
    count = len(gathered.evidence.hits)
    read = "1 passage was read" if count == 1 else f"{count} passages were read"
    return f"{read}{_queries(question, gathered)}{_nearest(gathered.evidence)}."


def _queries(question: Question, gathered: Gathered) -> str:
    """What was searched for, where that differs from what the user asked."""
    asked = tuple(dict.fromkeys(query for step in gathered.path for query in step.queries))
    if not asked or asked == (question.text,):
        return ""
    return " for " + _listed(tuple(f"“{_shortened(query)}”" for query in asked[:3]))


def _nearest(evidence: Evidence) -> str:
    """The first passage by its title and heading, each told once, and its file."""
    first = evidence.passages[0]
    heading = section_within(first.location.section or "", first.title)
    named = " › ".join(each for each in (first.title, heading) if each)
    place = first.source or first.origin.link or ""
    if not named:
        return f"; the nearest is in {place}" if place else ""
    return f"; the nearest is “{named}”" + (f" ({place})" if place else "")


def _asks_back(question: Question, gathered: Gathered) -> str:
    """A question that a short reply can answer: which of the things that were found is meant."""
    titles = tuple(dict.fromkeys(passage.title for passage in gathered.evidence.passages if passage.title))
    if gathered.judgement.missing:
        named = _listed(tuple(f"“{_shortened(each)}”" for each in gathered.judgement.missing[:2]))
        return f"What do you mean by {named}?"
    if len(titles) > 1:
        named = _listed(tuple(f"“{title}”" for title in titles[:3]), last="or")
        return f"Which of these do you mean: {named}?"
    return f"Could you say more about what “{_shortened(question.text)}” refers to?"


def _shortened(said: str) -> str:
    """The first characters of what was asked.

    >>> len(_shortened("x" * 20_000)), _shortened("rent")
    (121, 'rent')
    """
    return said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID].rstrip()}…"


def _listed(items: tuple[str, ...], last: str = "and") -> str:
    """The items as a phrase.

    >>> _listed(("a", "b", "c"))
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"
