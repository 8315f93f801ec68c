"""How likely a question must be asked back: it points at things that nothing names and nothing covers. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from assay.calibration import sigmoid
from assay.judging.query_terms import content_terms, query_terms_of
from assay.judging.signals import read
from assay.nlp.anaphora import DEMONSTRATIVES, Reference, references
from assay.nlp.language import KNOWN_BY_SCRIPT
from assay.nlp.tokens import rarity, stem, terms
from assay.types import Action, Evidence, Judgement, Question

NAMES = ("open", "bare", "demonstrative", "adrift", "fresh", "common", "unclear")
# Of a longer question only the beginning is read, of a dialogue the last turns.
LONGEST, MOST_TURNS = 500, 12


@dataclass(frozen=True, slots=True)
class AmbiguityModel:
    """A logistic regression over `NAMES`; the threshold is where a question back is recommended."""

    weights: Mapping[str, float]
    intercept: float
    threshold: float

    def ambiguity(self, signals: Mapping[str, float]) -> float:
        """The probability, 0 to 1, at even odds that a question of these signals must be asked back."""
        return sigmoid(self.intercept + sum(weight * signals[name] for name, weight in self.weights.items()))


@lru_cache(maxsize=1)
def learned() -> AmbiguityModel:
    """The shipped weights, made by benchmarks/clarify/fit.py; their provenance stands in the file."""
    table = json.loads((files("assay.judging") / "ambiguity.json").read_text(encoding="utf-8"))
    return AmbiguityModel(table["weights"], table["intercept"], table["threshold"])


def ambiguity(question: Question, evidence: Evidence, model: AmbiguityModel | None = None) -> float | None:
    """How likely the question must be asked back before it can be answered; None in a script without rules.

    >>> loan = Question("What papers does the loan need?", "What papers does the loan need?")
    >>> named = Question("What papers does a car loan need?", "What papers does a car loan need?")
    >>> ambiguity(loan, Evidence()) > ambiguity(named, Evidence())
    True
    """
    if question.language in KNOWN_BY_SCRIPT:
        return 1.0 if question.unclear else None
    return (model or learned()).ambiguity(signals(question, evidence))


def signals(question: Question, evidence: Evidence) -> dict[str, float]:
    """What the ambiguity is measured by, each 0 to 1.

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
        "bare": min(1.0, sum(each.word == "the" and len(each.nouns) == 1 for each in points) / 2),
        "demonstrative": float(any(each.word in DEMONSTRATIVES for each in points)),
        "adrift": pointing * float(bool(before) and before.isdisjoint(content)),
        "fresh": max((rarity(term) for term in content if term not in before), default=0.0),
        "common": 1 - max((rarity(term) for term in content), default=0.0),
        "unclear": float(question.unclear is not None),
    }


def unnamed(question: Question) -> Sequence[Reference]:
    """What the question points at and the dialogue does not name, what stands first in it first."""
    before = frozenset(term for turn in question.history[-MOST_TURNS:] for term in terms(turn.text))
    return [each for each in references(question.text[:LONGEST]) if each.head and stem(each.head) not in before]


def _cover(question: Question, evidence: Evidence) -> float:
    """The share of the question, by rarity, that the best passage holds."""
    query_terms = query_terms_of(question)
    return max((read(passage, query_terms).cover for passage in evidence.readable.passages), default=0.0)


# What the ambiguity changes about a judgement.


# The reader's signal at even odds.
_EVEN = 0.5


def with_ambiguity(question: Question, evidence: Evidence, judged: Judgement, model: AmbiguityModel) -> Judgement:
    """The judgement with its ambiguity; it recommends a question back from the model's threshold on.

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
    return asked_back(question, judged)


def _is_answered(judged: Judgement) -> bool:
    """Whether a reader finds it likelier than not that a passage answers."""
    return judged.signals.get("reader_best", 0.0) > _EVEN


def asked_back(question: Question, judged: Judgement) -> Judgement:
    """The judgement with a question back recommended."""
    return replace(judged, recommendation=Action.CLARIFY, reason=_reason(question))


def names_several(question: Question, evidence: Evidence) -> bool:
    """Whether documents are of several things of the kind that the question points at: the X and the Y manual."""
    titles = {" ".join(terms(passage.title)) for passage in evidence.passages}
    return any(
        len({title for title in titles if stem(each.head) in title.split()}) > 1 for each in unnamed(question)
    )


def _may_be_meant(question: Question, evidence: Evidence) -> bool:
    """Whether the passages speak of what the question points at; where none does, asking back would not help."""
    if question.unclear:
        return bool(evidence.hits)
    wanted = {stem(each.head) for each in unnamed(question)}
    held = frozenset(
        term for passage in evidence.readable.passages for term in terms(f"{passage.title} {passage.text}")
    )
    return bool(wanted & held)


def _reason(question: Question) -> str:
    """Why the question is asked back."""
    if question.unclear:
        return f"the question cannot be understood as it stands: {question.unclear}"
    phrases = " and ".join(f'"{phrase}"' for phrase in unnamed(question)[:2])
    return f"nothing says which is meant by {phrases}" if phrases else "nothing says what the question points at"
