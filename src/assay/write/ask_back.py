"""The question back: what the user's question does not say, and what the collection holds that may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.stages import Decliner
from assay.text.pointing import PRONOUNS, Pointed, pointed, variants
from assay.text.tokens import stem, terms
from assay.types import Action, Contradiction, Evidence, Gathered, Question

MOST_READINGS = 3
_LONGEST_NAME = 80
_LONGEST_QUESTION, _MOST_TURNS = 500, 12


@dataclass(frozen=True, slots=True)
class AskingDecliner:
    """Asks back where that was chosen; anything else is declined by `inner`."""

    inner: Decliner

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
        return f"Your question does not say what “{phrase.by}” stands for. {_offer(_titles(question, evidence))}"
    unsaid = f"Your question does not say which {' '.join(phrase.nouns)} is meant"
    told = _values(evidence, contradictions)
    if told:
        values = ", ".join(f"“{title}” says {value}" for title, value in told.items())
        return f"{unsaid}: {values}. {_offer(tuple(told))}"
    return f"{unsaid}. {_offer(readings(phrase, evidence))}"


def readings(phrase: Pointed, evidence: Evidence) -> tuple[str, ...]:
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


def _unnamed(question: Question) -> Pointed | None:
    """The first phrase that points at what the dialogue does not name; a pronoun only where nothing else does."""
    before = {term for turn in question.history[-_MOST_TURNS:] for term in terms(turn.text)}
    phrases = pointed(question.text[:_LONGEST_QUESTION])
    nouns = [each for each in phrases if each.head]
    fresh = [each for each in nouns if stem(each.head) not in before]
    back = [each for each in phrases if each.by in PRONOUNS]
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
