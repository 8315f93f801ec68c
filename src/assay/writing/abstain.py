"""Refusals: what is missing, what was tried, and the nearest passage; and questions back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.rendering import section_within
from assay.core.stages import Abstainer
from assay.nlp.anaphora import PRONOUNS, Reference, references, variants
from assay.nlp.language import language_of
from assay.nlp.tokens import stem, terms
from assay.types import Action, Contradiction, Evidence, Gathered, Question, Refusal

# The most things named as missing, and the characters of a passage that tell its language (chosen).
_MOST_NAMED = 3
_SAMPLE = 400
# At most this many characters of the question are repeated (chosen).
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
    """Refuse in one or two plain sentences, or ask back if the question is unclear.

    `nothing` says that there are no passages at all, `unanswered` that those found do not do.

    >>> from assay.types import Judgement
    >>> nothing = Gathered(Action.ABSTAIN, Evidence(), Judgement(0.0, Action.ABSTAIN, "nothing was found"), ())
    >>> PlainDecliner().decline(Question("Who is Ada?", "Who is Ada?"), nothing)
    Refusal(text='Nothing in this collection matches this question.', choices=())
    """

    nothing: str = "Nothing in this collection matches this question"
    unanswered: str = "The documents do not answer this question"

    def decline(self, question: Question, gathered: Gathered) -> Refusal:
        """A refusal with what is missing and what was tried; for CLARIFY a question back."""
        if gathered.action is Action.CLARIFY:
            return _asks_back(question, gathered)
        if not gathered.evidence.hits:
            return Refusal(f"{self.nothing}{_queries(question, gathered)}.")
        said = (
            f"{self.unanswered}{_missing(question, gathered)}.",
            *_other_language(question, gathered),
            _search_summary(question, gathered),
        )
        return Refusal(" ".join(said))


def _other_language(question: Question, gathered: Gathered) -> tuple[str, ...]:
    """A hint that all passages found are in another language than the question, if they are."""
    asked = question.language
    found = {language_of(passage.text[:_SAMPLE]) for passage in gathered.evidence.passages} - {"und"}
    if asked == "und" or not found or asked in found:
        return ()
    found_languages = _as_phrase(tuple(sorted(_LANGUAGES.get(code, code) for code in found)))
    asked_language = _LANGUAGES.get(asked, asked)
    return (
        f"The question is in {asked_language}, but the passages found are in {found_languages}; "
        "try asking in that language.",
    )


def _missing(question: Question, gathered: Gathered) -> str:
    """The things that were not found, as the end of a sentence, unless that is the whole question."""
    whole = question.standalone.casefold()
    missing = [
        question.as_typed(thing)
        for thing in gathered.judgement.missing
        if thing.casefold().strip(" ?.!") != whole.strip(" ?.!")
    ]
    if not missing:
        return ""
    named = _as_phrase(tuple(f"“{_shorten(thing)}”" for thing in missing[:_MOST_NAMED]))
    return f": nothing was found on {named}"


def _search_summary(question: Question, gathered: Gathered) -> str:
    count = len(gathered.evidence.hits)
    read = "1 passage was read" if count == 1 else f"{count} passages were read"
    return f"{read}{_queries(question, gathered)}{_nearest(gathered.evidence)}."


def _queries(question: Question, gathered: Gathered) -> str:
    """The queries, if they differ from the user's question."""
    asked = tuple(dict.fromkeys(question.as_typed(query) for step in gathered.path for query in step.queries))
    if not asked or asked == (question.text,):
        return ""
    queries = _as_phrase(tuple(f"“{_shorten(query)}”" for query in asked[:3]))
    return f" (searched for {queries})"


def _nearest(evidence: Evidence) -> str:
    """The title, heading and file of the first passage."""
    first = evidence.passages[0]
    heading = section_within(first.location.section or "", first.title)
    named = " › ".join(name for name in (first.title, heading) if name)
    place = first.source or first.origin.link or ""
    if not named:
        return f"; the nearest is in {place}" if place else ""
    return f"; the nearest is “{named}”" + (f" ({place})" if place else "")


def _asks_back(question: Question, gathered: Gathered) -> Refusal:
    """A question with a short answer: which of the things found is meant."""
    titles = tuple(dict.fromkeys(passage.title for passage in gathered.evidence.passages if passage.title))[:3]
    if gathered.judgement.missing:
        named = _as_phrase(tuple(f"“{_shorten(part)}”" for part in gathered.judgement.missing[:2]))
        return Refusal(f"What do you mean by {named}?")
    if len(titles) > 1:
        named = _as_phrase(tuple(f"“{title}”" for title in titles), last="or")
        return Refusal(f"Which of these do you mean: {named}?", titles)
    return Refusal(f"Could you say more about what “{_shorten(question.text)}” refers to?")


def _shorten(said: str) -> str:
    """The beginning of what was asked.

    >>> len(_shorten("x" * 20_000)), _shorten("rent")
    (121, 'rent')
    """
    return said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID].rstrip()}…"


