"""Ambiguity: how likely it is that a question must be asked back, because it refers to something unnamed. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from assay.calibration import sigmoid
from assay.judging.query_terms import content_terms, query_terms_of
from assay.judging.signals import read_passage
from assay.nlp.anaphora import DEMONSTRATIVES, Reference, references
from assay.nlp.language import KNOWN_BY_SCRIPT
from assay.nlp.tokens import rarity, stem, terms
from assay.types import Action, Evidence, Judgement, Question

NAMES = ("open", "bare", "demonstrative", "adrift", "fresh", "common", "unclear")
# Only the beginning of a longer question is read, and the last turns of a dialogue.
LONGEST, MOST_TURNS = 500, 12


@dataclass(frozen=True, slots=True)
class AmbiguityModel:
    """A logistic regression over `NAMES`; the threshold is where a question back is recommended."""

    weights: Mapping[str, float]
    intercept: float
    threshold: float

    def ambiguity(self, signals: Mapping[str, float]) -> float:
        """The probability, 0 to 1, that a question with these signals must be asked back, at even prior odds."""
        return sigmoid(self.intercept + sum(weight * signals[name] for name, weight in self.weights.items()))


@lru_cache(maxsize=1)
def load_ambiguity_model() -> AmbiguityModel:
    """The shipped weights, made by benchmarks/clarify/fit.py; the file records their provenance."""
    table = json.loads((files("assay.judging") / "ambiguity.json").read_text(encoding="utf-8"))
    return AmbiguityModel(table["weights"], table["intercept"], table["threshold"])


def ambiguity(question: Question, evidence: Evidence, model: AmbiguityModel | None = None) -> float | None:
    """The probability that the question must be asked back; None for a script that the rules do not cover.

    >>> loan = Question("What papers does the loan need?", "What papers does the loan need?")
    >>> named = Question("What papers does a car loan need?", "What papers does a car loan need?")
    >>> ambiguity(loan, Evidence()) > ambiguity(named, Evidence())
    True
    """
    if question.language in KNOWN_BY_SCRIPT:
        return 1.0 if question.unclear else None
    return (model or load_ambiguity_model()).ambiguity(signals(question, evidence))


def signals(question: Question, evidence: Evidence) -> dict[str, float]:
    """The signals of ambiguity, each 0 to 1.

    `open`: the question points at something it does not name, by the share of it that no passage covers.
    `bare`: how often it points by one noun alone ("the loan"), 1 from twice on. `demonstrative`: by "this" or
    "that" and a noun. `adrift`: it points, and shares no word with the dialogue before it. `fresh`: the rarity
    of the rarest word that the dialogue did not say, `common`: 1 less that of the rarest word. `unclear`: a
    pronoun stands for nothing.
    """
    text = question.text[:LONGEST]
    points = references(text)
    before = frozenset(term for turn in question.history[-MOST_TURNS:] for term in terms(turn.text))
    content = list(dict.fromkeys(content_terms(text)))
    pointing = float(bool(points))
    return {
        "open": 1 - _cover(question, evidence) if points else 0.0,
        "bare": min(1.0, sum(point.word == "the" and len(point.nouns) == 1 for point in points) / 2),
        "demonstrative": float(any(point.word in DEMONSTRATIVES for point in points)),
        "adrift": pointing * float(bool(before) and before.isdisjoint(content)),
        "fresh": max((rarity(term) for term in content if term not in before), default=0.0),
        "common": 1 - max((rarity(term) for term in content), default=0.0),
        "unclear": float(question.unclear is not None),
    }


def unnamed_things(question: Question) -> Sequence[Reference]:
    """The phrases of the question whose referent the dialogue does not name, in order."""
    before = frozenset(term for turn in question.history[-MOST_TURNS:] for term in terms(turn.text))
    return [
        phrase for phrase in references(question.text[:LONGEST]) if phrase.head and stem(phrase.head) not in before
    ]


def _cover(question: Question, evidence: Evidence) -> float:
    """The largest share of the question's terms, weighted by rarity, that one passage holds."""
    query_terms = query_terms_of(question)
    return max((read_passage(passage, query_terms).cover for passage in evidence.readable.passages), default=0.0)


# The effect of ambiguity on a judgement.


# The reader's signal at even odds.
_EVEN = 0.5


def with_ambiguity(question: Question, evidence: Evidence, judged: Judgement, model: AmbiguityModel) -> Judgement:
    """The judgement with its ambiguity; at or above the model's threshold it recommends asking back.

    Where the evidence suffices, or a reader finds the answer in a passage, nothing is asked back: what was found
    settles what was meant.
    """
    measured = ambiguity(question, evidence, model)
    judged = replace(judged, ambiguity=measured)
    if judged.recommendation is Action.ANSWER or measured is None or _is_answered(judged):
        return judged
    likely = measured >= model.threshold and _may_be_meant(question, evidence)
    if not likely and not names_several(question, evidence):
        return judged
    return asks_back(question, judged)


def _is_answered(judged: Judgement) -> bool:
    """True if the reader gives a passage at least even odds of answering."""
    return judged.signals.get("reader_best", 0.0) > _EVEN


def asks_back(question: Question, judged: Judgement) -> Judgement:
    """The judgement, recommending a question back."""
    return replace(judged, recommendation=Action.CLARIFY, reason=_reason(question))


def names_several(question: Question, evidence: Evidence) -> bool:
    """True if the documents cover several things of the kind that the question refers to, such as two manuals."""
    titles = {" ".join(terms(passage.title)) for passage in evidence.passages}
    return any(
        len({title for title in titles if stem(phrase.head) in title.split()}) > 1
        for phrase in unnamed_things(question)
    )


def _may_be_meant(question: Question, evidence: Evidence) -> bool:
    """True if the passages mention what the question refers to; if none does, asking back would not help."""
    if question.unclear:
        return bool(evidence.hits)
    wanted = {stem(phrase.head) for phrase in unnamed_things(question)}
    held = frozenset(
        term for passage in evidence.readable.passages for term in terms(f"{passage.title} {passage.text}")
    )
    return bool(wanted & held)


def _reason(question: Question) -> str:
    """The reason for asking back."""
    if question.unclear:
        return f"the question is unclear: {question.unclear}"
    phrases = " and ".join(f'"{phrase}"' for phrase in unnamed_things(question)[:2])
    return f"it is not clear what {phrases} refers to" if phrases else "it is not clear what the question refers to"
