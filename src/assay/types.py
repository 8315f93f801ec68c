"""The nouns: frozen values without behaviour beyond small derived properties.

Offsets `start, end` count Unicode code points of a document's stored text, half open, everywhere.
Scores, sufficiency and support lie in 0 to 1; None means that nothing measured them.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Scalar = str | int | float | bool
Metadata = Mapping[str, Scalar]
_NOT_LINE_END = re.compile(r"[^\n]")


def plain(value: Any) -> Any:
    """The value as JSON types: dataclasses and mappings become dicts, tuples lists, enums their value.

    >>> plain((Span(0, 2), Action.ANSWER))
    [{'start': 0, 'end': 2}, 'ANSWER']
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, set | frozenset):  # the same order in every process
        return sorted((plain(each) for each in value), key=str)
    return value


class Value:
    """What every noun shares: it can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON types, nested values included."""
        result = plain(self)
        assert isinstance(result, dict)  # noqa: S101 - every Value is a dataclass
        return result


# --- documents ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span(Value):
    """A half-open range of code points, `0 <= start <= end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Location(Value):
    """Where in a document a stretch of text stands; pages, slides and rows count from 1."""

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    row: int | None = None
    section: str | None = None

    def __str__(self) -> str:
        """The location as a reader would say it.

        >>> str(Location(page=3, section="Rates"))
        'page 3, Rates'
        """
        parts = [f"page {self.page}" if self.page is not None else ""]
        parts.append(f"slide {self.slide}" if self.slide is not None else "")
        parts.append(f"sheet {self.sheet}" if self.sheet is not None else "")
        parts.append(f"row {self.row}" if self.row is not None else "")
        parts.append(self.section or "")
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Region(Value):
    """A stretch of a document's text that shares one location; regions are in order and do not overlap."""

    start: int
    end: int
    location: Location
    kind: Literal["text", "heading", "table"] = "text"


@dataclass(frozen=True, slots=True)
class Place(Value):
    """Where a location begins: from the offset `start` of the document's text on, up to the next place."""

    start: int
    location: Location


