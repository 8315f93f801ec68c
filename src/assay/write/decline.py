"""Saying honestly that there is no answer: what is missing, what was tried, what came nearest."""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Action, Evidence, Gathered, Question


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
        return f"{_missing(gathered)} {_tried(question, gathered)}"


def _missing(gathered: Gathered) -> str:
    missing = gathered.judgement.missing
    if not missing:
        return "The documents do not answer this question."
    named = _listed(tuple(f"“{aspect}”" for aspect in missing[:3]))
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
    return " for " + _listed(tuple(f"“{query}”" for query in asked[:3]))


def _nearest(evidence: Evidence) -> str:
    title = next((passage.title for passage in evidence.passages if passage.title), "")
    return f"; the nearest is “{title}”" if title else ""


def _asks_back(question: Question, gathered: Gathered) -> str:
    """A question that a short reply can answer: which of the things that were found is meant."""
    titles = tuple(dict.fromkeys(passage.title for passage in gathered.evidence.passages if passage.title))
    if gathered.judgement.missing:
        return f"What do you mean by {_listed(tuple(f'“{each}”' for each in gathered.judgement.missing[:2]))}?"
    if len(titles) > 1:
        named = _listed(tuple(f"“{title}”" for title in titles[:3]), last="or")
        return f"Which of these do you mean: {named}?"
    return f"Could you say more about what “{question.text}” refers to?"


def _listed(items: tuple[str, ...], last: str = "and") -> str:
    """The items as a phrase.

    >>> _listed(("a", "b", "c"))
    'a, b and c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"
