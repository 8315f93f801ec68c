"""Which of all the passages found an answer may stand on, so that every step of a question keeps its passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.act.refine import LONGEST
from assay.act.refine_chains import forms
from assay.act.refine_question import held, share, weighed
from assay.act.refine_reading import read
from assay.types import Evidence, Hit, Question

# Of the places, this share is kept for the best of what was found first.
_FIRST = 0.5
# Shorter questions that a passage is weighed for.
_FORMS = 14
# What a cosine counts beside the weighed question, and what is left of that for each passage chosen for it before.
_COSINE, _AGAIN = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class BestSelector:
    """Chooses at most `k` passages of evidence that was merged in the order in which it was found.

    The best half of the first search stays. The other places go to those that hold most of the question or of what
    it comes down to (`forms`), each times how likely that is, plus half the cosine to the query that found it; what
    one of these questions has a passage for counts less from then on. So a passage found for the second step of a
    question displaces a weak one of the first search. Pure: no model, no search.
    """

    k: int = 8

    async def select(self, question: Question, evidence: Evidence) -> Evidence:
        """At most `k` passages, best first, each once; evidence that fits is returned as it is."""
        if len(evidence.hits) <= self.k:
            return evidence
        first = int(self.k * _FIRST)
        others = weighed_hits(question.standalone[:LONGEST], evidence.hits)[first:]
        return replace(evidence, hits=evidence.hits[:first] + chosen(others, self.k - first))


@dataclass(frozen=True, slots=True)
class Weighed:
    """A hit, the form of the question that it holds most of, by number, and how much that counts, 0 to 1."""

    hit: Hit
    form: int
    value: float


def weighed_hits(question: str, hits: Sequence[Hit]) -> tuple[Weighed, ...]:
    """Each hit with the form of the question that speaks most for it; the forms come from all of the hits."""
    likely = [(form.score, weighed(form.text)) for form in forms(question, hits)[:_FORMS]]
    return tuple(_weighed(hit, [score * _held(hit, weights) for score, weights in likely]) for hit in hits)


def chosen(given: Sequence[Weighed], count: int) -> tuple[Hit, ...]:
    """The `count` best, one after the other; of equals the one found first."""
    left, taken = list(given), Counter[int]()
    picked: list[Hit] = []
    while left and len(picked) < count:
        best = max(left, key=lambda each: each.value * _AGAIN ** taken[each.form] + _COSINE * _cosine(each.hit))
        left.remove(best)
        taken[best.form] += 1
        picked.append(best.hit)
    return tuple(picked)


def _weighed(hit: Hit, values: Sequence[float]) -> Weighed:
    best = max(range(len(values)), key=values.__getitem__)
    return Weighed(hit, best, values[best])


def _held(hit: Hit, weights: dict[str, float]) -> float:
    return share(weights, held(weights, read(hit).terms))


def _cosine(hit: Hit) -> float:
    """The cosine that the search gave, 0 where it gave none."""
    return hit.scores.dense or 0.0
