"""Saying honestly that there is no answer: what is missing, what was tried, what came nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.rendering import section_within
from assay.core.stages import Abstainer
from assay.nlp.anaphora import PRONOUNS, Reference, references, variants
from assay.nlp.language import language_of
from assay.nlp.tokens import stem, terms
from assay.types import Action, Contradiction, Evidence, Gathered, Question

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

    `nothing` says that there are no passages at all.

    >>> from assay.types import Judgement
    >>> nothing = Gathered(Action.ABSTAIN, Evidence(), Judgement(0.0, Action.ABSTAIN, "nothing was found"), ())
    >>> PlainDecliner().decline(Question("Who is Ada?", "Who is Ada?"), nothing)
    'No document in this collection speaks of this question.'
    """

    nothing: str = "No document in this collection speaks of this question"

    def decline(self, question: Question, gathered: Gathered) -> str:
        """What is missing and what was tried, in one or two sentences; for CLARIFY a question back."""
        if gathered.action is Action.CLARIFY:
            return _asks_back(question, gathered)
        if not gathered.evidence.hits:
            return f"{self.nothing}{_queries(question, gathered)}."
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


# The question back: what the user's question does not say, and what the collection holds that may be meant.


MOST_READINGS = 3
_LONGEST_NAME = 80
_LONGEST_QUESTION, _MOST_TURNS = 500, 12


@dataclass(frozen=True, slots=True)
class AskingDecliner:
    """Asks back where that was chosen; anything else is declined by `inner`."""

    inner: Abstainer

    def decline(self, question: Question, gathered: Gathered) -> str:
        """For CLARIFY a question back, else what `inner` says."""
        if gathered.action is Action.CLARIFY:
            return asked_back(question, gathered.evidence, gathered.judgement.contradictions)
        return self.inner.decline(question, gathered)


def asked_back(question: Question, evidence: Evidence, contradictions: Sequence[Contradiction] = ()) -> str:
    """What the question does not say, in one sentence, and a question that a short reply can answer.

    Where the passages give several values for what is asked, it says which document gives which.

    >>> asked_back(Question("What does the loan need?", "What does the loan need?"), Evidence())
    'Your question does not say which loan is meant. Which one do you mean?'
    """
    phrase = _unnamed(question)
    if phrase is None:
        return f"It is not clear what your question asks for. {_offer(_titles(question, evidence))}"
    if not phrase.head:
        return f"Your question does not say what “{phrase.word}” stands for. {_offer(_titles(question, evidence))}"
    unsaid = f"Your question does not say which {' '.join(phrase.nouns)} is meant"
    told = _values(evidence, contradictions)
    if told:
        values = ", ".join(f"“{title}” says {value}" for title, value in told.items())
        return f"{unsaid}: {values}. {_offer(tuple(told))}"
    return f"{unsaid}. {_offer(readings(phrase, evidence))}"


def readings(phrase: Reference, evidence: Evidence) -> tuple[str, ...]:
    """What a phrase may point at: titles that name such a thing, else what the passages call things of its kind.

    Else the titles of the passages that hold the word. At most three, each a name on one line; none where there is
    but one.
    """
    passages = evidence.readable.passages
    titles = _distinct([each.title for each in passages if stem(phrase.head) in terms(each.title)])
    if titles:
        return titles
    texts = [passage.text for passage in passages]
    called = tuple(f"the {each}" if each.islower() else each for each in variants(phrase.head, texts))
    if len(called) > 1:
        return called[:MOST_READINGS]
    holding = [
        passage.title for passage in passages if stem(phrase.head) in terms(f"{passage.title} {passage.text}")
    ]
    return _distinct(holding)


def _unnamed(question: Question) -> Reference | None:
    """The first phrase that points at what the dialogue does not name; a pronoun only where nothing else does."""
    before = {term for turn in question.history[-_MOST_TURNS:] for term in terms(turn.text)}
    phrases = references(question.text[:_LONGEST_QUESTION])
    nouns = [each for each in phrases if each.head]
    fresh = [each for each in nouns if stem(each.head) not in before]
    back = [each for each in phrases if each.word in PRONOUNS]
    return next(iter((*fresh, *back, *nouns)), None)


def _values(evidence: Evidence, contradictions: Sequence[Contradiction]) -> dict[str, str]:
    """What the documents say of what is asked, by their titles; nothing where these do not tell them apart."""
    titles = {passage.passage_id: _named(passage.title) for passage in evidence.passages}
    found = {
        titles.get(reading.passage_ids[0], ""): reading.value + (f" ({reading.date})" if reading.date else "")
        for each in contradictions
        for reading in each.readings[:MOST_READINGS]
    }
    told = sum(len(each.readings[:MOST_READINGS]) for each in contradictions)
    return found if len(found) == told and "" not in found else {}


def _titles(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """The titles of the passages that share a word with the question; of all where fewer than two do."""
    asked = frozenset(terms(question.standalone[:_LONGEST_QUESTION]))
    sharing = [each.title for each in evidence.readable.passages if asked & frozenset(terms(each.text))]
    return _distinct(sharing) or _distinct([passage.title for passage in evidence.passages])


def _distinct(titles: Sequence[str]) -> tuple[str, ...]:
    """The first titles, each once and on one line; none where there is but one."""
    named = tuple(dict.fromkeys(_named(title) for title in titles if title.strip()))
    return named[:MOST_READINGS] if len(named) > 1 else ()


def _named(title: str) -> str:
    return " ".join(title.split())[:_LONGEST_NAME].rstrip()


def _offer(found: Sequence[str]) -> str:
    """The question, with what may be meant where something was found."""
    if not found:
        return "Which one do you mean?"
    quoted = [f"“{each}”" for each in found]
    return f"Do you mean {', '.join(quoted[:-1])} or {quoted[-1]}?"
