"""The sentences of a passage beside what is asked: how much of the thing and of the attribute each tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from assay.judge.contradictions_asked import Asked
from assay.text.dates import dates
from assay.text.sentences import sentences
from assay.text.tokens import stem_spans

# A sentence still speaks of the thing that the one before it named, by this much.
CARRIED = 0.8


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence, at `start` of its passage.

    `cues` are the places in `text` of the words that tell the attribute; `thing` and `attribute` the shares, 0 to
    1, of the thing and of the attribute that it tells; `held` its stems.
    """

    text: str
    start: int
    position: int
    cues: tuple[tuple[int, int], ...]
    thing: float
    attribute: float
    held: frozenset[str]

    def near(self, start: int, end: int, reach: int) -> float:
        """How near a cue stands to a stretch: right before it 1, right behind it .75, at `reach` half; 0 beyond."""
        best = 0.0
        for cue_start, cue_end in self.cues:
            if 0 <= start - cue_end <= reach:
                best = max(best, 1 - 0.5 * (start - cue_end) / reach)
            elif 0 <= cue_start - end <= reach:
                best = max(best, 0.75 - 0.35 * (cue_start - end) / reach)
        return best


def thing_in(asked: Asked, held: Iterable[str]) -> float:
    """The share of the thing's words, by rarity, among the terms held."""
    found = frozenset(held)
    told = fsum(weight for term, weight in asked.thing.items() if term in found)
    return told / fsum(asked.thing.values())


def of_another_year(asked: Asked, line: Line) -> bool:
    """Whether the question names a year, and the sentence only others."""
    wanted = {term for term in asked.thing if len(term) == 4 and term.isdigit()}
    told = {str(date.year) for date in dates(line.text) if date.year is not None}
    return bool(wanted) and bool(told) and wanted.isdisjoint(told)


def lines_of(asked: Asked, text: str) -> list[Line]:
    """The sentences of the text in order."""
    wanted = frozenset().union(*asked.attribute.values())
    found: list[Line] = []
    for position, span in enumerate(sentences(text)):
        stretch = text[span.start : span.end]
        places = stem_spans(stretch)
        held = frozenset(term for _, _, term in places)
        carried = CARRIED * found[-1].thing if found else 0.0
        told = sum(not same.isdisjoint(held) for same in asked.attribute.values())
        found.append(
            Line(
                text=stretch,
                start=span.start,
                position=position,
                cues=tuple((start, end) for start, end, term in places if term in wanted),
                thing=max(thing_in(asked, held), carried),
                attribute=told / (len(asked.attribute) or 1),
                held=held,
            )
        )
    return found
