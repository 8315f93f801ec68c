"""The signals of the fast judge: coverage, pairs, names, numbers, answer type and vectors, and their weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from math import fsum
from typing import TYPE_CHECKING

from assay.calibration import Logistic
from assay.judging.query_terms import QueryTerms
from assay.nlp.answer_types import new_candidates, tells
from assay.nlp.blocks import without_markup
from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms
from assay.types import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A passage as the judge reads it: its terms and sentences, and their coverage of the question.


# Only this many characters of a passage are read (chosen): about 40 sentences, in bounded time.
LONGEST = 8000


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a passage; `held` are the question's terms in it, `cover` their share by rarity, 0 to 1."""

    text: str
    position: int
    held: frozenset[str]
    cover: float


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """The terms of a passage compared with one question.

    `order` are its terms in order, title included; `held` the question's terms among them; `cover` their share.
    """

    passage_id: str
    order: tuple[str, ...]
    held: frozenset[str]
    cover: float
    lines: tuple[Line, ...]


def read_passage(passage: Passage, query_terms: QueryTerms) -> PassageTerms:
    """Read a passage for a question; title and table header count for the passage, not for its sentences."""
    text = passage.text[:LONGEST]
    lines = []
    for position, stretch in enumerate(_prose_sentences(text)):
        lines.append((stretch, position, tuple(terms(stretch))))
    order = (*terms(passage.title), *terms(passage.header), *(term for _, _, found in lines for term in found))
    held = query_terms.weights.keys() & set(order)
    return PassageTerms(
        passage_id=passage.passage_id,
        order=order,
        held=frozenset(held),
        cover=cover(held, query_terms),
        lines=tuple(_line(stretch, position, found, query_terms) for stretch, position, found in lines),
    )


def _prose_sentences(text: str) -> Iterator[str]:
    """The sentences of a text without markup; sentences of markup alone, such as templating, are left out."""
    prose = without_markup(text)
    for span in sentences(text):
        stretch = prose[span.start : span.end].strip()
        if stretch:
            yield stretch


def _line(stretch: str, position: int, found: tuple[str, ...], query_terms: QueryTerms) -> Line:
    held = frozenset(query_terms.weights.keys() & set(found))
    return Line(stretch, position, held, cover(held, query_terms))


def cover(held: Iterable[str], query_terms: QueryTerms) -> float:
    """The share of the question's terms, weighted by rarity, that are held: 0 to 1; 0 without terms."""
    # Exact sums: the order of a set differs from run to run, and the last digit of a plain sum with it.
    total = fsum(query_terms.weights.values())
    return fsum(query_terms.weights[term] for term in held) / total if total else 0.0


# Two terms of the question are near each other if at most this many terms lie between them (chosen).
_NEAR = 3


def word_signals(query_terms: QueryTerms, readings: Sequence[PassageTerms]) -> dict[str, float]:
    """Each signal in 0 to 1, higher is better; `readings` must not be empty and the query_terms must have terms.

    `cover_all`, `cover_best`: the share of the question, by rarity, that all passages or the best one hold.
    `rare`: the share of its two rarest terms. `pairs`: of its neighbouring terms that stand near each other.
    `names`, `numbers`: of its names and numbers. `aspects`: of the least covered aspect. `answer`: the share held
    by two neighbouring sentences with a candidate of the answer's type, and `typed` that share over the share
    without this condition.
    """
    union = frozenset().union(*(reading.held for reading in readings))
    window, answer = best_window(query_terms, readings), answer_cover(query_terms, readings)
    return {
        "cover_all": cover(union, query_terms),
        "cover_best": max(reading.cover for reading in readings),
        "rare": sum(term in union for term in query_terms.rarest) / len(query_terms.rarest),
        "pairs": _pairs(query_terms, readings),
        "names": _names(query_terms, readings),
        "numbers": _numbers(query_terms, readings),
        "aspects": min(
            (
                max(aspect_cover(terms, reading, query_terms) for reading in readings)
                for _, terms in query_terms.aspects
            ),
            default=cover(union, query_terms),
        ),
        "answer": answer,
        "typed": answer / window if window else 0.0,
    }


def best_window(query_terms: QueryTerms, readings: Sequence[PassageTerms]) -> float:
    """The highest coverage by two consecutive sentences."""
    return max(
        (_window_cover(window, query_terms) for reading in readings for window in _windows(reading)), default=0.0
    )


def answer_cover(query_terms: QueryTerms, readings: Sequence[PassageTerms]) -> float:
    """The highest coverage by two consecutive sentences, one of which holds a candidate of the answer's type.

    The same as `best_window` for a type without a recognisable form.
    """
    best = 0.0
    for reading in readings:
        seen: dict[int, bool] = {}
        for window in _windows(reading):
            covered = _window_cover(window, query_terms)
            if covered > best and any(_answers(line, query_terms, seen) for line in window):
                best = covered
    return best


