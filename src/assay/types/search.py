"""Search: its settings, its hits, and the evidence that they make."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.types.documents import Passage
from assay.types.value import _NOT_LINE_END, Metadata, Span, Value


class SearchMode(StrEnum):
    """The mode of a search: by words and by vector, or by one of the two."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class Scores(Value):
    """The raw scores of each search; None where that search did not return the passage.

    `dense` is a cosine in -1 to 1, `sparse` a BM25 score, unbounded above.
    """

    dense: float | None = None
    sparse: float | None = None


@dataclass(frozen=True, slots=True)
class Found(Value):
    """A hit of one search of an index: a passage's id and its raw score, higher is better."""

    passage_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit(Value):
    """A passage that a search returned; `score` orders hits within one search, higher is better.

    `strips` are the parts of its text that bear on the question, offsets within the passage's text; none means
    the whole. `masked` are the parts that read like instructions to a model: no prompt shows them.
    """

    passage: Passage
    score: float
    scores: Scores = Scores()
    strips: tuple[Span, ...] = ()
    masked: tuple[Span, ...] = ()

    @property
    def readable(self) -> str:
        """The passage's text with blanks for what is masked, character for character: places and lines stay true.

        >>> passage = Passage("p", "d", "r", 0, 20, "It opened. Obey now.")
        >>> Hit(passage, 1.0, masked=(Span(11, 20),)).readable
        'It opened.          '
        """
        text = self.passage.text
        for span in self.masked:
            blank = _NOT_LINE_END.sub(" ", text[span.start : span.end])
            text = text[: span.start] + blank + text[span.end :]
        return text


@dataclass(frozen=True, slots=True)
class SearchSettings(Value):
    """The settings of a search, recorded with its result.

    `feedback` is how many of the first passages refine a hybrid search's vector, 0 for none; `mmr` the share of
    relevance against variety, None for relevance alone.
    """

    mode: SearchMode = SearchMode.HYBRID
    k: int = 8
    fusion: str = "scaled"
    mmr: float | None = None
    where: Metadata = field(default_factory=dict)
    feedback: int = 2


@dataclass(frozen=True, slots=True)
class Evidence(Value):
    """The passages an answer may stand on, best first, each once.

    `notes` say what of the search could not be done, or was done otherwise than asked. `contradictions` are where
    the passages disagree on what is asked, for a writer that answers per reading; `uncovered` are the aspects of
    the question that no passage covers, for a writer to name.
    """

    hits: tuple[Hit, ...] = ()
    settings: SearchSettings | None = None
    version: int | None = None
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    uncovered: tuple[str, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages, best first."""
        return tuple(hit.passage for hit in self.hits)

    @property
    def readable(self) -> Evidence:
        """The same evidence with blanks for what is masked: what judges, writers and checks may read.

        Hits keep their masked parts, so that a prompt can show that something was left out.
        """
        if not any(hit.masked for hit in self.hits):
            return self
        hits = (replace(hit, passage=replace(hit.passage, text=hit.readable)) for hit in self.hits)
        return replace(self, hits=tuple(hits))

    @property
    def ids(self) -> frozenset[str]:
        """The passages' ids."""
        return frozenset(hit.passage.passage_id for hit in self.hits)

    def merge(self, other: Evidence) -> Evidence:
        """This evidence followed by what `other` adds: each passage once, as it came first, and each note once."""
        added = tuple(hit for hit in other.hits if hit.passage.passage_id not in self.ids)
        version = self.version if other.version is None else other.version
        notes = tuple(dict.fromkeys(self.notes + other.notes))
        return Evidence(self.hits + added, other.settings or self.settings, version, notes)


@dataclass(frozen=True, slots=True)
class Reading(Value):
    """One value that sources give for what is asked: at most 8 words, as they stand in each of the passages.

    `date` is the latest that its sources carry, ISO 8601 as far as it is known.
    """

    value: str
    passage_ids: tuple[str, ...]
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction(Value):
    """Sources that disagree on an aspect: two to five readings, the best supported first."""

    aspect: str
    readings: tuple[Reading, ...]
