"""A passage as the judge reads it: its terms, its sentences, and how much of a question each of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum

from assay.judge.probe import Probe
from assay.nlp.blocks import without_markup
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Passage

# Of a longer passage the first characters are read: 40 sentences say what it is about, and time stays bounded.
LONGEST = 8000


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a passage; `held` are the question's terms in it, `cover` their share by rarity, 0 to 1."""

    text: str
    position: int
    held: frozenset[str]
    cover: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage read for one question.

    `order` are its terms in order, title included; `held` the question's terms among them; `cover` their share.
    """

    passage_id: str
    order: tuple[str, ...]
    held: frozenset[str]
    cover: float
    lines: tuple[Line, ...]


def read(passage: Passage, probe: Probe) -> Reading:
    """The passage read for the question. Title and table header count for the passage, not for its sentences."""
    text = passage.text[:LONGEST]
    lines = []
    for position, stretch in enumerate(_stated(text)):
        lines.append((stretch, position, tuple(terms(stretch))))
    order = (*terms(passage.title), *terms(passage.header), *(term for _, _, found in lines for term in found))
    held = probe.weights.keys() & set(order)
    return Reading(
        passage_id=passage.passage_id,
        order=order,
        held=frozenset(held),
        cover=cover(held, probe),
        lines=tuple(_line(stretch, position, found, probe) for stretch, position, found in lines),
    )


def _stated(text: str) -> Iterator[str]:
    """The sentences of a text without markup; one that is nothing else, such as templating, is left out."""
    prose = without_markup(text)
    for span in sentences(text):
        stretch = prose[span.start : span.end].strip()
        if stretch:
            yield stretch


def _line(stretch: str, position: int, found: tuple[str, ...], probe: Probe) -> Line:
    held = frozenset(probe.weights.keys() & set(found))
    return Line(stretch, position, held, cover(held, probe))


def cover(held: Iterable[str], probe: Probe) -> float:
    """The share of the question's terms, by rarity, that are held; 0 to 1, and 0 for a question without terms."""
    # Exact sums: the order of a set differs from run to run, and the last digit of a plain sum with it.
    total = fsum(probe.weights.values())
    return fsum(probe.weights[term] for term in held) / total if total else 0.0
