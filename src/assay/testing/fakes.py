"""Scripted stages and an embedder without weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.calibration import ClaimPolicy
from assay.core.stages import CheckerModel, Pair, SearchUtility, Stages
from assay.nlp.tokens import terms
from assay.types import (
    AnswerReading,
    Assessment,
    Candidate,
    Check,
    Claim,
    Confidence,
    Draft,
    Edit,
    EmbeddingModel,
    Evidence,
    Finding,
    Finished,
    Gathered,
    Judgement,
    Message,
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
    Severity,
    Status,
    Step,
    TitledText,
    Usage,
    Verdict,
)

Scripted = TypeVar("Scripted")


class Unscripted(AssertionError):
    """A fake was asked for something it was not set to expect."""


def _given(scripted: Scripted | Exception) -> Scripted:
    """The next entry of a script; raises it where it is an error."""
    if isinstance(scripted, Exception):
        raise scripted
    return scripted


@dataclass(frozen=True, slots=True)
class WordEmbedder:
    """Vectors without a model: texts that share words get a higher cosine, the same text the same vector.

    >>> import asyncio
    >>> vectors = asyncio.run(WordEmbedder().embed(["red fox", "red hen", "blue sea"]))
    >>> bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    True
    """

    dimension: int = 64
    name: str = "words"

    @property
    def model(self) -> EmbeddingModel:
        """A model whose hash follows from its name and dimension."""
        key = f"{self.name}/{self.dimension}"
        return EmbeddingModel(self.name, self.dimension, hashlib.sha256(key.encode()).hexdigest())

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text."""
        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _vector(self, text: str) -> NDArray[np.float32]:
        total = np.full(self.dimension, 1e-3)
        for term in terms(text, stop_words=True):
            seed = int.from_bytes(hashlib.sha256(f"{self.name}/{term}".encode()).digest()[:8])
            total += np.random.default_rng(seed).standard_normal(self.dimension)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit


@dataclass(frozen=True, slots=True)
class ScriptedChecker:
    """Gives the probabilities written down for each claim, whatever it is read against.

    `script` has those of supports and of contradicts by claim; `asked` are the pairs that it was asked about.
    """

    script: Mapping[str, tuple[float, float]]
    policy: ClaimPolicy | None
    languages: tuple[str, ...] = ("en",)
    asked: list[Pair] = field(default_factory=list)

    @property
    def model(self) -> CheckerModel:
        """A model of no weights."""
        return CheckerModel("scripted-checker", "0" * 64, self.languages, self.policy)

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """The scripted probabilities; raises Unscripted for other claims."""
        self.asked.extend(pairs)
        unknown = [pair.claim for pair in pairs if pair.claim not in self.script]
        if unknown:
            raise Unscripted(f"no probabilities are scripted for {unknown}")
        rows = [self.script[pair.claim] for pair in pairs]
        return np.array([(yes, no, 1.0 - yes - no) for yes, no in rows], np.float32).reshape(len(pairs), 3)


@dataclass(frozen=True, slots=True)
class ScriptedReader:
    """Gives the reading written down for each question and text; `asked` are those that it was asked for.

    >>> import asyncio
    >>> from assay.types import AnswerSpan
    >>> tea = PassageReading(answerable=2.0, spans=(AnswerSpan(0, 4, 5.0),), yes=0.1, no=0.1)
    >>> reader = ScriptedReader({("How hot?", "90 °C"): tea})
    >>> asyncio.run(reader.read("How hot?", [TitledText("Tea", "90 °C")])) == (tea,)
    True
    """

    script: Mapping[tuple[str, str], PassageReading]
    languages: tuple[str, ...] = ("en",)
    asked: list[tuple[str, TitledText]] = field(default_factory=list)

    @property
    def model(self) -> ReaderModel:
        """A model of no weights."""
        return ReaderModel("scripted-reader", "0" * 64, self.languages)

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """The scripted readings; raises Unscripted for another question or another text."""
        self.asked.extend((question, text) for text in texts)
        unknown = [text.text for text in texts if (question, text.text) not in self.script]
        if unknown:
            raise Unscripted(f"no reading of {unknown} is scripted for {question!r}")
        return tuple(self.script[question, text.text] for text in texts)


