"""The verbs: one small protocol per stage, and `Stages`, which holds one implementation of each.

A stage is given values and returns values. It never sees the run that it works for: the ports it holds
(embedder, index, language model) already know the budget, the deadline and the tape.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assay.ports import LLM as LLM
from assay.ports import Checker as Checker
from assay.ports import Clock as Clock
from assay.ports import Embedder as Embedder
from assay.ports import Entry as Entry
from assay.ports import Index as Index
from assay.ports import Pair as Pair
from assay.ports import Reader as Reader
from assay.ports import Sink as Sink
from assay.types import (
    Action,
    AnswerReading,
    Assessment,
    Candidate,
    Check,
    Confidence,
    Correction,
    Document,
    Draft,
    Edit,
    Event,
    Evidence,
    FileReport,
    Finding,
    Finished,
    Gathered,
    Hit,
    Judgement,
    Loaded,
    Message,
    ModelsUsed,
    Passage,
    Question,
    RepairKind,
    Review,
    Sentence,
    Step,
    Usage,
)
from assay.worth import Worth

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

    def add(self, paths: Sequence[Path]) -> AsyncIterator[FileReport]:
        """Store files, and those of folders; one report a file, after it is stored for good."""
        ...

    def sync(self, paths: Sequence[Path], *, dry_run: bool = False) -> AsyncIterator[FileReport]:
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
    """Say what to search for next, where the evidence does not suffice."""

    async def refine(
        self, question: Question, evidence: Evidence, judgement: Judgement, path: tuple[Step, ...]
    ) -> tuple[str, ...]:
        """Queries that were not asked on the path yet, likeliest first; none where nothing is left to ask."""
        ...

    async def outside(self, question: Question, judgement: Judgement) -> tuple[str, ...]:
        """Queries for sources outside, which keep what the question demands."""
        ...


class Selector(Protocol):
    """Choose from all that was found what an answer may stand on."""

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


class Decliner(Protocol):
    """Say honestly that there is no answer, and why."""

    def decline(self, question: Question, gathered: Gathered) -> str:
        """What is missing and what was tried, in one or two sentences."""
        ...


class Verifier(Protocol):
    """Test a draft against its evidence."""

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Every claim with its verdict, every check with its state.

        The first `after` sentences of the draft were reviewed before: only what follows them is tested, with
        claims numbered from 1.
        """
        ...

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review of all the draft's sentences, with the checks of the whole draft added."""
        ...

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """The same for anyone's text without citations: each claim against all of the passages.

        With `one_claim` the text is judged whole, as a single claim.
        """
        ...


class Weigher(Protocol):
    """Read claims that differ in a value, to tell which of them is likeliest."""

    async def weigh(self, claims: Sequence[str], passages: tuple[Passage, ...]) -> tuple[float | None, ...]:
        """The log odds that the passages support each of the claims; None for one that is not read."""
        ...


class Settler(Protocol):
    """Have what a draft leaves open ruled on, all of it together."""

    async def settle(self, question: Question, evidence: Evidence, draft: Draft) -> None:
        """Ask about every claim of the draft that the tests leave open, in one call.

        The verifier's reviews then use what was said. Where nobody could say, they tell so; raises only
        DeadlinePassed.
        """
        ...


class Assessor(Protocol):
    """Say how good an answer is as a whole, criterion by criterion."""

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """The assessment of a reviewed draft; a criterion that could not be judged is unknown, never a default."""
        ...

    def advise(self, assessment: Assessment, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings, with how to raise the weakest criterion where the answer did not pass."""
        ...


class Repairer(Protocol):
    """Mend what failed, by the smallest change that may work."""

    async def mend(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence as this kind of repair would have it; None where it has nothing to offer.

        `review` is of this sentence alone, its spans count in the draft, in which the sentence `begins` there.
        Nothing is promised of a candidate: it is tested like any other sentence.
        """
        ...


class Rules(Protocol):
    """Hold answers to the output rules: what the writer is told and what is checked come from the same rules."""

    def instructions(self, question: Question) -> tuple[str, ...]:
        """What a writer is told, one sentence each."""
        ...

    async def examine(self, question: Question, evidence: Evidence, text: str) -> tuple[Check, ...]:
        """The checks of an answer by the rules that apply to it; offsets count in `text`."""
        ...

    def findings(self, question: Question, checks: Sequence[Check]) -> tuple[Finding, ...]:
        """What those checks found, each with the rule's advice."""
        ...

    def edits(self, question: Question, text: str, checks: Sequence[Check]) -> tuple[Edit, ...]:
        """Changes of wording and layout that mend what the checks of this text found, without overlap."""
        ...


class Rater(Protocol):
    """Say how far to trust an answer."""

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The confidence in a reviewed answer; `reading` is what a reader makes of it, where there is one."""
        ...


class Relevance(Protocol):
    """Say whether a finished answer answers its question."""

    async def read(
        self, question: Question, sentences: Sequence[Sentence], text: str, sources: Sequence[Passage]
    ) -> AnswerReading | None:
        """What a reader makes of an answer, its sentences, text and sources; None where nobody can tell."""
        ...


@dataclass(frozen=True, slots=True)
class Stages:
    """One implementation of each stage, for one question.

    `able` are the actions that can be carried out here, `mends` the repairs, `worth` what searching again is worth,
    `spent` tells what the question has used so far. `quoter` writes where nothing that `writer` wrote passed.
    `outside` is asked only where EXTERNAL is able. `notes` are what stages that give no value of their own had to
    tell. `rules` and `assessor` are None where answers are not looked at as a whole. What is awaited within
    `in_time` ends with the question's deadline, by DeadlinePassed; without one nothing does. `closest` writes where
    the evidence is not known to answer, None where nothing is shown then; `relevance` reads the finished answer,
    None without a reader. `masking` says that a language model takes part: nobody reads what is masked then.
    `settler` is asked once a draft is whole and before its sentences are tested, None where no model tests.
    """

    understander: Understander
    retriever: Retriever
    outside: Retriever
    refiner: Refiner
    selector: Selector
    judge: Judge
    writer: Writer
    quoter: Writer
    decliner: Decliner
    verifier: Verifier
    repairer: Repairer
    rules: Rules | None
    assessor: Assessor | None
    rater: Rater
    models: ModelsUsed
    able: frozenset[Action]
    mends: frozenset[RepairKind]
    worth: Worth
    spent: Callable[[], Usage]
    notes: Callable[[], tuple[str, ...]] = tuple
    in_time: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    masking: bool = True
    closest: Writer | None = None
    relevance: Relevance | None = None
    settler: Settler | None = None
