"""Features of a sentence as an answer to a question, without a model: one row of numbers a sentence."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.nlp.answer_types import new_candidates, tells
from assay.nlp.tokens import terms, words
from assay.types import AnswerType, Evidence, Question
from assay.writing import centrality
from assay.writing.candidates import Candidate

NAMES = (
    "cover",
    "cover_titled",
    "cover_near",
    "cover_passage",
    "pairs",
    "named",
    "rank",
    "dense",
    "first",
    "position",
    "typed",
    "typed_phrase",
    "length",
    "leans",
    "bridge",
    "bridge_gain",
    *centrality.NAMES,
)
SCATTER_NAMES = (
    "dense_first",
    "dense_lead",
    "dense_lead_three",
    "cover_first",
    "cover_joined",
    "asked_terms",
    "nested",
    "bridge_most",
    "cover_most",
    "named_passages",
)
# A sentence that opens with one of these refers to the one before it.
_LEANS = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those|Such|However|Therefore|Thus|Then|But|And|Also"
    r"|Moreover|Furthermore|In addition|For example|Another|Both)\b"
)
# A second hop starts from this many of the best covering sentences (chosen).
_HOPS = 6
# A clause in the question: "the city where …", "the man who …".
_NESTED = re.compile(r"\b(?:that|which|who|whom|whose|where|when|what|how)\b", re.IGNORECASE)
# The question word is in this many first characters (chosen).
_OPENING = 5
# Words that only ask: "how many passages" is answered by "8 passages".
_ASKS = re.compile(r"\bhow\s+(?:many|much)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"(?<!\s)\s*+\([^)]{0,300}\)\s*$")
_PROSE = frozenset({AnswerType.REASON, AnswerType.PROCEDURE, AnswerType.DEFINITION, AnswerType.LIST})


def points_back(text: str) -> bool:
    """True if the sentence opens with a word that refers back.

    >>> points_back("He was born in Ulm."), points_back("Heat rises.")
    (True, False)
    """
    return _LEANS.match(text) is not None


@dataclass(frozen=True, slots=True)
class Weighing:
    """The question's terms with their weights: terms rarer among the sentences weigh more.

    Weights follow Robertson and Spärck Jones (1976) as Lucene writes it, with sentences as documents.
    """

    weights: Mapping[str, float]
    total: float

    def cover(self, found: frozenset[str]) -> float:
        """The weighted share, 0 to 1, of the question's terms among `found`."""
        return sum(weight for term, weight in self.weights.items() if term in found) / self.total


def weighing(question: Question, pool: Sequence[Candidate]) -> Weighing:
    """The weights of the question's terms among the candidates; of all its words if it has no terms."""
    asked = _ASKS.sub(" ", question.standalone)
    wanted = dict.fromkeys(terms(asked) or terms(question.standalone, stop_words=True))
    seen = Counter(term for candidate in pool for term in set(candidate.terms) if term in wanted)
    weights = {term: math.log(1 + (len(pool) - seen[term] + 0.5) / (seen[term] + 0.5)) for term in wanted}
    return Weighing(weights, sum(weights.values()) or 1.0)


@dataclass(frozen=True, slots=True)
class PoolFeatures:
    """The features of a question's candidates: `rows` has one row a candidate, in the order of `NAMES`.

    `scatter` are the numbers, in the order of `SCATTER_NAMES`, that tell whether one passage answers or the
    answer lies scattered over several.
    """

    rows: tuple[tuple[float, ...], ...]
    scatter: tuple[float, ...]

    def column(self, name: str) -> list[float]:
        """The column of one of `NAMES`."""
        place = NAMES.index(name)
        return [row[place] for row in self.rows]


def extract_features(question: Question, evidence: Evidence, pool: Sequence[Candidate]) -> PoolFeatures:
    """The features of the candidates, at least one, which must be of this evidence."""
    around = _Around(question, evidence, pool)
    alone = (around.row(index) for index in range(len(pool)))
    rows = tuple((*row, *beside) for row, beside in zip(alone, around.centrality_rows(), strict=True))
    return PoolFeatures(rows, around.scatter(max(row[NAMES.index("bridge")] for row in rows)))


