"""Which sentence answers: linear scores over `features`, fitted by benchmarks/answers/fit.py.

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
    """Weights for `features.NAMES` twice and for `features.SCATTER_NAMES`, each in that order."""

    together: tuple[float, ...]
    apart: tuple[float, ...]
    scatter: tuple[float, ...]
    scatter_intercept: float

    def scattered(self, reading: PoolFeatures) -> float:
        """The probability that the answer lies scattered over several passages."""
        return sigmoid(self.scatter_intercept + _dot(self.scatter, reading.scatter))

    def shares(self, reading: PoolFeatures) -> list[float]:
        """How likely each candidate is the answer among them; the shares sum to 1."""
        scattered = self.scattered(reading)
        together = softmax([_dot(self.together, row) for row in reading.rows])
        apart = softmax([_dot(self.apart, row) for row in reading.rows])
        return [(1 - scattered) * one + scattered * other for one, other in zip(together, apart, strict=True)]


def _dot(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, row, strict=True))


def softmax(scores: Sequence[float]) -> list[float]:
    """Exponentials of the scores, divided by their sum.

    >>> softmax([7.0, 7.0])
    [0.5, 0.5]
    """
    top = max(scores, default=0.0)
    raised = [math.exp(score - top) for score in scores]
    total = sum(raised)
    return [power / total for power in raised]


@cache
def load_ranker() -> Ranker:
    """The ranker whose weights ship with the package."""
    stored: Mapping[str, Any] = json.loads(files("assay.writing").joinpath("sentence_ranker.json").read_text())
    return Ranker(
        together=tuple(float(stored["together"][name]) for name in NAMES),
        apart=tuple(float(stored["apart"][name]) for name in NAMES),
        scatter=tuple(float(stored["scatter"][name]) for name in SCATTER_NAMES),
        scatter_intercept=float(stored["scatter_intercept"]),
    )


# How much to show: the likeliest sentences that fit into a short answer, in an order one can read.


# Words of an answer where one passage answers and where it takes several: there each passage must be quoted. The
# mean over the questions of benchmarks/answers stays under 50 with these.
WORDS_TOGETHER = 42
WORDS_APART = 72
# From the first probability on that the answer lies scattered, it gets the words of one that does; from the second
# on, it is taken to need several steps.
SCATTERED, STEPS = 0.5, 0.85
# A sentence of at least this share is the answer whatever else is said.
SURE = 0.5
# From how many of the likeliest candidates an answer is chosen.
CHOICE = 14
# A sentence is left out when its share is less than this part of the likeliest one's, or less than chance.
LEAST = 0.1
# What a sentence must have to belong to the answer: this part of the best cover of the question by a sentence
# with its title, or a lead to it of this strength (`features.Reading`).
COVER, BRIDGE = 0.25, 0.15
# A sentence that holds this much of the question, and something new of the asked type, answers it by itself.
WHOLE = 0.8
# What no single sentence need hold: here sentences may go on from one that speaks of what is asked.
OPEN_ENDED = frozenset(
    {AnswerType.DEFINITION, AnswerType.LIST, AnswerType.PROCEDURE, AnswerType.REASON, AnswerType.OTHER}
)
# Two sentences that share more of the shorter one's terms than this say the same.
SAME = 0.7


def select(
    pool: Sequence[Candidate], shares: Sequence[float], most_words: float, first: Sequence[int] = ()
) -> list[int]:
    """The indices of the chosen candidates: a sure one, those of `first`, the likeliest that fit in `most_words`.

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
            before = _pointed_at(index, pool)
            if before is not None and _fits(before, chosen, pool, most_words):
                chosen.append(before)
    return chosen


def pertinent(
    question: Question, pool: Sequence[Candidate], reading: PoolFeatures, shares: Sequence[float]
) -> list[float]:
    """The shares, 0 where a sentence neither speaks of what is asked nor is led to from one that does.

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
    """The likeliest sentence that repeats the question and holds what it asks for; none where there is none."""
    covers, typed = reading.column("cover"), reading.column("typed")
    whole = [index for index, cover in enumerate(covers) if cover >= WHOLE and typed[index] > 0]
    return sorted(whole, key=lambda index: -shares[index])[:1]


def _fits(index: int, chosen: Sequence[int], pool: Sequence[Candidate], most_words: float) -> bool:
    used = sum(pool[index].words for index in chosen)
    return index not in chosen and used + pool[index].words <= most_words and not _repeats(index, chosen, pool)


def _pointed_at(index: int, pool: Sequence[Candidate]) -> int | None:
    """The sentence just before one that points back, in the same passage."""
    here, before = pool[index], pool[index - 1]
    follows = before.passage is here.passage and before.position == here.position - 1
    return index - 1 if index and follows and points_back(here.text) else None


def readable(chosen: Sequence[int], pool: Sequence[Candidate]) -> list[int]:
    """The chosen in reading order: passages by their likeliest sentence, within a passage as they stand there."""
    order = {rank: place for place, rank in enumerate(dict.fromkeys(pool[index].rank for index in chosen))}
    return sorted(chosen, key=lambda index: (order[pool[index].rank], pool[index].position))


def _repeats(index: int, chosen: Sequence[int], pool: Sequence[Candidate]) -> bool:
    found = set(pool[index].terms)
    for other in chosen:
        said = set(pool[other].terms)
        if len(found & said) > SAME * min(len(found), len(said)):
            return True
    return False
