"""Features of a sentence relative to the other sentences of the evidence, without a model.

`features` measures a sentence against the question. Here it is measured against its rivals: whether it covers
more than they do, whether they agree with it, and whether their names lead to its passage.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.nlp.answer_types import names as names_in
from assay.nlp.tokens import words

NAMES = (
    "cover_to_best",
    "titled_to_best",
    "cover_place",
    "titled_place",
    "cover_in_passage",
    "passage_to_best",
    "title_asked",
    "title_said",
    "title_cover",
    "fitting",
    "new_names",
    "figures",
    "novel",
    "distinct",
    "central",
    "central_asked",
    "leads_out",
    "reached",
    "reached_twice",
    "reached_near",
)
_FIGURE = re.compile(r"\d+")
# A name leads to a title if it holds this share of the title's words that are new to the question (chosen).
_LEADS = 0.5
# The factor on the strength of a second step (chosen).
_SECOND_STEP = 0.9
# The least factor on the reach of a sentence without coverage nearby (chosen).
_UNCOVERED = 0.2


@dataclass(frozen=True, slots=True)
class Centrality:
    """The sentences of one evidence as sets of terms, and their coverage of the question, 0 to 1.

    `ranks` are their passages' places, `titles` the terms of the title at each place; `covers` is what the
    sentence holds, `titled` with its title, `near` with its neighbours too; `passages` and `title_covers` belong to
    the places. `fitting` counts what each sentence holds of the type asked for.
    """

    question: str
    asked: frozenset[str]
    texts: tuple[str, ...]
    ranks: tuple[int, ...]
    terms: tuple[frozenset[str], ...]
    titles: tuple[frozenset[str], ...]
    covers: tuple[float, ...]
    titled: tuple[float, ...]
    near: tuple[float, ...]
    passages: tuple[float, ...]
    title_covers: tuple[float, ...]
    fitting: tuple[int, ...]

    def rows(self) -> list[tuple[float, ...]]:
        """One row a sentence, in the order of `NAMES`."""
        columns = [*self._covering(), *self._titles(), *self._contents(), *self._agreement(), *self._reach()]
        return [tuple(row) for row in zip(*columns, strict=True)]

    def _covering(self) -> list[list[float]]:
        """A sentence's coverage relative to the best, its rank by coverage, and both within its passage."""
        most = dict.fromkeys(self.ranks, 0.0)
        for rank, cover in zip(self.ranks, self.covers, strict=True):
            most[rank] = max(most[rank], cover)
        best_passage = max(self.passages)
        return [
            _to_best(self.covers),
            _to_best(self.titled),
            places(self.covers),
            places(self.titled),
            [cover - most[rank] for rank, cover in zip(self.ranks, self.covers, strict=True)],
            [self.passages[rank] - best_passage for rank in self.ranks],
        ]

    def _titles(self) -> list[list[float]]:
        """The shares of the title in the question and in the sentence, and the title's own coverage."""
        titles = [self.titles[rank] for rank in self.ranks]
        return [
            [len(title & self.asked) / (len(title) or 1) for title in titles],
            [len(title & found) / (len(title) or 1) for title, found in zip(titles, self.terms, strict=True)],
            [self.title_covers[rank] for rank in self.ranks],
        ]

    def _contents(self) -> list[list[float]]:
        """The content of a sentence that is new to the question: fitting candidates, names, figures, terms."""
        said = set(words(self.question))
        return [
            [float(count) for count in self.fitting],
            [_new_name_count(text, said) for text in self.texts],
            [float(len(_FIGURE.findall(text))) for text in self.texts],
            [len(found - self.asked) / (len(found) or 1) for found in self.terms],
            [float(len(found)) for found in self.terms],
        ]

    def _agreement(self) -> list[list[float]]:
        """The similarity of a sentence to all sentences, and to those with high coverage.

        Cosines of terms weighed by rarity among the sentences, itself included; as a part of the highest, so that
        little evidence is read as much evidence is.
        """
        vectors = rarity_vectors(self.terms)
        every = _sum(vectors, [1.0] * len(vectors))
        asked = _sum(vectors, [cover * cover for cover in self.titled])
        return [_to_best([_dot(vector, other) for vector in vectors]) for other in (every, asked)]

    def _reach(self) -> list[list[float]]:
        """Rate whether a sentence names another passage, and how well others lead to its own in one and two steps.

        A step is as strong as the sentence it starts from covers the question, or is itself reached.
        """
        new = [title - self.asked for title in self.titles]
        leads = [[self._lead(place, rank, title) for rank, title in enumerate(new)] for place in self._places()]
        once = [max(leads[place][rank] * self.titled[place] for place in self._places()) for rank in self._ranks()]
        start = [max(self.titled[place], _SECOND_STEP * once[self.ranks[place]]) for place in self._places()]
        twice = [max(leads[place][rank] * start[place] for place in self._places()) for rank in self._ranks()]
        return [
            [float(any(share >= 1 for share in row)) for row in leads],
            [once[rank] for rank in self.ranks],
            [twice[rank] for rank in self.ranks],
            [twice[rank] * (_UNCOVERED + near) for rank, near in zip(self.ranks, self.near, strict=True)],
        ]

    def _places(self) -> range:
        return range(len(self.ranks))

    def _ranks(self) -> range:
        return range(len(self.titles))

    def _lead(self, place: int, rank: int, new: frozenset[str]) -> float:
        """The share of a title's new words in a sentence of another passage; 0 below the threshold."""
        if not new or self.ranks[place] == rank:
            return 0.0
        share = len(new & self.terms[place]) / len(new)
        return share if share >= _LEADS else 0.0


def places(values: Sequence[float]) -> list[float]:
    """The rank of each value, 0 for the highest; ties keep their order.

    >>> places([0.2, 0.9, 0.2])
    [1.0, 0.0, 2.0]
    """
    found = [0.0] * len(values)
    for place, index in enumerate(sorted(range(len(values)), key=lambda index_of_value: -values[index_of_value])):
        found[index] = float(place)
    return found


def rarity_vectors(sets: Sequence[frozenset[str]]) -> list[dict[str, float]]:
    """The sets of terms as vectors of length 1, weighted by rarity.

    >>> [sorted(vector) for vector in rarity_vectors([frozenset({"tin"}), frozenset({"tin", "ore"})])]
    [['tin'], ['ore', 'tin']]
    """
    seen = Counter(term for found in sets for term in found)
    vectors = []
    for found in sets:
        # Sorted, so that the last digit of a sum does not depend on set order.
        weights = {term: math.log(1 + len(sets) / seen[term]) for term in sorted(found)}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weights.items()})
    return vectors


def _to_best(values: Sequence[float]) -> list[float]:
    """The values as fractions of the highest, 0 to 1; they must not be negative."""
    best = max(values) or 1.0
    return [value / best for value in values]


def _sum(vectors: Sequence[dict[str, float]], weights: Sequence[float]) -> dict[str, float]:
    total: dict[str, float] = {}
    for vector, by in zip(vectors, weights, strict=True):
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + by * weight
    return total


def _dot(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(weight * other.get(term, 0.0) for term, weight in one.items())


def _new_name_count(text: str, said: set[str]) -> float:
    """The number of names in the text with a new word."""
    return float(sum(not said.issuperset(words(text[span.start : span.end])) for span in names_in(text)))