@dataclass(frozen=True, slots=True)
class Document(Value):
    """One document as stored: its normalised text and what is known of it.

    `source` is the path or address it came from, `bytes_sha256` the hash of the bytes read there.
    """

    document_id: str
    text: str
    title: str
    source: str
    format: str
    bytes_sha256: str
    regions: tuple[Region, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def revision(self) -> str:
        """The SHA-256 of the stored text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Loaded(Value):
    """What a loader read out of a file's bytes; `text` is not normalised yet, regions refer to it as it is."""

    text: str
    format: str
    title: str = ""
    regions: tuple[Region, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRecord(Value):
    """One row of a collection's list of documents; `passages` counts them."""

    document_id: str
    source: str
    title: str
    format: str
    revision: str
    bytes_sha256: str
    passages: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport(Value):
    """What became of one file: `reason` says why it was skipped or failed, or what was repaired.

    A file of many documents (JSON lines) has no `document_id`; `pruned` is a document whose file vanished.
    """

    path: str
    status: Literal["added", "unchanged", "skipped", "failed", "pruned"]
    reason: str | None = None
    passages: int = 0
    document_id: str | None = None


@dataclass(frozen=True, slots=True)
class Origin(Value):
    """Where a passage comes from: the collection, or outside of it.

    `link` is the address of an outside page, `fetched` when it was read (Unix seconds), `date` when it was
    written (ISO 8601, as far as it is known). `trust` is own for the collection's documents, named for places
    that the user allowed by name, open for any other.
    """

    kind: Literal["collection", "web", "mcp"] = "collection"
    link: str | None = None
    fetched: float | None = None
    date: str | None = None
    trust: Literal["own", "named", "open"] = "own"


@dataclass(frozen=True, slots=True)
class Passage(Value):
    """A stretch of one revision of a document; `text` is the stored text from `start` to `end`.

    `location` is that of the whole; `places`, in order and the first at or before `start`, are set where the
    location changes within. `source` is the path or address of the document. `line` counts from 1 and is the line
    of the stored text that holds `start`, None where the format has no lines of its own. `header` names the
    columns of a table whose rows the passage begins with and whose first row stands in an earlier passage.
    """

    passage_id: str
    document_id: str
    revision: str
    start: int
    end: int
    text: str
    title: str = ""
    location: Location = Location()
    metadata: Metadata = field(default_factory=dict)
    origin: Origin = Origin()
    source: str = ""
    line: int | None = None
    places: tuple[Place, ...] = ()
    header: str = ""

    @property
    def searched(self) -> str:
        r"""What is embedded and searched by words: the text, under the header of its table.

        >>> Passage("p", "d", "r", 0, 7, "Bob | 9", header="Name | Days").searched
        'Name | Days\nBob | 9'
        """
        return f"{self.header}\n{self.text}" if self.header else self.text

    def location_at(self, offset: int) -> Location:
        """The location of an offset in the document's text; the passage's own where no places are known.

        >>> places = (Place(0, Location(page=1)), Place(12, Location(page=2)))
        >>> passage = Passage("p", "d", "r", 5, 20, "It rained. Snow", places=places)
        >>> passage.location_at(11).page, passage.location_at(16).page
        (1, 2)
        """
        after = bisect_right(self.places, offset, key=lambda place: place.start)
        return self.places[after - 1].location if after else self.location

    def line_at(self, offset: int) -> int | None:
        r"""The line, counted from 1, of an offset in the document's text; None where lines are unknown.

        >>> Passage("p", "d", "r", 40, 51, "Rain.\nSnow.", line=3).line_at(46)
        4
        """
        return None if self.line is None else self.line + self.text.count("\n", 0, max(0, offset - self.start))

    def span_of(self, start: int, end: int) -> SourceSpan:
        """The quote `text[start:end]` with its place in the document.

        >>> Passage("p", "d", "r", 100, 109, "It rained").span_of(3, 9)
        SourceSpan(passage_id='p', start=103, end=109, quote='rained')
        """
        at = self.start + start
        return SourceSpan(
            self.passage_id, at, self.start + end, self.text[start:end], self.location_at(at), self.line_at(at)
        )

    @staticmethod
    def id_for(document_id: str, revision: str, start: int, end: int) -> str:
        """The passage's id: 32 hex digits of a SHA-256 over what identifies it.

        >>> len(Passage.id_for("a.md", "0" * 64, 0, 10))
        32
        """
        key = f"{document_id}\0{revision}\0{start}\0{end}"
        return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class EmbeddingModel(Value):
    """Which model made a vector: another id, dimension or hash means that vectors cannot be compared.

    `languages` are ISO 639-1 codes; text in another script is searched by words only. `query_prefix` is what the
    model wants before a question, and before nothing else.
    """

    id: str
    dimension: int
    sha256: str
    languages: tuple[str, ...] = ("en",)
    query_prefix: str = ""

    def as_question(self, text: str) -> str:
        """What is embedded of a question.

        >>> EmbeddingModel("e5", 384, "", query_prefix="query: ").as_question("When?")
        'query: When?'
        """
        return self.query_prefix + text


# --- reading -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReaderModel(Value):
    """Which reader made a reading; `languages` are ISO 639-1 codes of the texts that it reads."""

    id: str
    sha256: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TitledText(Value):
    """A text to be read, and the title and headings it stands under."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSpan(Value):
    """Where an answer may stand: offsets in the text; `score` is its log odds against there being none."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class PassageReading(Value):
    """What a reader makes of one text.

    `answerable` is the log odds that the text answers the question, `spans` are the likeliest places of the answer,
    best first; `yes` and `no` are probabilities, the rest is neither, and mean something for yes/no questions only.
    """

    answerable: float
    spans: tuple[AnswerSpan, ...]
    yes: float
    no: float


@dataclass(frozen=True, slots=True)
class AnswerReading(Value):
    """What a reader makes of a finished answer.

    `odds` are the log odds that its text answers the question; `held` is the share of the question's words, by
    rarity, that the text and the titles and headings of its sources hold, and `rarest` that of its two rarest.
    `apart` are the log odds that what was quoted shows the answer rather than the other places found, the least of
    all parts of the question; None where nothing was weighed.
    """

    odds: float
    held: float
    rarest: float
    apart: float | None = None


# --- language models ---------------------------------------------------------------------------

# Who asks a language model: each role may have a model of its own.
Role = Literal["condenser", "judge", "writer", "verifier", "repairer"]
# How hard a model thinks before it replies.
Effort = Literal["low", "medium", "high"]
# How a reply ended. Only "stop" is a whole reply; "length" is one that was cut off at its limit, "thinking" one
# whose limit was used up before its first word, "incomplete" a stream without an ending.
Finish = Literal["stop", "length", "thinking", "empty", "refused", "blocked", "tool", "incomplete", "other"]


@dataclass(frozen=True, slots=True)
class PromptMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest(Value):
    """What a role asks of a language model.

    `schema` is the pydantic model that the reply must satisfy as JSON, None for prose; `given` is what its
    validators may look up as their context, such as the ids that the prompt named. `max_tokens` bounds the
    reply, and a model that thinks first may think with `thinking_tokens` tokens besides. `temperature` lies in 0 to
    2; with `temperature_set` a user asked for it, and a model that takes none refuses instead of using its own.
    `effort` None leaves it to the model how hard it thinks.
    """

    role: Role
    messages: tuple[PromptMessage, ...]
    schema: type[BaseModel] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int = 1024
    temperature: float = 0.1
    temperature_set: bool = False
    effort: Effort | None = None
    thinking_tokens: int = 0

    @property
    def reply_schema(self) -> dict[str, Any] | None:
        """The JSON schema of the reply, None for prose."""
        return None if self.schema is None else self.schema.model_json_schema()


@dataclass(frozen=True, slots=True)
class Usage(Value):
    """What a question or a call cost. None means that the provider did not say; it never means zero.

    `cached_tokens` are the part of `prompt_tokens` that the provider had cached; `cost` is in US dollars.

    >>> (Usage(prompt_tokens=5, calls=1) + Usage(prompt_tokens=None, calls=1)).to_dict()["prompt_tokens"] is None
    True
    """

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    total_tokens: int | None = 0
    cached_tokens: int | None = 0
    calls: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Both together; what is unknown in one is unknown in the sum."""
        return Usage(
            prompt_tokens=_sum(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=_sum(self.completion_tokens, other.completion_tokens),
            total_tokens=_sum(self.total_tokens, other.total_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            calls=self.calls + other.calls,
            cost=_sum(self.cost, other.cost),
        )


_Number = TypeVar("_Number", int, float)


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    """The sum, None where a part is unknown."""
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True)
class ModelReply(Value):
    """What a language model answered; `model` is the name that the provider gave.

    `parsed` is the reply as the request's schema, None for prose.
    """

    text: str
    finish: Finish
    usage: Usage
    model: str
    parsed: BaseModel | None = None


# --- search ------------------------------------------------------------------------------------


class SearchMode(StrEnum):
    """How a search runs: by words and by vector, or by one of the two."""

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
    """What one search of an index returned: a passage's id and its raw score, higher is better."""

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
    """How a search was run, recorded with its result.

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


# --- the question ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message(Value):
    """One turn of a dialogue."""

    role: Literal["user", "assistant"]
    text: str


class QuestionKind(StrEnum):
    """What sort of answer a question wants."""

    FACTUAL = "factual"
    INTERPRETIVE = "interpretive"
    COMPARATIVE = "comparative"
    FOLLOW_UP = "follow-up"
    HOW_TO = "how-to"
    YES_NO = "yes-no"


class AnswerType(StrEnum):
    """What the words of the answer must hold."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    REASON = "reason"
    PROCEDURE = "procedure"
    DEFINITION = "definition"
    YES_NO = "yes-no"
    LIST = "list"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Correction(Value):
    """A word of the question that the collection does not have, and the word of the collection searched instead."""

    written: str
    searched: str


@dataclass(frozen=True, slots=True)
class Question(Value):
    """A question as understood: `standalone` is what is searched, `text` what the user asked.

    `aspects` are the parts that an answer must cover, in words of the question; `detail` is 1 (a phrase) to
    10 (a chapter). `unclear` says what keeps it from being understood, None where nothing does. `notes` say
    what of the understanding could not be done, or was not taken. `corrections` are the words that `standalone` has
    in another spelling than the user's.
    """

    text: str
    standalone: str
    history: tuple[Message, ...] = ()
    aspects: tuple[str, ...] = ()
    kind: QuestionKind = QuestionKind.FACTUAL
    answer_type: AnswerType = AnswerType.OTHER
    language: str = "en"
    expertise: Literal["beginner", "general", "expert"] = "general"
    detail: int = 3
    unclear: str | None = None
    notes: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()


# --- the judgement -----------------------------------------------------------------------------


class Action(StrEnum):
    """What to do with a question, given its evidence."""

    ANSWER = "ANSWER"
    REFINE = "REFINE"
    EXTERNAL = "EXTERNAL"
    CLARIFY = "CLARIFY"
    ABSTAIN = "ABSTAIN"


class Triage(StrEnum):
    """Corrective RAG's three cases (Yan et al. 2024, arXiv 2401.15884, section 4.2)."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


AspectState = Literal["covered", "partial", "missing", "conflicting"]
Quality = Literal["excellent", "good", "partial", "poor", "unknown"]


@dataclass(frozen=True, slots=True)
class Aspect(Value):
    """A part of the question, and the passages that bear on it."""

    text: str
    state: AspectState
    passage_ids: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Judgement(Value):
    """Whether the evidence suffices, and what is missing.

    `sufficiency` is None, and `quality` unknown, where nothing could be measured. `relevance` maps passage
    ids to 0-1. `signals` are the measured numbers behind the sufficiency. `mode_used` says what ran; `checks`
    what of the asked depth could not run. `ms` is how long it took, None where nobody measured.
    `contradictions` are where the passages disagree on what is asked. `ambiguity`, 0 to 1, is how likely the
    question must be asked back before it can be answered; None where nobody measured. `shadow` is what a second
    judge said of the same evidence; it changes nothing.
    """

    sufficiency: float | None
    recommendation: Action
    reason: str
    quality: Quality = "unknown"
    triage: Triage | None = None
    coverage: float | None = None
    relevance: Mapping[str, float] = field(default_factory=dict)
    aspects: tuple[Aspect, ...] = ()
    missing: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    mode_used: str = ""
    calibrated: bool = False
    checks: tuple[Check, ...] = ()
    ms: float | None = None
    contradictions: tuple[Contradiction, ...] = ()
    ambiguity: float | None = None
    shadow: Judgement | None = None


@dataclass(frozen=True, slots=True)
class Step(Value):
    """One turn of the search loop: what was decided, on which queries and passages."""

    action: Action
    queries: tuple[str, ...]
    passage_ids: frozenset[str]
    sufficiency: float | None


@dataclass(frozen=True, slots=True)
class Gathered(Value):
    """What the search loop ends with: the action that ended it, and all that it found."""

    action: Action
    evidence: Evidence
    judgement: Judgement
    path: tuple[Step, ...]


# --- the draft and its claims ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quote(Value):
    """Words of an answer that are quoted: `text` as it stands in the answer, and where it is from.

    The source's words may have marks of its format that the text lacks.
    """

    text: str
    source: SourceSpan


@dataclass(frozen=True, slots=True)
class Sentence(Value):
    """One sentence of a draft, without citation marks; `passage_ids` are the passages it cites.

    `unknown_marks` are the citations, as written, that name none of the passages given. A `hedged` sentence is
    shown with ⚠ behind it: it could not be borne out. `quotes` are set where a writer quotes: all that the sentence
    claims is in them. `apart` are the log odds that this quote, the likeliest, shows the answer rather than the
    other places found; None where the writer weighed nothing.
    """

    number: int
    text: str
    passage_ids: tuple[str, ...] = ()
    unknown_marks: tuple[str, ...] = ()
    hedged: bool = False
    quotes: tuple[Quote, ...] = ()
    apart: float | None = None


@dataclass(frozen=True, slots=True)
class Finished(Value):
    """The end of a draft: why the writer stopped. Only "stop" ends a whole draft.

    `notes` are what the reader should know of how it was written, such as passages that did not fit.
    """

    reason: Finish
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft(Value):
    """An answer as written: its text with `[n]` marks, and the passages those numbers stand for.

    Number n is `sources[n - 1]`. `spans` are the places of the sentences as they were written, each with its
    marks; none where the text came from elsewhere. `quotes` are those of each sentence.
    """

    text: str
    sources: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    quotes: tuple[tuple[Quote, ...], ...] = ()


class Verdict(StrEnum):
    """What the evidence says of a claim."""

    SUPPORTED = "supported"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class SourceSpan(Value):
    """A quote, identical to the stored text of its document from `start` to `end`.

    `location` and `line` say where `start` stands; they follow from it and make no two spans different.
    """

    passage_id: str
    start: int
    end: int
    quote: str
    location: Location = field(default=Location(), compare=False, repr=False)
    line: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ClaimEvent(Value):
    """One step in a claim's life: proposed, a verdict, or what a repair made of it."""

    state: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Claim(Value):
    """One claim of an answer; `start, end` are offsets in the answer's text, `citations` passage ids."""

    n: int
    text: str
    start: int
    end: int
    citations: tuple[str, ...]
    verdict: Verdict
    support: float | None
    spans: tuple[SourceSpan, ...] = ()
    history: tuple[ClaimEvent, ...] = ()


class Status(StrEnum):
    """How a check ended. Unknown means that it could not be made, skipped that it was switched off."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


class Severity(StrEnum):
    """What a failed check means: the answer may not be shown as verified, should be repaired, or is noted."""

    BLOCK = "block"
    REPAIR = "repair"
    WARN = "warn"


class FindingKind(StrEnum):
    """What is wrong, where a check can tell: a repair goes by it."""

    CONTRADICTED = "contradicted"
    UNSUPPORTED_ADDITION = "unsupported-addition"
    WRONG_NUMBER = "wrong-number"
    WRONG_DATE = "wrong-date"
    WRONG_NAME = "wrong-name"
    NEGATION = "negation"
    FABRICATED_REFERENCE = "fabricated-reference"
    WRONG_PASSAGE = "wrong-passage"
    DECORATIVE_CITATION = "decorative-citation"


# Checks of values, for which a source may have another.
VALUE_CHECKS = frozenset({"numbers", "dates", "names"})


@dataclass(frozen=True, slots=True)
class Check(Value):
    """One test's result, with the two spans it compared; `claim` is the claim's n, None for the whole answer.

    `cause` is set whenever the status is not passed. `expected` is what the source has in place of what stands at
    `answer_span`, in its own words; None where it has nothing for it.
    """

    name: str
    status: Status
    severity: Severity
    claim: int | None = None
    cause: str | None = None
    answer_span: Span | None = None
    source_span: SourceSpan | None = None
    kind: FindingKind | None = None
    expected: str | None = None


@dataclass(frozen=True, slots=True)
class Finding(Value):
    """A check that did not pass, with advice on how to mend it."""

    check: str
    claim: int | None
    severity: Severity
    message: str
    advice: str
    kind: FindingKind | None = None


class CitationStyle(StrEnum):
    """How an answer's text names its sources."""

    NUMBERED = "numbered"
    NAMED = "named"
    FOOTNOTE = "footnote"
    AUTHOR_PAGE = "author-page"


@dataclass(frozen=True, slots=True)
class Citation(Value):
    """One mark in an answer's text and the source numbers it stands for."""

    start: int
    end: int
    numbers: tuple[int, ...]


# A text's verdict is that of its worst claim.
_WORST_FIRST = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)


@dataclass(frozen=True, slots=True)
class Review(Value):
    """What testing a draft gave."""

    claims: tuple[Claim, ...]
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    citations: tuple[Citation, ...] = ()
    invalid_citations: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the worst claim; unknown without claims."""
        found = {claim.verdict for claim in self.claims}
        return next((each for each in _WORST_FIRST if each in found), Verdict.UNKNOWN)

    def with_checks(self, checks: tuple[Check, ...], findings: tuple[Finding, ...]) -> Review:
        """The review with further checks of the whole text, and what they found."""
        return replace(self, checks=self.checks + checks, findings=self.findings + findings)

    def followed_by(self, later: Review) -> Review:
        """Both reviews of one text together; the claims of the later one are numbered on."""
        first = len(self.claims)
        return Review(
            self.claims + tuple(replace(each, n=each.n + first) for each in later.claims),
            self.checks + tuple(replace(each, claim=_later(each.claim, first)) for each in later.checks),
            self.findings + tuple(replace(each, claim=_later(each.claim, first)) for each in later.findings),
            self.citations + later.citations,
            self.invalid_citations + later.invalid_citations,
        )


def _later(claim: int | None, first: int) -> int | None:
    """A claim's number after `first` others; None, the whole answer, stays."""
    return None if claim is None else claim + first


# --- the assessment ----------------------------------------------------------------------------


# Who gave a score that no model gave.
BY_RULES = "rules"


class Criterion(StrEnum):
    """What an answer as a whole is assessed for."""

    ACCURACY = "accuracy"
    COMPLETENESS = "completeness"
    COHERENCE = "coherence"
    RELEVANCE = "relevance"
    CITATION_QUALITY = "citation_quality"
    USER_ALIGNMENT = "user_alignment"


@dataclass(frozen=True, slots=True)
class CriterionScore(Value):
    """How far an answer meets one criterion; None where that is not known, and `reasons` then say why.

    `quotes` stand in the answer word for word, `suggestions` say what would raise the score. `by` names the rules
    or the model that judged.
    """

    criterion: Criterion
    score: float | None
    reasons: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Assessment(Value):
    """How good an answer is as a whole, by the criteria that were chosen, each once.

    `overall`, 0 to 1, is computed from the scores, never judged; it and `passed` are None where a chosen criterion
    is unknown. `rubric` is the SHA-256, in hex, of the rubrics judged by. `weakest` is the criterion of the lowest
    score, None where all are met in full or none is known. `bar` is the overall score that was asked for, `floor`
    what was asked in each criterion.
    """

    scores: tuple[CriterionScore, ...]
    overall: float | None
    passed: bool | None
    rubric: str
    weakest: Criterion | None = None
    bar: float | None = None
    floor: float | None = None

    @property
    def judged(self) -> bool:
        """Whether a model judged, rather than rules alone: their estimates are advice, not a verdict."""
        return any(each.by != BY_RULES for each in self.scores)


# --- the answer --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits(Value):
    """What one question may use: search rounds, repairs, model calls, seconds, tokens, US dollars.

    `tokens` and `cost` None are without limit.
    """

    rounds: int = 1
    repairs: int = 2
    calls: int = 1
    seconds: float = 10.0
    tokens: int | None = None
    cost: float | None = None


class Outcome(StrEnum):
    """How a question ended; failures are errors instead."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    CLARIFY = "clarify"
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class Source(Value):
    """A cited passage under its number in this answer; `quote` is the stored text, `sha256` its hash.

    `location` and `line` are those of the first words that the answer's claims quote from it, else its beginning.
    `path` is the file or address of the document, `origin` says where it comes from and when it was written.
    """

    number: int
    passage_id: str
    document_id: str
    title: str
    location: Location
    start: int
    end: int
    quote: str
    sha256: str
    origin: Origin = Origin()
    path: str = ""
    line: int | None = None


Level = Literal["very_low", "low", "medium", "high", "very_high"]


@dataclass(frozen=True, slots=True)
class Confidence(Value):
    """How far to trust an answer: `score`, 0 to 1, and `level` are the rules' own.

    `value` is the probability that the answer is right, None where no calibration applies; then `cause` says why.
    `ece`, `brier` and `n` are the calibration's measured error (debiased ECE, Brier score) and on how many answers;
    `elsewhere` is its debiased ECE on sets that it saw nothing of, None where that was not measured. `answers` says
    whether the answer answers the question, by what a reader makes of it, the `reading`; both are None where no
    reader read it. `level` follows `value` where there is one.
    """

    value: float | None
    score: float
    level: Level
    calibrated: bool = False
    ece: float | None = None
    brier: float | None = None
    n: int | None = None
    elsewhere: float | None = None
    cause: str = ""
    answers: Literal["yes", "unsure", "no"] | None = None
    reading: AnswerReading | None = None


class RepairKind(StrEnum):
    """How an answer is mended, smallest first; as a claim's state it says what was done to it.

    Re-citing points a citation elsewhere, correcting puts the source's own value in the place of a wrong one,
    fetching searches evidence for the claim, rewriting asks a model for the sentence, hedging marks it with ⚠.
    Editing changes the style alone; regenerating writes the whole answer again.
    """

    RE_CITE = "re-cited"
    CORRECT = "corrected"
    FETCH = "fetched"
    REWRITE = "rewritten"
    HEDGE = "hedged"
    DROP = "dropped"
    EDIT = "edited"
    REGENERATE = "regenerated"


@dataclass(frozen=True, slots=True)
class Repair(Value):
    """One change that was kept; `before` and `after` are the text with its marks, empty where there is none."""

    kind: RepairKind
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Candidate(Value):
    """A sentence as a repair would have it, None to drop it, on this evidence; `reason` says what was changed.

    `by` names who mended it: rules, the search, or a model. It is `weighed` where it was found the likeliest of all
    that the sources offer, the sentence as it was among them: it need not be borne out to be better.
    """

    sentence: Sentence | None
    evidence: Evidence
    reason: str
    by: str
    weighed: bool = False


@dataclass(frozen=True, slots=True)
class Edit(Value):
    """A change of the answer's text from `start` to `end`; `reason` names the rule and what it wants."""

    start: int
    end: int
    replacement: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fixed(Value):
    """A draft from anywhere after its repair; `dropped` are the claims of what was taken out.

    `warnings` say what could not be done, such as a model that failed.
    """

    before: str
    text: str
    repairs: tuple[Repair, ...]
    dropped: tuple[Claim, ...]
    verdict: Verdict
    review: Review
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelsUsed(Value):
    """Which implementation did each part."""

    writer: str
    judge: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Answer(Value):
    """The one result that the library, the command line and every other surface show."""

    schema: ClassVar[str] = "assay/1"

    run_id: str
    question: str
    outcome: Outcome
    text: str
    verdict: Verdict
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    invalid_citations: tuple[str, ...]
    judgement: Judgement
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    drafts: int
    iterations: int
    confidence: Confidence
    warnings: tuple[str, ...]
    models: ModelsUsed
    usage: Usage
    profile: str
    mode_used: str
    ms: float
    first_verified_ms: float | None = None
    profile_reason: str = ""
    dropped: tuple[Claim, ...] = ()
    assessment: Assessment | None = None
    trace: tuple[Event, ...] = ()

    def validate(self) -> bool:
        """True when no blocking check failed or is unknown: the answer may be shown as verified."""
        return not any(
            check.severity is Severity.BLOCK and check.status in (Status.FAILED, Status.UNKNOWN)
            for check in self.checks
        )

    @property
    def answers_question(self) -> Literal["yes", "unsure", "no"] | None:
        """Whether the answer answers the question; None where no reader read it."""
        return self.confidence.answers

    def to_dict(self) -> dict[str, Any]:
        """The answer object, `schema` first; the trace stays with the run record."""
        body = plain(self)
        body.pop("trace")
        return {"schema": self.schema, **body, "answers_question": self.answers_question}


# --- events ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Value):
    """Something that happened while a question was answered; `seq` counts from 1, `at` is Unix seconds.

    Both are stamped by the run that emits the event.
    """

    kind: ClassVar[str] = ""
    seq: int = 0
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class StatusChanged(Event):
    """The run entered a stage."""

    kind: ClassVar[str] = "status"
    stage: str


@dataclass(frozen=True, slots=True)
class EvidenceFound(Event):
    """A search returned."""

    kind: ClassVar[str] = "evidence"
    queries: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Judged(Event):
    """The evidence was judged."""

    kind: ClassVar[str] = "judged"
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Acted(Event):
    """The policy chose an action."""

    kind: ClassVar[str] = "acted"
    step: Step
    reason: str


@dataclass(frozen=True, slots=True)
class SentenceProvisional(Event):
    """The writer wrote a sentence; it is not tested yet."""

    kind: ClassVar[str] = "sentence.provisional"
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class SentenceRevised(Event):
    """A sentence was mended; it is verified or withdrawn next. `before` is its text with its marks as it was."""

    kind: ClassVar[str] = "sentence.revised"
    sentence: Sentence
    before: str
    reason: str


@dataclass(frozen=True, slots=True)
class SentenceVerified(Event):
    """A sentence passed; it is never touched again.

    `claims` counts what was tested in it: 0 for a heading or a question, which states nothing that could be.
    """

    kind: ClassVar[str] = "sentence.verified"
    sentence: Sentence
    claims: int = 0


@dataclass(frozen=True, slots=True)
class SentenceWithdrawn(Event):
    """A sentence did not pass: the answer goes without it, or shows it marked where it is `hedged`."""

    kind: ClassVar[str] = "sentence.withdrawn"
    sentence: Sentence
    reason: str


@dataclass(frozen=True, slots=True)
class FindingMade(Event):
    """A check did not pass."""

    kind: ClassVar[str] = "finding"
    finding: Finding


@dataclass(frozen=True, slots=True)
class Done(Event):
    """The run ended with an answer or an honest refusal."""

    kind: ClassVar[str] = "done"
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """The run ended with an error."""

    kind: ClassVar[str] = "error"
    error: str
    message: str
    hint: str