class _Around:
    """The values that the sentences of one evidence share, computed once."""

    def __init__(self, question: Question, evidence: Evidence, pool: Sequence[Candidate]) -> None:
        self.question, self.pool, self.weigh = question, pool, weighing(question, pool)
        self.sets = [frozenset(candidate.terms) for candidate in pool]
        self.titles = [frozenset(terms(passage.title)) for passage in evidence.passages]
        self.titled = [
            found | self.titles[candidate.rank] for found, candidate in zip(self.sets, pool, strict=True)
        ]
        self.covers = [self.weigh.cover(found) for found in self.titled]
        self.near = [self.weigh.cover(self._near(index)) for index in range(len(pool))]
        self.fitting = [self._fitting(candidate) for candidate in pool]
        self.passages = self._passage_terms()
        self.passage_covers = [self.weigh.cover(found) for found in self.passages]
        self.named = titles_named(question.standalone, [passage.title for passage in evidence.passages])
        self.dense = _dense(evidence)
        self.asked_pairs = _pairs(terms(question.standalone))
        self.starts = sorted(range(len(pool)), key=lambda index: -self.covers[index])[:_HOPS]

    def _passage_terms(self) -> list[frozenset[str]]:
        found = [set(title) for title in self.titles]
        for candidate in self.pool:
            found[candidate.rank].update(candidate.terms)
        return [frozenset(term_list) for term_list in found]

    def row(self, index: int) -> tuple[float, ...]:
        """The features of one candidate."""
        candidate = self.pool[index]
        rank = candidate.rank
        typed, phrase = self._typed(index)
        bridge, gain = self._bridge(index)
        return (
            self.weigh.cover(self.sets[index]),
            self.covers[index],
            self.near[index],
            self.passage_covers[rank],
            len(self.asked_pairs & _pairs(candidate.terms)) / (len(self.asked_pairs) or 1),
            float(self.named[rank]),
            1 / (1 + rank),
            self.dense[rank],
            float(candidate.position == 0),
            1 / (1 + candidate.position),
            typed,
            phrase,
            math.log(candidate.words),
            float(points_back(candidate.text)),
            bridge,
            gain,
        )

    def scatter(self, bridge_most: float) -> tuple[float, ...]:
        """The features of the question and its evidence as a whole."""
        first, *others = sorted(self.dense, reverse=True)
        joined = [self.weigh.cover(self.passages[0] | found) for found in self.passages[1:]]
        return (
            self.dense[0],
            first - max(others, default=first),
            first - (sum(others[:3]) / len(others[:3]) if others else first),
            self.passage_covers[0],
            max(joined, default=self.passage_covers[0]) - self.passage_covers[0],
            math.log(1 + len(self.weigh.weights)),
            float(bool(_NESTED.search(self.question.standalone, _OPENING))),
            bridge_most,
            max(self.covers),
            float(sum(self.named)),
        )

    def _near(self, index: int) -> frozenset[str]:
        """The terms of the sentence, its two neighbours and its title."""
        near = set(self.titled[index])
        for other in (index - 1, index + 1):
            if 0 <= other < len(self.pool) and self.pool[other].rank == self.pool[index].rank:
                near |= self.sets[other]
        return frozenset(near)

    def centrality_rows(self) -> list[tuple[float, ...]]:
        """The features of each candidate relative to the others, in the order of `centrality.NAMES`."""
        return centrality.Centrality(
            question=self.question.standalone,
            asked=frozenset(self.weigh.weights),
            texts=tuple(candidate.text for candidate in self.pool),
            ranks=tuple(candidate.rank for candidate in self.pool),
            terms=tuple(self.sets),
            titles=tuple(self.titles),
            covers=tuple(self.weigh.cover(found) for found in self.sets),
            titled=tuple(self.covers),
            near=tuple(self.near),
            passages=tuple(self.passage_covers),
            title_covers=tuple(self.weigh.cover(title) for title in self.titles),
            fitting=tuple(self.fitting),
        ).rows()

    def _fitting(self, candidate: Candidate) -> int:
        """The number of candidates of the answer type in the sentence that are new to the question."""
        wanted = self.question.answer_type
        has_form = tells(wanted, candidate.text)
        return len(new_candidates(candidate.text, wanted, self.question.standalone)) if has_form else 0

    def _typed(self, index: int) -> tuple[float, float]:
        """Rate whether the sentence holds something of the answer type: a candidate or a phrase."""
        fits = float(self.fitting[index] > 0)
        return (0.0, fits) if self.question.answer_type in _PROSE else (fits, 0.0)

    def _bridge(self, index: int) -> tuple[float, float]:
        """Lead from a covering sentence of another passage to this one, and what this one adds to its coverage.

        It leads here when it names this passage's title, which the question does not name.
        """
        rank = self.pool[index].rank
        title = self.titles[rank] - self.weigh.weights.keys()
        best = (0.0, 0.0)
        for start in self.starts if title else ():
            if self.pool[start].rank == rank:
                continue
            lead = len(title & self.sets[start]) / len(title) * self.covers[start]
            if lead > best[0]:
                joined = self.titled[start] | self.sets[index]
                best = lead, lead * (self.weigh.cover(joined) - self.covers[start])
        return best


def titles_named(question: str, titles: Sequence[str]) -> list[bool]:
    """For each title, without its brackets: whether the question names it word for word.

    >>> titles_named("Who is older, Sid Haig or Ann Lee?", ["Sid Haig", "Lee", "Ann Lee (poet)", "Sid"])
    [True, True, True, True]
    """
    asked = f" {' '.join(words(question))} "
    return [bool(bare_title(title)) and f" {bare_title(title)} " in asked for title in titles]


@lru_cache(maxsize=1024)
def bare_title(title: str) -> str:
    """The folded words of a title without its brackets.

    >>> bare_title("Robert Young (musician)")
    'robert young'
    """
    return " ".join(words(_IN_BRACKETS.sub("", title)))


def _pairs(found: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(found))


def _dense(evidence: Evidence) -> list[float]:
    """The cosine of each passage; the lowest known one if only the word search found it."""
    known = [hit.scores.dense for hit in evidence.hits if hit.scores.dense is not None]
    least = min(known, default=0.0)
    return [least if hit.scores.dense is None else hit.scores.dense for hit in evidence.hits]