def _windows(reading: PassageTerms) -> Iterator[tuple[Line, ...]]:
    """Each sentence with the next one; the last alone."""
    for at in range(len(reading.lines)):
        yield reading.lines[at : at + 2]


def _window_cover(window: tuple[Line, ...], query_terms: QueryTerms) -> float:
    """The joint coverage of the sentences of a window."""
    return cover(frozenset().union(*(line.held for line in window)), query_terms)


def _answers(line: Line, query_terms: QueryTerms, seen: dict[int, bool]) -> bool:
    """True if the sentence holds a new candidate of the answer's type, or that type has no recognisable form."""
    if line.position not in seen:
        can_tell = tells(query_terms.answer_type, line.text)
        seen[line.position] = not can_tell or bool(
            new_candidates(line.text, query_terms.answer_type, query_terms.text)
        )
    return seen[line.position]


def _pairs(query_terms: QueryTerms, readings: Sequence[PassageTerms]) -> float:
    """The share of the question's neighbouring terms that are near each other in one passage."""
    if not query_terms.pairs:
        return cover(readings[0].held, query_terms)
    wanted = set(query_terms.pairs)
    met = {pair for reading in readings for pair in _pairs_near(wanted, reading.order)}
    weight = {pair: query_terms.weights[pair[0]] + query_terms.weights[pair[1]] for pair in wanted}
    return fsum(weight[pair] for pair in met) / fsum(weight.values())


def _pairs_near(wanted: set[tuple[str, str]], order: tuple[str, ...]) -> set[tuple[str, str]]:
    """The pairs whose terms are near each other, in either order."""
    terms = {term for pair in wanted for term in pair}
    places = [(n, term) for n, term in enumerate(order) if term in terms]
    met: set[tuple[str, str]] = set()
    for at, (place, term) in enumerate(places):
        for other_place, other in places[at + 1 :]:
            if other_place - place > _NEAR:
                break
            met.update(pair for pair in ((term, other), (other, term)) if pair in wanted)
    return met


def _names(query_terms: QueryTerms, readings: Sequence[PassageTerms]) -> float:
    """The share of the question's names that some passage holds in full; coverage if it has no names."""
    if not query_terms.names:
        return cover(frozenset().union(*(reading.held for reading in readings)), query_terms)
    sets = [set(reading.order) for reading in readings]
    return sum(any(set(name) <= name_set for name_set in sets) for name in query_terms.names) / len(
        query_terms.names
    )


def _numbers(query_terms: QueryTerms, readings: Sequence[PassageTerms]) -> float:
    """The share of the question's numbers that some passage holds; coverage if it has no numbers."""
    union = frozenset().union(*(reading.held for reading in readings))
    if not query_terms.numbers:
        return cover(union, query_terms)
    return len(query_terms.numbers & union) / len(query_terms.numbers)


def aspect_cover(terms: frozenset[str], reading: PassageTerms, query_terms: QueryTerms) -> float:
    """The share of an aspect's terms, weighted by rarity, that a passage holds."""
    total = fsum(query_terms.weights.get(term, 1.0) for term in terms)
    return fsum(query_terms.weights.get(term, 1.0) for term in terms & reading.held) / total


# Signals of vectors: the nearness of the question to passages and to their best sentences.


# Sentences embedded for one judgement, and characters of each: about 13 CPU-ms with the bundled model.
# Eight of them measured no better.
MOST_LINES = 4
LONGEST_LINE = 200
# At most this many sentences express a question together (chosen).
_TOGETHER = 3


def vector_signals(
    passages: Sequence[float],
    question: NDArray[np.float32],
    lines: NDArray[np.float32],
    topic: NDArray[np.float32] | None = None,
) -> dict[str, float]:
    """Signals in 0 to 1; a negative cosine counts as 0.

    `passages` are the cosines of question and passages that are known, at least one; `question` is its vector,
    shape (dimension,), `lines` those of the telling sentences, shape (sentences, dimension), `topic` that of the
    nearest passage's title.
    """
    return {
        "cosine_best": clip_cosine(max(passages)),
        "reached": expressed_share(question, lines),
        "beyond": nearness_beyond_topic(question, lines, topic),
    }