@dataclass(frozen=True, slots=True)
class ScriptedUnderstander:
    """Takes every question at its word."""

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question as it stands."""
        return Question(text=text, standalone=text, history=history, aspects=(text,))


@dataclass(frozen=True, slots=True)
class ScriptedRetriever:
    """Gives the evidence written down for the queries."""

    script: Mapping[tuple[str, ...], Evidence]

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The scripted evidence; raises Unscripted for other queries."""
        if queries not in self.script:
            raise Unscripted(f"no evidence is scripted for {queries}")
        return self.script[queries]


@dataclass(frozen=True, slots=True)
class ScriptedRefiner:
    """Gives the queries written down for each round, of the collection and of the world outside."""

    rounds: tuple[tuple[str, ...], ...] = ()
    web: tuple[str, ...] = ()

    async def refine(
        self, question: Question, evidence: Evidence, judgement: Judgement, path: tuple[Step, ...]
    ) -> tuple[str, ...]:
        """The next round's queries; raises Unscripted beyond the last."""
        if len(path) >= len(self.rounds):
            raise Unscripted(f"no queries are scripted for round {len(path) + 1}")
        return self.rounds[len(path)]

    async def outside(self, question: Question, judgement: Judgement) -> tuple[str, ...]:
        """The queries for outside."""
        return self.web


@dataclass(frozen=True, slots=True)
class KeepingSelector:
    """Keeps all that was found."""

    async def select(self, question: Question, evidence: Evidence) -> Evidence:
        """The evidence as it is."""
        return evidence


@dataclass(frozen=True, slots=True)
class ScriptedJudge:
    """Gives the judgement written down for a set of passages."""

    script: Mapping[frozenset[str], Judgement]

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The scripted judgement; raises Unscripted for other evidence."""
        if evidence.ids not in self.script:
            raise Unscripted(f"no judgement is scripted for {sorted(evidence.ids)}")
        return self.script[evidence.ids]


@dataclass(frozen=True, slots=True)
class ScriptedWriter:
    """Writes the parts written down for the question."""

    script: Mapping[str, tuple[Sentence | Finished, ...]]

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The scripted parts; raises Unscripted for other questions."""
        if question.text not in self.script:
            raise Unscripted(f"no draft is scripted for {question.text!r}")
        for part in self.script[question.text]:
            yield part


@dataclass(frozen=True, slots=True)
class ScriptedVerifier:
    """Gives the review written down for a text, or raises the error that stands for it."""

    script: Mapping[str, Review | Exception]

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """The scripted review of the draft so far; raises Unscripted for other drafts."""
        return await self.check(draft.text, evidence.passages)

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review as it is."""
        return review

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """The scripted review; raises Unscripted for other texts."""
        if text not in self.script:
            raise Unscripted(f"no review is scripted for {text!r}")
        return _given(self.script[text])


@dataclass(frozen=True, slots=True)
class ScriptedRepairer:
    """Gives the candidate written down for a kind of repair and a sentence's text, or raises the error there.

    `asked` are the kinds of repair that it was asked for.
    """

    script: Mapping[tuple[RepairKind, str], Candidate | Exception | None]
    asked: list[RepairKind] = field(default_factory=list)

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The scripted candidate; raises Unscripted for another kind or another sentence."""
        self.asked.append(kind)
        if (kind, sentence.text) not in self.script:
            raise Unscripted(f"no {kind.value} candidate is scripted for {sentence.text!r}")
        return _given(self.script[kind, sentence.text])


@dataclass(frozen=True, slots=True)
class ScriptedRules:
    """Gives the checks written down for a text, each failed one as a finding, and the edits written down for it."""

    script: Mapping[str, tuple[Check, ...]]
    changes: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)

    async def examine(
        self, question: Question, evidence: Evidence, text: str
    ) -> tuple[tuple[Check, ...], tuple[Finding, ...]]:
        """The scripted checks, with a finding for each that did not pass; raises Unscripted for other texts."""
        if text not in self.script:
            raise Unscripted(f"no checks are scripted for {text!r}")
        checks = self.script[text]
        open_checks = [check for check in checks if check.status is not Status.PASSED]
        findings = (Finding(check.name, None, check.severity, check.cause or "", "fix it") for check in open_checks)
        return checks, tuple(findings)

    def edits(self, question: Question, text: str, checks: Sequence[Check]) -> tuple[Edit, ...]:
        """The scripted edits; none for other texts."""
        return self.changes.get(text, ())


