"""The verbs: one small protocol per stage, and `Stages`, which holds one implementation of each.

A stage takes values and returns values. It never sees the run that it works for: its ports (embedder, index,
language model) know the budget, the deadline and the tape.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assay.core.answer_cache import AnswerCache
from assay.types import (
    Action,
    AnswerReading,
    Assessment,
    Candidate,
    Check,
    Confidence,
    Correction,
    Document,
    DocumentRecord,
    Draft,
    Edit,
    EmbeddingModel,
    Event,
    Evidence,
    FileReport,
    Finding,
    Finished,
    Found,
    FoundRow,
    Gathered,
    Hit,
    Judgement,
    Loaded,
    Message,
    Metadata,
    ModelReply,
    ModelRequest,
    ModelsUsed,
    Passage,
    PassageReading,
    Question,
    ReaderModel,
    Refusal,
    RepairKind,
    Review,
    Sentence,
    Step,
    TitledText,
    Triage,
    Usage,
    Value,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.calibration import ClaimPolicy

# The ports of stages; the run wraps them, so that they know the budget, the deadline and the tape.


class Clock(Protocol):
    """Tell the time."""

    def monotonic(self) -> float:
        """Seconds that only rise, for durations and deadlines."""
        ...

    def time(self) -> float:
        """Unix seconds, for dates."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        ...


class LLM(Protocol):
    """Ask a language model."""

    @property
    def name(self) -> str:
        """`provider:model`, as it is written in settings."""
        ...

    @property
    def host(self) -> str:
        """The host that prompts are sent to; empty if they do not leave this process."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply, however it ended. Raises ProviderError, BudgetSpent."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply's text piece by piece, then the reply with the whole text. Raises as `complete`."""
        ...

    async def aclose(self) -> None:
        """Release connections; calling it twice is harmless."""
        ...


class Embedder(Protocol):
    """Turn texts into vectors."""

    @property
    def model(self) -> EmbeddingModel:
        """The model that the vectors come from."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension)."""
        ...

    async def aclose(self) -> None:
        """Release threads and connections; calling it twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim and the text that it is read against."""

    claim: str
    evidence: str


@dataclass(frozen=True, slots=True)
class CheckerModel(Value):
    """The model that verdicts come from: another id or hash means that they cannot be compared.

    `languages` are ISO 639-1 codes of the texts that it reads. The `policy` says what its verdicts settle;
    without one they settle nothing.
    """

    id: str
    sha256: str
    languages: tuple[str, ...]
    policy: ClaimPolicy | None


class Checker(Protocol):
    """Say whether texts support claims or contradict them."""

    @property
    def model(self) -> CheckerModel:
        """The model that the verdicts come from."""
        ...

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Probabilities that the evidence supports, contradicts, and does neither, shape (pairs, 3).

        Those of a pair do not depend on what else is read with it.
        """
        ...


class Reader(Protocol):
    """Find the answers to a question in texts."""

    @property
    def model(self) -> ReaderModel:
        """The model that the readings come from."""
        ...

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, in order: whether it answers the question, and where, by itself."""
        ...


class RowFinder(Protocol):
    """Find the table row that a question asks about."""

    async def find(self, question: str, passages: Sequence[Passage]) -> FoundRow | None:
        """The likeliest row of all tables in the passages, with the odds that it answers; None without a table."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A document ready to be stored: its passages and one vector a passage, shape (passages, dimension)."""

    document: Document
    passages: tuple[Passage, ...]
    vectors: NDArray[np.float32]