def nearness_beyond_topic(
    question: NDArray[np.float32], lines: NDArray[np.float32], topic: NDArray[np.float32] | None
) -> float:
    """The cosine of the nearest sentence and the question after the topic is removed from both, 0 to 1.

    A near miss is about the same thing but does not say what is asked of it. The cosine is weighted by the share of
    the question that is left without its topic; for the rest, and without a topic, the plain cosine counts.
    """
    plain = _best_cosine(question, lines)
    if topic is None:
        return plain
    rest = question - (question @ topic) * topic
    share = clip_cosine(float(rest @ rest) ** 0.5)
    return share * _best_cosine(rest, lines - (lines @ topic)[:, None] * topic) + (1 - share) * plain


def _best_cosine(question: NDArray[np.float32], lines: NDArray[np.float32]) -> float:
    """The highest cosine of the question and a line, clipped to 0 to 1; zero vectors are ignored."""
    asked = float(question @ question) ** 0.5
    lengths = [float(line @ line) ** 0.5 * asked for line in lines]
    near = (float(dot) / length for dot, length in zip(lines @ question, lengths, strict=True) if length > 1e-6)
    return clip_cosine(max(near, default=0.0))


def expressed_share(question: NDArray[np.float32], lines: NDArray[np.float32]) -> float:
    """The share of the question's vector that its three nearest sentences span, 0 to 1.

    The length of the question's projection onto the space of their vectors: facts in different sentences add up,
    repetition does not.
    """
    left = question.astype("float64")
    whole = float(left @ left)
    order = sorted(range(len(lines)), key=lambda n: -float(lines[n] @ question))[:_TOGETHER]
    directions: list[NDArray[np.float64]] = []
    for n in order:
        direction = lines[n].astype("float64")
        for known in directions:
            direction = direction - (direction @ known) * known
        length = float(direction @ direction) ** 0.5
        if length > 1e-6:
            directions.append(direction / length)
            left = left - (left @ directions[-1]) * directions[-1]
    return clip_cosine(max(0.0, 1.0 - float(left @ left) / whole) ** 0.5) if whole else 0.0


def clip_cosine(cosine: float) -> float:
    """The cosine clipped to 0 to 1."""
    return min(1.0, max(0.0, cosine))


def telling_lines(
    query_terms: QueryTerms, readings: Sequence[PassageTerms], cosines: Mapping[str, float]
) -> tuple[str, ...]:
    """The sentences worth embedding, at most `MOST_LINES`, each cut to `LONGEST_LINE` characters, best first.

    Ranked by the coverage of the sentence and its passage, the passage's cosine, and whether the sentence is the
    first or holds a new candidate of the answer's type. Distinct; ties go to the earlier passage.
    """
    ranked: list[tuple[float, str]] = []
    for reading in readings:
        passage = 0.3 * reading.cover + clip_cosine(cosines.get(reading.passage_id, 0.0))
        for line in reading.lines:
            first = 0.1 if line.position == 0 else 0.0
            ranked.append((line.cover + passage + first, line.text[:LONGEST_LINE]))
    ranked.sort(key=lambda scored: -scored[0])
    several = [(score + _bonus(query_terms, text), text) for score, text in ranked[: 3 * MOST_LINES]]
    several.sort(key=lambda scored: -scored[0])
    return tuple(dict.fromkeys(text for _, text in several))[:MOST_LINES]


def _bonus(query_terms: QueryTerms, text: str) -> float:
    """The bonus for a sentence with a new candidate of the answer's type."""
    new = tells(query_terms.answer_type, text) and new_candidates(text, query_terms.answer_type, query_terms.text)
    return 0.2 if new else 0.0


# The fitted weights of the signals and the calibration of their sum.


@dataclass(frozen=True, slots=True)
class Model:
    """A weighted sum of signals and its calibration."""

    weights: Mapping[str, float]
    calibration: Logistic

    def sufficiency(self, signals: Mapping[str, float]) -> float:
        """The probability, 0 to 1, that evidence of these signals suffices; raises KeyError for one missing."""
        return self.calibration.probability(self.score(signals))

    def score(self, signals: Mapping[str, float]) -> float:
        """The weighted sum."""
        return sum(weight * signals[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class Weights:
    """One model for each way in which evidence comes.

    `searched` is for passages that a search chose: all of them hold the question's words, so coverage says little
    there and nearness much. `given` is for passages that came without a search. Both have another model where a
    reader read the passages, too. `words` is for all of them where only words can be compared.
    """

    searched: Model
    given: Model
    words: Model
    searched_read: Model
    given_read: Model


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """The shipped weights, made by benchmarks/judge/fit.py; their provenance stands in the file."""
    table = json.loads((files("assay.judging") / "weights.json").read_text(encoding="utf-8"))
    return Weights(**{part.name: _model(table[part.name]) for part in fields(Weights)})


def _model(table: Mapping[str, Mapping[str, float]]) -> Model:
    return Model(table["weights"], Logistic(**table["calibration"]))
