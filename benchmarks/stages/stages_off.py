"""The stages of the loop that can be left out, and how each is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.core.stages import Judge, Stages
from assay.engine import Engine
from assay.judging.judge import JudgePipeline
from assay.judging.reader_judge import HeuristicJudge
from assay.nlp.citations import citations
from assay.retrieval.quarantine import QuarantiningRetriever
from assay.types import (
    Action,
    Claim,
    Draft,
    Evidence,
    Judgement,
    Passage,
    Question,
    Review,
    SourceSpan,
    Verdict,
)
from assay.verification.claims import split_claims
from assay.verification.verifier import DeterministicVerifier, only_quotes, outside_quotes, quotation_review
from assay.writing.reader_writer import ReaderWriter

SHIPPED = "as shipped"


@dataclass(frozen=True)
class Off:
    """A way to run the loop: `settings` over those of the benchmark, and what is changed in its composed stages.

    A stage that `adds` is off as shipped, and on in this way.
    """

    name: str
    what: str
    settings: Mapping[str, object] = field(default_factory=dict)
    composed: Callable[[Stages], Stages] = lambda stages: stages
    adds: bool = False


def taken_out(engine: Engine, off: Off) -> Engine:
    """The engine, whose runs from now on have their stages changed as `off` says."""
    parts = engine._parts
    engine._open_parts = replace(parts, stages_for=lambda run: off.composed(parts.stages_for(run)))
    return engine


@dataclass(frozen=True)
class Unheeded:
    """A judge whose judgement is kept and whose recommendation is always to answer, if anything was found."""

    inner: Judge

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner`, to be answered."""
        found = await self.inner.judge(question, evidence)
        return replace(found, recommendation=Action.ANSWER) if evidence.hits else found


@dataclass(frozen=True)
class Passing:
    """A verifier that calls every claim supported and makes no check."""

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Every claim of the draft from its sentence `after` on, supported."""
        held = {passage.passage_id: passage for passage in evidence.passages}
        names = tuple(held[one].title if one in held else "" for one in draft.sources)
        start = draft.spans[after].start if after else 0
        every = citations(draft.text, names)
        marks = outside_quotes(draft, tuple(mark for mark in every if mark.start >= start))
        if only_quotes(draft, after):
            quoted = quotation_review(draft, after, marks, held).claims
            return Review(tuple(_supported(claim) for claim in quoted), (), (), marks)
        stated = split_claims(draft.text, marks, draft.spans[after:])
        claims = tuple(
            Claim(n, one.text, one.start, one.end, _cited(draft, one.numbers), Verdict.SUPPORTED, 1.0)
            for n, one in enumerate(stated, 1)
        )
        return Review(claims, (), (), marks)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """Every claim of a text, supported."""
        claims = tuple(
            Claim(n, one.text, one.start, one.end, (), Verdict.SUPPORTED, 1.0)
            for n, one in enumerate(split_claims(text, ()), 1)
        )
        return Review(claims, (), ())

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review as it is."""
        return review


def _supported(claim: Claim) -> Claim:
    spans: Sequence[SourceSpan] = claim.spans
    return replace(claim, verdict=Verdict.SUPPORTED, support=1.0, spans=tuple(spans))


def _cited(draft: Draft, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(draft.sources[number - 1] for number in numbers if 1 <= number <= len(draft.sources))


def _without_verifier(stages: Stages) -> Stages:
    passing = Passing()
    return replace(
        stages, verifier=passing, concluder=passing, text_verifier=passing, offline_verifier=passing, settler=None
    )


def _without_rows(stages: Stages) -> Stages:
    """Nothing looks up rows of tables: not the judge, the writer or the verifier."""
    judge, plain = stages.judge, stages.offline_verifier
    assert isinstance(judge, JudgePipeline)
    assert isinstance(judge.fast, HeuristicJudge)
    assert isinstance(plain, DeterministicVerifier)
    writer = stages.fallback_writer
    assert isinstance(writer, ReaderWriter)
    assert stages.writer is writer
    verifier, rowless = replace(plain, rows=None), replace(writer, rows=None)
    return replace(
        stages,
        judge=replace(judge, fast=replace(judge.fast, rows=None)),
        writer=rowless,
        fallback_writer=rowless,
        closest_writer=None if stages.closest_writer is None else rowless,
        verifier=verifier,
        concluder=verifier,
        text_verifier=verifier,
        offline_verifier=verifier,
    )


def _without_quarantine(stages: Stages) -> Stages:
    assert isinstance(stages.retriever, QuarantiningRetriever)
    return replace(stages, retriever=stages.retriever.inner, masking=False)


QUESTIONS = (
    Off(SHIPPED, "the default profile, no language model"),
    Off("judge", "nothing judges the evidence (`judging = off`)", {"judging": "off"}),
    Off(
        "policy",
        "the evidence is judged, and always answered from",
        composed=lambda stages: replace(stages, judge=Unheeded(stages.judge)),
    ),
    Off(
        "asking back",
        "an unclear question is not asked back, as shipped (`ask_back = true` does)",
        {"ask_back": True},
        adds=True,
    ),
    Off("reader", "the short-answer network (`reader = none`)", {"reader": "none"}),
    Off(
        "last reading",
        "the finished answer is not read once more to see if it answers",
        composed=lambda stages: replace(stages, relevance=None),
    ),
    Off("rows", "rows of tables are not looked up", composed=_without_rows),
    Off("verify", "the verifier passes every claim", composed=_without_verifier),
    Off("checker", "the claim-checking network (`checker = none`)", {"checker": "none"}),
    Off(
        "repair",
        "nothing is corrected, marked or dropped",
        {"repairs": 0},
        lambda stages: replace(stages, allowed_repairs=frozenset()),
    ),
    Off("quarantine", "planted instructions are not masked", composed=_without_quarantine),
    Off("spelling", "misspelt words are searched as they are (`spelling = false`)", {"spelling": False}),
    Off("refine", "no second search, as shipped (`rounds = 2` allows one)", {"rounds": 2}, adds=True),
)
DRAFTS = tuple(off for off in QUESTIONS if off.name in (SHIPPED, "verify", "checker", "repair"))
