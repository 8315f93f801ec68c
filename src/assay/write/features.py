"""What can be measured of a sentence as an answer to a question, without a model: one row of numbers each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.text.answer_types import new_candidates, tells
from assay.text.tokens import terms
from assay.types import AnswerType, Evidence, Question
from assay.write.candidates import Candidate

NAMES = (
    "cover",
    "cover_titled",
    "cover_near",
    "cover_passage",
    "pairs",
    "title_asked",
    "rank",
    "score",
    "dense",
    "first",
    "position",
    "typed",
    "typed_weak",
    "length",
    "leans",
    "bridge",
    "bridge_typed",
    "bridge_gain",
    "table",
)
# A sentence that opens with one of these leans on the one before it.
_LEANS = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those|Such|However|Therefore|Thus|Then|But|And|Also"
    r"|Moreover|Furthermore|In addition|For example|Another|Both)\b"
)
# From how many of the best covering sentences a second hop may start.
_HOPS = 6
_PROSE = frozenset({AnswerType.REASON, AnswerType.PROCEDURE, AnswerType.DEFINITION, AnswerType.LIST})


def leans(text: str) -> bool:
    """Whether the sentence opens with a word that points back.

    >>> leans("He was born in Ulm."), leans("Heat rises.")
    (True, False)
    """
    return _LEANS.match(text) is not None


@dataclass(frozen=True, slots=True)
class Weighing:
    """The question's terms with their weights: rarer among the sentences weighs more.

    Weights follow Robertson and Spärck Jones (1976) as Lucene writes it, with sentences as documents.
    """

    weights: Mapping[str, float]
    total: float

    def cover(self, found: frozenset[str]) -> float:
        """The weighted share, 0 to 1, of the question's terms among `found`."""
        return sum(weight for term, weight in self.weights.items() if term in found) / self.total


def weighing(question: Question, pool: Sequence[Candidate]) -> Weighing:
    """The weights of the question's terms among the candidates; of all its words where it has no terms."""
    wanted = dict.fromkeys(terms(question.standalone) or terms(question.standalone, stop_words=True))
    seen = Counter(term for candidate in pool for term in set(candidate.terms) if term in wanted)
    weights = {term: math.log(1 + (len(pool) - seen[term] + 0.5) / (seen[term] + 0.5)) for term in wanted}
    return Weighing(weights, sum(weights.values()) or 1.0)


def rows(question: Question, evidence: Evidence, pool: Sequence[Candidate]) -> list[list[float]]:
    """One row a candidate, one number for each of `NAMES`, in that order."""
    weigh = weighing(question, pool)
    around = _Around(question, evidence, pool, weigh)
    return [around.row(index) for index in range(len(pool))]


class _Around:
    """What the sentences of one evidence share, worked out once."""

    def __init__(self, question: Question, evidence: Evidence, pool: Sequence[Candidate], weigh: Weighing) -> None:
        self.question, self.pool, self.weigh = question, pool, weigh
        self.sets = [frozenset(candidate.terms) for candidate in pool]
        self.covers = [weigh.cover(found) for found in self.sets]
        self.titles = [frozenset(terms(passage.title)) for passage in evidence.passages]
        self.passage_cover = self._passage_covers(len(evidence.hits))
        self.scores = _scaled([hit.score for hit in evidence.hits])
        self.dense = _dense(evidence)
        self.asked_pairs = _pairs(terms(question.standalone))
        self.starts = sorted(range(len(pool)), key=lambda index: -self._titled(index))[:_HOPS]

    def _titled(self, index: int) -> float:
        return self.weigh.cover(self.sets[index] | self.titles[self.pool[index].rank])

    def _passage_covers(self, count: int) -> list[float]:
        found: list[set[str]] = [set(title) for title in self.titles]
        for candidate in self.pool:
            found[candidate.rank].update(candidate.terms)
        return [self.weigh.cover(frozenset(found[rank])) for rank in range(count)]

    def row(self, index: int) -> list[float]:
        """The numbers of one candidate."""
        candidate = self.pool[index]
        rank, title = candidate.rank, self.titles[candidate.rank]
        typed, weak = self._typed(candidate)
        bridge, gain = self._bridge(index)
        return [
            self.covers[index],
            self._titled(index),
            self.weigh.cover(self._near(index) | title),
            self.passage_cover[rank],
            len(self.asked_pairs & _pairs(candidate.terms)) / (len(self.asked_pairs) or 1),
            len(title & self.weigh.weights.keys()) / (len(title) or 1),
            1 / (1 + rank),
            self.scores[rank],
            self.dense[rank],
            float(candidate.position == 0),
            1 / (1 + candidate.position),
            typed,
            weak,
            math.log(candidate.words),
            float(leans(candidate.text)),
            bridge,
            bridge * typed,
            gain,
            float(candidate.table),
        ]

    def _near(self, index: int) -> frozenset[str]:
        """The terms of the sentence and of the two beside it."""
        near = set(self.sets[index])
        for other in (index - 1, index + 1):
            if 0 <= other < len(self.pool) and self.pool[other].rank == self.pool[index].rank:
                near |= self.sets[other]
        return frozenset(near)

    def _typed(self, candidate: Candidate) -> tuple[float, float]:
        """Whether the sentence holds what the answer type wants: as a thing to point at, or as a phrase."""
        wanted = self.question.answer_type
        if not tells(wanted, candidate.text):
            return 0.0, 0.0
        fits = float(bool(new_candidates(candidate.text, wanted, self.question.standalone)))
        return (0.0, fits) if wanted in _PROSE else (fits, 0.0)

    def _bridge(self, index: int) -> tuple[float, float]:
        """How well another passage's covering sentence leads here, and what this sentence adds to its cover.

        It leads here when it names this passage's title, which the question does not name.
        """
        rank = self.pool[index].rank
        title = self.titles[rank] - self.weigh.weights.keys()
        best = (0.0, 0.0)
        for start in self.starts if title else ():
            if self.pool[start].rank == rank:
                continue
            lead = len(title & self.sets[start]) / len(title) * self._titled(start)
            if lead > best[0]:
                joined = self.sets[start] | self.titles[self.pool[start].rank]
                best = lead, lead * (self.weigh.cover(joined | self.sets[index]) - self.weigh.cover(joined))
        return best


def _pairs(found: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(found))


def _scaled(scores: Sequence[float]) -> list[float]:
    """The scores as shares of their range, the best 1; all 1 where they are equal."""
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _dense(evidence: Evidence) -> list[float]:
    """Each passage's cosine; the least known one where only the search by words found it."""
    known = [hit.scores.dense for hit in evidence.hits if hit.scores.dense is not None]
    least = min(known, default=0.0)
    return [least if hit.scores.dense is None else hit.scores.dense for hit in evidence.hits]