class Index(Protocol):
    """Keep documents whole, and find their passages by words and by vector.

    `where` keeps the passages whose metadata equal every value given. Every change raises the version by
    one, and a change made by another process is seen by the next call.
    """

    @property
    def model(self) -> EmbeddingModel:
        """The model of the stored vectors."""
        ...

    async def add(self, entries: Sequence[Entry]) -> int:
        """Store the entries in one transaction, each replacing the document of its id; return the version."""
        ...

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; unknown ids are ignored; return the version."""
        ...

    async def documents(self) -> tuple[DocumentRecord, ...]:
        """All documents, ordered by source, then id."""
        ...

    async def document(self, document_id: str) -> Document | None:
        """The document as stored, or None."""
        ...

    async def passages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of those ids, in that order; missing ids are left out."""
        ...

    async def vectors(self, passage_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for a missing one."""
        ...

    async def dense(self, vector: NDArray[np.float32], k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest cosine to `vector` (shape (dimension,)), best first."""
        ...

    async def sparse(self, text: str, k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest BM25 score for the words of `text`, best first; no query syntax."""
        ...

    async def term_counts(self, terms: Sequence[str] | None = None) -> Mapping[str, int]:
        """The number of passages that have each term, titles included: of all terms, or of the given ones found."""
        ...

    async def holding(self, term: str, k: int) -> tuple[str, ...]:
        """The ids of the first k passages that hold a term in title or text, as stored."""
        ...

    async def size(self) -> int:
        """Number of passages."""
        ...

    async def version(self) -> int:
        """The collection's version: 0 when new, one more after each change."""
        ...

    async def close(self) -> None:
        """Release files and threads; calling it twice is harmless."""
        ...


class Sink(Protocol):
    """Receive what happens in runs: a record, a log, a trace. A sink that raises costs a warning only."""

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        ...

    def receive(self, run_id: str, event: Event) -> None:
        """Something happened in it; the last event is Done or Failed."""
        ...

    def close(self) -> None:
        """Release files; calling it twice is harmless."""
        ...


# The actions that search again; cheapest first.
SEARCHING = (Action.REFINE, Action.EXTERNAL)


@dataclass(frozen=True, slots=True)
class SearchUtility:
    """The utility of searching again, learned from recorded runs.

    `gains`, by action and triage, is how often a search turned insufficient evidence into a right answer, less how
    often it turned a right refusal into a wrong answer; `costs` are its seconds. `price` is how much gain a second
    must bring. From a sufficiency of `answer_threshold`, 0 to 1, on an answer is written without another search.
    Evidence that was searched for again must reach it too: the best of two searches looks better than it is.

    The shipped numbers are learned from recorded runs; see benchmarks/correct.
    """

    gains: Mapping[tuple[Action, Triage], float] = field(default_factory=dict)
    costs: Mapping[Action, float] = field(default_factory=dict)
    price: float = 0.0
    answer_threshold: float = 0.0

    def of(self, action: Action, triage: Triage | None, taken: int) -> float:
        """The expected gain less its price; the gain halves each time that the action was taken."""
        gain = self.gains.get((action, triage or Triage.INCORRECT), 0.0)
        return float(gain / 2**taken) - self.price * self.costs.get(action, 0.0)


Emit = Callable[[Event], None]


# --- taking documents in ------------------------------------------------------------------------


class Loader(Protocol):
    """Read the text out of one format's bytes."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text of `data`; `name` is a label for the title, never opened.

        Raises EmptyDocument, UnreadableDocument.
        """
        ...


class Splitter(Protocol):
    """Cut a document into passages."""

    def split(self, document: Document) -> tuple[Passage, ...]:
        """Passages in order whose texts, joined, are the document's text without its outer white space."""
        ...


class Ingester(Protocol):
    """Take files in, whole or not at all."""

    def add(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        """Store files, and those of folders and at addresses; one report a file, after it is stored for good."""
        ...

    def mirror(self, paths: Sequence[Path | str], *, dry_run: bool = False) -> AsyncIterator[FileReport]:
        """Make the collection hold these files as they are now; a dry run changes nothing."""
        ...


# --- answering ----------------------------------------------------------------------------------


class Understander(Protocol):
    """Work out what is asked."""

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question that `text` asks at the end of `history`."""
        ...


class Speller(Protocol):
    """Match words that a collection does not have to words that it has."""

    async def corrections(self, text: str) -> tuple[Correction, ...]:
        """The misspelt words of the text, each once, with what to search instead."""
        ...


class Retriever(Protocol):
    """Find passages that may answer."""

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The best passages for the queries together, best first."""
        ...


class Reranker(Protocol):
    """Put hits in a better order than the search could."""

    async def rerank(self, question: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The same hits with new scores, best first; their raw scores stay as they are."""
        ...


class Judge(Protocol):
    """Say whether the evidence suffices to answer, and what is missing."""

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of this evidence for this question."""
        ...


class Refiner(Protocol):
    """Write the next queries if the evidence does not suffice."""

    async def refine(
        self, question: Question, evidence: Evidence, judgement: Judgement, path: tuple[Step, ...]
    ) -> tuple[str, ...]:
        """Queries that were not asked on the path yet, likeliest first; empty if nothing is left to ask."""
        ...

    async def outside(self, question: Question, judgement: Judgement) -> tuple[str, ...]:
        """Queries for sources outside, which keep what the question demands."""
        ...


class Selector(Protocol):
    """Choose the passages that an answer may cite."""

    async def select(self, question: Question, evidence: Evidence) -> Evidence:
        """The passages worth reading, best first, at most as many as one search returns, each once."""
        ...


class Writer(Protocol):
    """Write an answer from evidence."""

    def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The answer's sentences in order, then how it ended; `advice` is what an earlier draft failed at."""
        ...


class Abstainer(Protocol):
    """Say honestly that there is no answer, and why."""

    def decline(self, question: Question, gathered: Gathered) -> Refusal:
        """Say what is missing and what was tried, in one or two sentences; for CLARIFY ask back."""
        ...


class Verifier(Protocol):
    """Test the sentences of a draft against its evidence."""

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Every claim with its verdict, every check with its state.

        The first `after` sentences of the draft were reviewed before: only what follows them is tested, with
        claims numbered from 1.
        """
        ...


class Concluder(Protocol):
    """Test what no single sentence of a draft shows."""

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review of all the draft's sentences, with the checks of the whole draft added."""
        ...


class TextVerifier(Protocol):
    """Test anyone's text against passages."""

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """Every claim against all of the passages, or against those that the text cites.

        With `one_claim` the text is tested as a single claim.
        """
        ...


class Weigher(Protocol):
    """Read claims that differ in a value, to find the likeliest."""

    async def weigh(self, claims: Sequence[str], passages: tuple[Passage, ...]) -> tuple[float | None, ...]:
        """The log odds that the passages support each of the claims; None for one that is not read."""
        ...


class Settler(Protocol):
    """Rule on all claims that the tests of a draft leave open."""

    async def settle(self, question: Question, evidence: Evidence, draft: Draft) -> None:
        """Ask about every open claim of the draft in one call.

        The verifier's reviews then use the rulings, and say if there is none. Raises only DeadlinePassed.
        """
        ...


class Assessor(Protocol):
    """Say how good an answer is as a whole, criterion by criterion."""

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """The assessment of a reviewed draft; a criterion that could not be judged is unknown, never a default."""
        ...


class Adviser(Protocol):
    """Say how a weak answer could be better."""

    def advise(self, assessment: Assessment, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings, with how to raise the weakest criterion if the answer did not pass."""
        ...


class Repairer(Protocol):
    """Repair what failed, by the smallest change that may work."""

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence after this kind of repair; None if it has nothing to offer.

        `review` is of this sentence alone; its spans count in the draft, in which the sentence `begins` there.
        Nothing is promised of a candidate: it is tested like any other sentence.
        """
        ...


class Rules(Protocol):
    """Hold answers to the output rules."""

    async def examine(
        self, question: Question, evidence: Evidence, text: str
    ) -> tuple[tuple[Check, ...], tuple[Finding, ...]]:
        """The checks of an answer by the rules that apply to it, and the findings with each rule's advice.

        Offsets count in `text`.
        """
        ...


class StyleEditor(Protocol):
    """Change wording and layout so that an answer keeps the output rules."""

    def edits(self, question: Question, text: str, checks: Sequence[Check]) -> tuple[Edit, ...]:
        """The edits, in order and without overlap, that fix what the checks of this text found."""
        ...


class ConfidenceEstimator(Protocol):
    """Rate the confidence in an answer."""

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The confidence in a reviewed answer; `reading` is what a reader makes of it, if there is one."""
        ...


class Relevance(Protocol):
    """Say whether a finished answer answers its question."""

    async def read(
        self, question: Question, sentences: Sequence[Sentence], text: str, sources: Sequence[Passage]
    ) -> AnswerReading | None:
        """The reading of an answer, its sentences, text and sources; None if the reader cannot say."""
        ...


@dataclass(frozen=True, slots=True)
class Stages:
    """One implementation of each stage, for one question.

    `allowed_actions` and `allowed_repairs` can be carried out here, `search_utility` says what searching again is
    worth, `spent` what the question has used so far. `fallback_writer` writes if nothing by `writer` passed.
    `outside` is asked only if EXTERNAL is allowed. `notes` come from stages that give no value of their own.
    `rules` and `editor` are None if answers need not keep rules, `assessor` and `adviser` if nobody assesses them.
    What is awaited within `in_time` ends with the question's deadline, by DeadlinePassed; without one nothing does.
    `closest_writer` writes if the evidence is not known to answer, None if nothing is shown then; `relevance` reads
    the finished answer, None without a reader. `masking` says that a language model takes part: nobody reads what
    is masked then. `settler` is asked once a draft is complete and before its sentences are tested, None if no
    model tests. `offline_verifier` is the `text_verifier` without a language model. `explains` says that the answer
    is to hold how it came to be. `answer_cache` is asked before anything is searched, None if no answer is kept.
    """

    understander: Understander
    retriever: Retriever
    outside: Retriever
    refiner: Refiner
    selector: Selector
    judge: Judge
    writer: Writer
    fallback_writer: Writer
    abstainer: Abstainer
    verifier: Verifier
    concluder: Concluder
    text_verifier: TextVerifier
    offline_verifier: TextVerifier
    repairer: Repairer
    rules: Rules | None
    editor: StyleEditor | None
    assessor: Assessor | None
    adviser: Adviser | None
    confidence_estimator: ConfidenceEstimator
    models: ModelsUsed
    allowed_actions: frozenset[Action]
    allowed_repairs: frozenset[RepairKind]
    search_utility: SearchUtility
    spent: Callable[[], Usage]
    notes: Callable[[], tuple[str, ...]] = tuple
    in_time: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    masking: bool = True
    closest_writer: Writer | None = None
    relevance: Relevance | None = None
    settler: Settler | None = None
    explains: bool = False
    answer_cache: AnswerCache | None = None
