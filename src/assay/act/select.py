"""Which of all the passages found an answer may stand on, so that every step of a question keeps its passage."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
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
# What a cosine counts beside what a passage holds, and beside what it adds.
_COSINE = 0.5


@dataclass(frozen=True, slots=True)
class BestSelector:
    """Chooses at most `k` passages of evidence that was merged in the order in which it was found.

    The best half of the first search stays. Each further place goes to the passage of the greatest sum of three:
    how much it holds of the question, or of one that it comes down to (`forms`), times how likely that is; how much
    of all of these it adds to what is chosen; and half the cosine to the query that found it. So a passage found
    for the second step of a question displaces a weak one of the first search. Where some of them come from
    outside, all stand in the order of their cosines: what the collection has is not first for being found first.
    Pure: no model, no search.
    """

    k: int = 8

    async def select(self, question: Question, evidence: Evidence) -> Evidence:
        """At most `k` passages, best first, each once; all of them where they are no more."""
        hits = evidence.hits
        if len(hits) > self.k:
            # Reading the passages takes longer than an event loop should be kept waiting.
            hits = await asyncio.to_thread(chosen, question.standalone[:LONGEST], hits, self.k)
        return replace(evidence, hits=placed(hits))


def placed(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits in the order of their cosines where some come from outside; as they are where one is unknown."""
    cosines = {hit.passage.passage_id: hit.scores.dense for hit in hits if hit.scores.dense is not None}
    if len(cosines) < len(hits) or all(hit.passage.origin.kind == "collection" for hit in hits):
        return tuple(hits)
    return tuple(sorted(hits, key=lambda hit: -cosines[hit.passage.passage_id]))


@dataclass(frozen=True, slots=True)
class Likely:
    """A form of the question by its terms with what each counts, and how likely it is."""

    weights: Mapping[str, float]
    score: float

    def holds(self, terms: frozenset[str]) -> float:
        """How much of it these terms are, times how likely it is."""
        return self.score * share(self.weights, terms)


def chosen(question: str, hits: Sequence[Hit], count: int) -> tuple[Hit, ...]:
    """The `count` best hits, one after the other; of equals the one found first."""
    likely = [Likely(weighed(form.text), form.score) for form in forms(question, hits)[:_FORMS]]
    holding = [[held(each.weights, read(hit).terms) for each in likely] for hit in hits]
    whole = sum(each.score for each in likely)
    picked = list(range(int(count * _FIRST)))
    covered = [frozenset[str]().union(*(holding[n][form] for n in picked)) for form in range(len(likely))]

    def gain(n: int) -> float:
        holds = max(each.holds(terms) for each, terms in zip(likely, holding[n], strict=True))
        added = (each.holds(terms - there) for each, terms, there in zip(likely, holding[n], covered, strict=True))
        return holds + sum(added) / whole + _COSINE * (hits[n].scores.dense or 0.0)

    left = list(range(len(picked), len(hits)))
    while left and len(picked) < count:
        best = max(left, key=gain)
        left.remove(best)
        picked.append(best)
        covered = [there | terms for there, terms in zip(covered, holding[best], strict=True)]
    return tuple(hits[n] for n in picked)