@dataclass(frozen=True, slots=True)
class ScriptedAssessor:
    """Gives the assessment written down for a text."""

    script: Mapping[str, Assessment]

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """The scripted assessment; raises Unscripted for other drafts."""
        if draft.text not in self.script:
            raise Unscripted(f"no assessment is scripted for {draft.text!r}")
        return self.script[draft.text]

    def advise(self, assessment: Assessment, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings, and one more if the answer did not pass."""
        weak = Finding("assessment", None, Severity.REPAIR, "it is weak", "say more")
        return findings if assessment.passed else (*findings, weak)


@dataclass(frozen=True, slots=True)
class PlainRater:
    """A confidence that is the sufficiency; none at all without one."""

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The sufficiency as the score."""
        return Confidence(value=None, score=judgement.sufficiency or 0.0, level="low", cause="not calibrated")


@dataclass(frozen=True, slots=True)
class PlainDecliner:
    """Says what is missing and nothing else."""

    words: str = "not in the documents"
    declined: list[Gathered] = field(default_factory=list)

    def decline(self, question: Question, gathered: Gathered) -> Refusal:
        """The fixed words; what was declined is kept for the test to read."""
        self.declined.append(gathered)
        return Refusal(self.words)


# A language model that says what is written down for it, and keeps what it was asked.


class ScriptedModel:
    """Gives its replies in order: prose, the JSON of a mapping, or an error, which it raises.

    Replies are not validated: wrap it in a `RunModel`, as the engine does. `requests` is what it was asked.
    """

    def __init__(self, *replies: str | Mapping[str, Any] | Exception) -> None:
        self._replies = list(replies)
        self.requests: list[ModelRequest] = []

    name = "fake:scripted"
    host = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply; raises Unscripted where none is left."""
        self.requests.append(request)
        if not self._replies:
            raise Unscripted(f"no reply is scripted for call {len(self.requests)}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return ModelReply(text, "stop", Usage(calls=1), self.name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The next reply in one piece, then as a whole."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def aclose(self) -> None:
        """Nothing is held."""


# The stages of one question, each a fake that was told nothing, with those that a test is about in their place.


_STATES = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}


def scripted_stages(**given: Any) -> Stages:
    """Fakes that raise Unscripted whatever they are asked, but for those `given` by the name of their stage.

    Without a `fallback_writer`, the writer stands in for it; so does the verifier for the `concluder` and the
    verifiers of text, the rules for the `editor`, and the assessor for the `adviser`.

    >>> scripted_stages(rules=None).models.writer
    'scripted'
    """
    writer = given.get("writer", ScriptedWriter({}))
    verifier, rules, assessor = (
        given.get("verifier", ScriptedVerifier({})),
        given.get("rules"),
        given.get("assessor"),
    )
    told: dict[str, Any] = {
        "understander": ScriptedUnderstander(),
        "retriever": ScriptedRetriever({}),
        "outside": ScriptedRetriever({}),
        "refiner": ScriptedRefiner(),
        "selector": KeepingSelector(),
        "judge": ScriptedJudge({}),
        "writer": writer,
        "fallback_writer": writer,
        "abstainer": PlainDecliner(),
        "verifier": verifier,
        "concluder": verifier,
        "text_verifier": verifier,
        "offline_verifier": verifier,
        "repairer": ScriptedRepairer({}),
        "rules": rules,
        "editor": rules,
        "assessor": assessor,
        "adviser": assessor,
        "confidence_estimator": PlainRater(),
        "models": ModelsUsed("scripted", "scripted", "scripted"),
        "allowed_actions": frozenset(),
        "allowed_repairs": frozenset(),
        "search_utility": SearchUtility(),
        "spent": Usage,
    }
    return Stages(**(told | given))


def review_of(*claims: tuple[str, Verdict], expected: str | None = None) -> Review:
    """A review of claims, each a text and a verdict, with a support check each that tells what is `expected`.

    >>> [check.status.value for check in review_of(("It rained.", Verdict.UNKNOWN)).checks]
    ['unknown']
    """
    made = tuple(Claim(n, text, 0, len(text), (), verdict, None) for n, (text, verdict) in enumerate(claims, 1))
    checks = tuple(
        Check(
            "support", _STATES.get(claim.verdict, Status.FAILED), Severity.BLOCK, claim.n, "why", expected=expected
        )
        for claim in made
    )
    wrong = (check for check in checks if check.status is not Status.PASSED)
    return Review(
        made, checks, tuple(Finding("support", check.claim, check.severity, "why", "") for check in wrong)
    )
