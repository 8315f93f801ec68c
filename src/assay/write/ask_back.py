"""The question back: what the user's question does not say, and what the collection holds that may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.stages import Decliner
from assay.text.pointing import PRONOUNS, Pointed, pointed, variants
from assay.text.tokens import stem, terms
from assay.types import Action, Evidence, Gathered, Question

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
            return asked_back(question, gathered.evidence)
        return self.inner.decline(question, gathered)


def asked_back(question: Question, evidence: Evidence) -> str:
    """What the question does not say, in one sentence, and a question that a short reply can answer.

    >>> asked_back(Question("What does the loan need?", "What does the loan need?"), Evidence())
    'Your question does not say which loan is meant. Which one do you mean?'
    """
    phrase = _unnamed(question)
    if phrase is None:
        return f"It is not clear what your question asks for. {_offer(_titles(evidence))}"
    if not phrase.head:
        return f"Your question does not say what “{phrase.by}” stands for. {_offer(_titles(evidence))}"
    what = " ".join(phrase.nouns)
    return f"Your question does not say which {what} is meant. {_offer(readings(phrase, evidence))}"


def readings(phrase: Pointed, evidence: Evidence) -> tuple[str, ...]:
    """What a phrase may point at: what the passages call things of its kind, else the titles of those that hold it.

    At most three, each a name on one line; none where there is but one.
    """
    texts = [passage.text for passage in evidence.readable.passages]
    called = tuple(f"the {each}" if each.islower() else each for each in variants(phrase.head, texts))
    if len(called) > 1:
        return called[:MOST_READINGS]
    holding = [
        passage.title
        for passage in evidence.readable.passages
        if stem(phrase.head) in terms(f"{passage.title} {passage.text}")
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


def _titles(evidence: Evidence) -> tuple[str, ...]:
    return _distinct([passage.title for passage in evidence.passages])


def _distinct(titles: Sequence[str]) -> tuple[str, ...]:
    """The first titles, each once and on one line; none where there is but one."""
    named = tuple(
        dict.fromkeys(" ".join(title.split())[:_LONGEST_NAME].rstrip() for title in titles if title.strip())
    )
    return named[:MOST_READINGS] if len(named) > 1 else ()


def _offer(found: Sequence[str]) -> str:
    """The question, with what may be meant where something was found."""
    if not found:
        return "Which one do you mean?"
    quoted = [f"“{each}”" for each in found]
    return f"Do you mean {', '.join(quoted[:-1])} or {quoted[-1]}?"
