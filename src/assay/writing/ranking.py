"""The ranking of sentences as answers: linear scores over `features`, fitted by benchmarks/answers/fit.py.

Where one passage answers, other things tell the right sentence than where the answer lies scattered over
several passages, so there are two rankings, mixed by how scattered the answer seems (a mixture of experts,
Jacobs et al. 1991).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assay.calibration import sigmoid
from assay.nlp.tokens import terms
from assay.types import AnswerType, Question
from assay.writing.candidates import Candidate
from assay.writing.features import NAMES, SCATTER_NAMES, PoolFeatures, points_back, weighing


@dataclass(frozen=True, slots=True)
class Ranker:
    """Two sets of weights for `features.NAMES` and one for `features.SCATTER_NAMES`, in their order."""

    together: tuple[float, ...]
    apart: tuple[float, ...]
    scatter: tuple[float, ...]
    scatter_intercept: float

    def scattered(self, reading: PoolFeatures) -> float:
        """The probability that the answer is spread over several passages."""
        return sigmoid(self.scatter_intercept + _dot(self.scatter, reading.scatter))

    def shares(self, reading: PoolFeatures) -> list[float]:
        """The probability of each candidate to be the answer; they sum to 1."""
        scattered = self.scattered(reading)
        together = softmax([_dot(self.together, row) for row in reading.rows])
        apart = softmax([_dot(self.apart, row) for row in reading.rows])
        return [(1 - scattered) * one + scattered * other for one, other in zip(together, apart, strict=True)]


def _dot(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, row, strict=True))


def softmax(scores: Sequence[float]) -> list[float]:
    """The softmax of the scores.

    >>> softmax([7.0, 7.0])
    [0.5, 0.5]
    """
    top = max(scores, default=0.0)
    raised = [math.exp(score - top) for score in scores]
    total = sum(raised)
    return [power / total for power in raised]


@cache
def load_ranker() -> Ranker:
    """The ranker with the shipped weights."""
    stored: Mapping[str, Any] = json.loads(files("assay.writing").joinpath("sentence_ranker.json").read_text())
    return Ranker(
        together=tuple(float(stored["together"][name]) for name in NAMES),
        apart=tuple(float(stored["apart"][name]) for name in NAMES),
        scatter=tuple(float(stored["scatter"][name]) for name in SCATTER_NAMES),
        scatter_intercept=float(stored["scatter_intercept"]),
    )


# Selection: the likeliest sentences that fit into a short answer, in reading order.


# Words of an answer from one passage and from several, each of which must be quoted. The mean over the questions of
# benchmarks/answers stays under 50.
WORDS_TOGETHER = 42
WORDS_APART = 72
# From the first probability that the answer is spread over passages it gets the words for several; from the second
# it is treated as an answer of several steps.
SCATTERED, STEPS = 0.5, 0.85
# A sentence with at least this probability is always part of the answer.
SURE = 0.5
# An answer is selected from this many of the likeliest candidates.
CHOICE = 14
# A sentence is left out if its probability is below this fraction of the highest, or below chance.
LEAST = 0.1
# A sentence belongs to the answer if it has this fraction of the best coverage of the question by a sentence with
# its title, or a lead of this strength (`features.PoolFeatures`).
COVER, BRIDGE = 0.25, 0.15
# A sentence with this coverage of the question and a new candidate of the answer type answers by itself.
WHOLE = 0.8
# Answer types for which sentences may continue one that mentions the question's terms.
OPEN_ENDED = frozenset(
    {AnswerType.DEFINITION, AnswerType.LIST, AnswerType.PROCEDURE, AnswerType.REASON, AnswerType.OTHER}
)
# Two sentences that share more of the shorter one's terms repeat each other.
SAME = 0.7


def select(
    pool: Sequence[Candidate], shares: Sequence[float], most_words: float, first: Sequence[int] = ()
) -> list[int]:
    """The indices of the selected candidates: a certain one, those of `first`, the likeliest within `most_words`.

    At least one where there are any, however long it is. None repeats another. A sentence that points back
    brings the one before it along where that fits too.
    """
    likeliest = sorted(range(len(pool)), key=lambda index: -shares[index])[:CHOICE]
    least = max(LEAST * max(shares, default=0.0), 1 / (len(pool) or 1))
    sure = [index for index in likeliest[:1] if shares[index] >= SURE]
    chosen: list[int] = []
    for index in [*sure, *first, *(index for index in likeliest if shares[index] >= least)]:
        if not chosen or _fits(index, chosen, pool, most_words):
            chosen.append(index)
            before = _antecedent(index, pool)
            if before is not None and _fits(before, chosen, pool, most_words):
                chosen.append(before)
    return chosen


def pertinent(
    question: Question, pool: Sequence[Candidate], reading: PoolFeatures, shares: Sequence[float]
) -> list[float]:
    """The probabilities, set to 0 for sentences that neither mention what is asked nor follow from one that does.

    What is asked stands in its own words, beyond its title: every sentence about a bridge is about the bridge.
    The likeliest keeps its share, whatever it is.
    """
    covers, bridges = reading.column("cover_titled"), reading.column("bridge")
    asked = frozenset(weighing(question, pool).weights)
    titles = {candidate.passage.title: asked - frozenset(terms(candidate.passage.title)) for candidate in pool}
    least, best = COVER * max(covers), max(shares)
    open_ended = question.answer_type in OPEN_ENDED

    def speaks(at: int) -> bool:
        beyond = titles[pool[at].passage.title]
        return covers[at] >= least and (open_ended or not beyond or not beyond.isdisjoint(pool[at].terms))

    return [
        share if share == best or bridges[at] >= BRIDGE or speaks(at) else 0.0 for at, share in enumerate(shares)
    ]


def direct_answers(reading: PoolFeatures, shares: Sequence[float]) -> list[int]:
    """The likeliest sentence that repeats the question and holds a candidate answer; empty if there is none."""
    covers, typed = reading.column("cover"), reading.column("typed")
    whole = [index for index, cover in enumerate(covers) if cover >= WHOLE and typed[index] > 0]
    return sorted(whole, key=lambda index: -shares[index])[:1]


def with_antecedents(chosen: Sequence[int], pool: Sequence[Candidate]) -> list[int]:
    """The chosen, each after the sentence that it refers back to, without repetition."""
    pairs = ((_antecedent(index, pool), index) for index in chosen)
    return list(dict.fromkeys(index for pair in pairs for index in pair if index is not None))


def _fits(index: int, chosen: Sequence[int], pool: Sequence[Candidate], most_words: float) -> bool:
    used = sum(pool[index].words for index in chosen)
    return index not in chosen and used + pool[index].words <= most_words and not _repeats(index, chosen, pool)


def _antecedent(index: int, pool: Sequence[Candidate]) -> int | None:
    """The sentence right before one that refers back, in the same passage."""
    here, before = pool[index], pool[index - 1]
    follows = before.passage is here.passage and before.position == here.position - 1
    return index - 1 if index and follows and points_back(here.text) else None


def readable(chosen: Sequence[int], pool: Sequence[Candidate]) -> list[int]:
    """The selected in reading order: passages by their likeliest sentence, sentences by position."""
    order = {rank: place for place, rank in enumerate(dict.fromkeys(pool[index].rank for index in chosen))}
    return sorted(chosen, key=lambda index: (order[pool[index].rank], pool[index].position))


def _repeats(index: int, chosen: Sequence[int], pool: Sequence[Candidate]) -> bool:
    found = set(pool[index].terms)
    for other in chosen:
        said = set(pool[other].terms)
        if len(found & said) > SAME * min(len(found), len(said)):
            return True
    return False