def _as_phrase(items: tuple[str, ...], last: str = "and") -> str:
    """The items as a phrase.

    >>> _as_phrase(("a", "b", "c"))
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


# Questions back: what the user's question leaves open, and what it may refer to in the collection.


MOST_READINGS = 3
_LONGEST_NAME = 80
_LONGEST_QUESTION, _MOST_TURNS = 500, 12


@dataclass(frozen=True, slots=True)
class AskingDecliner:
    """Ask back for CLARIFY; leave other refusals to `inner`."""

    inner: Abstainer

    def decline(self, question: Question, gathered: Gathered) -> Refusal:
        """A question back for CLARIFY, else the refusal of `inner`."""
        if gathered.action is Action.CLARIFY:
            return clarifying_question(question, gathered.evidence, gathered.judgement.contradictions)
        return self.inner.decline(question, gathered)


def clarifying_question(
    question: Question, evidence: Evidence, contradictions: Sequence[Contradiction] = ()
) -> Refusal:
    """A sentence on what the question leaves open, and a question with a short answer, with its choices.

    Where the passages give several values for what is asked, it says which document gives which.

    >>> clarifying_question(Question("What does the loan need?", "What does the loan need?"), Evidence()).text
    'Which loan do you mean?'
    """
    phrase = _unnamed_phrase(question)
    if phrase is None:
        titles = _titles(question, evidence)
        about = f"Is it about {_choices(titles)}?" if len(titles) > 1 else "Could you rephrase it?"
        return Refusal(f"It is not clear what your question asks for. {about}", titles)
    if not phrase.head:
        return _offer(f"What does “{phrase.word}” refer to", _titles(question, evidence))
    which = f"Which {' '.join(phrase.nouns)} do you mean"
    values_by_title = _values(evidence, contradictions)
    if values_by_title:
        values = ", ".join(f"“{title}” says {value}" for title, value in values_by_title.items())
        return Refusal(f"{which}? {values}.", tuple(values_by_title))
    return _offer(which, readings(phrase, evidence))


def readings(phrase: Reference, evidence: Evidence) -> tuple[str, ...]:
    """The possible referents of a phrase: titles that name such a thing, else variants in the passages.

    Else the titles of the passages that hold the word. At most three, each a name on one line; none where there is
    but one.
    """
    passages = evidence.readable.passages
    titles = _distinct_titles([passage.title for passage in passages if stem(phrase.head) in terms(passage.title)])
    if titles:
        return titles
    texts = [passage.text for passage in passages]
    called = tuple(f"the {variant}" if variant.islower() else variant for variant in variants(phrase.head, texts))
    if len(called) > 1:
        return called[:MOST_READINGS]
    holding = [
        passage.title for passage in passages if stem(phrase.head) in terms(f"{passage.title} {passage.text}")
    ]
    return _distinct_titles(holding)


def _unnamed_phrase(question: Question) -> Reference | None:
    """The first phrase without a referent in the dialogue; a pronoun only if there is no other."""
    before = {term for turn in question.history[-_MOST_TURNS:] for term in terms(turn.text)}
    phrases = references(question.text[:_LONGEST_QUESTION])
    nouns = [phrase for phrase in phrases if phrase.head]
    fresh = [phrase for phrase in nouns if stem(phrase.head) not in before]
    back = [phrase for phrase in phrases if phrase.word in PRONOUNS]
    return next(iter((*fresh, *back, *nouns)), None)


def _values(evidence: Evidence, contradictions: Sequence[Contradiction]) -> dict[str, str]:
    """The values in dispute by the titles of their documents; "" if the titles do not distinguish them."""
    titles = {passage.passage_id: _with_referents(passage.title) for passage in evidence.passages}
    found = {
        titles.get(reading.passage_ids[0], ""): reading.value + (f" ({reading.date})" if reading.date else "")
        for contradiction in contradictions
        for reading in contradiction.readings[:MOST_READINGS]
    }
    count = sum(len(contradiction.readings[:MOST_READINGS]) for contradiction in contradictions)
    return found if len(found) == count and "" not in found else {}


def _titles(question: Question, evidence: Evidence) -> tuple[str, ...]:
    """The titles of the passages that share a word with the question, or all titles if fewer than two do."""
    asked = frozenset(terms(question.standalone[:_LONGEST_QUESTION]))
    sharing = [passage.title for passage in evidence.readable.passages if asked & frozenset(terms(passage.text))]
    return _distinct_titles(sharing) or _distinct_titles([passage.title for passage in evidence.passages])


def _distinct_titles(titles: Sequence[str]) -> tuple[str, ...]:
    """The first distinct titles, each on one line; none if there is only one."""
    named = tuple(dict.fromkeys(_with_referents(title) for title in titles if title.strip()))
    return named[:MOST_READINGS] if len(named) > 1 else ()


def _with_referents(title: str) -> str:
    return " ".join(title.split())[:_LONGEST_NAME].rstrip()


def _offer(asked: str, found: tuple[str, ...]) -> Refusal:
    """The question back, with the possible referents if there are several."""
    if len(found) < 2:
        return Refusal(f"{asked}?")
    return Refusal(f"{asked}: {_choices(found)}?", found)


def _choices(found: tuple[str, ...]) -> str:
    return _as_phrase(tuple(f"“{value}”" for value in found), last="or")
