"""Ask every case of a data set, and keep what came of it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial

from assay.core.concurrency import ordered_map
from assay.engine import Engine
from assay.errors import AssayError
from assay.evals.cases import Case
from assay.evals.results import CaseResult, CitedQuote, RankedPassage
from assay.evals.run_folder import RunFolder
from assay.records.figures import claims_improved, claims_regressed
from assay.types import Answer, Claim, EvidenceFound, Location, Source
from assay.types.value import plain


async def evaluate(
    engine: Engine,
    cases: Sequence[Case],
    *,
    folder: RunFolder,
    repeat: int = 1,
    jobs: int = 1,
    on_progress: Callable[[CaseResult], None] | None = None,
) -> int:
    """Ask each case `repeat` times, at most `jobs` at once, and add each result to the folder as it comes.

    What the folder has a result of is not asked again. A case whose asking raises anything is a result with its
    error; others go on. A case with passages is answered from these, another one from the engine's collection.
    `on_progress` is called with each result once it is stored. Returns how many were asked. Raises StoreError where
    the folder cannot be written.
    """

    async def work() -> AsyncIterator[Callable[[], Awaitable[None]]]:
        for number in range(repeat):
            for case in cases:
                if (case.id, number) not in folder.done:
                    yield partial(keep, case, number)

    async def keep(case: Case, number: int) -> None:
        result = await ask_case(engine, case, number)
        folder.append(result)
        if on_progress is not None:
            on_progress(result)

    asked = 0
    async with aclosing(ordered_map(work(), jobs)) as kept:
        async for _ in kept:
            asked += 1
    return asked


async def ask_case(engine: Engine, case: Case, repeat: int = 0) -> CaseResult:
    """The result of asking a case; where asking raises, it has the error's class and message."""
    started = time.perf_counter()
    try:
        if case.passages:
            answer = await engine.aanswer_from(case.question, case.passages, case.history)
        else:
            answer = await engine.aask(case.question, case.history)
    except AssayError as error:
        return _failed(case, repeat, error, str(error), started)
    except Exception as error:  # noqa: BLE001 - a boundary: a bug met by one case is its result, and stops no other
        return _failed(case, repeat, error, f"a bug in assay: {error}", started)
    return result_of(case.id, repeat, answer)


def _failed(case: Case, repeat: int, error: Exception, message: str, started: float) -> CaseResult:
    taken = 1000 * (time.perf_counter() - started)
    return CaseResult(case.id, repeat, None, ms=taken, error=type(error).__name__, message=message)


def result_of(case_id: str, repeat: int, answer: Answer) -> CaseResult:
    """The part of an answer that metrics read; its events give what the first search found."""
    judgement = answer.judgement
    claims, dropped = plain(answer.claims), plain(answer.dropped)
    return CaseResult(
        case=case_id,
        repeat=repeat,
        outcome=answer.outcome,
        text=answer.text,
        verdict=answer.verdict,
        verified=answer.validate(),
        claims=tuple(claim.verdict for claim in answer.claims),
        cited=_cited(answer),
        invalid_citations=len(answer.invalid_citations),
        ranked=_ranked(answer),
        sufficiency=judgement.sufficiency,
        probability=answer.confidence.value,
        contradictions=len(judgement.contradictions),
        rounds=answer.searches,
        drafts=answer.drafts,
        repairs=tuple(repair.kind for repair in answer.repairs),
        missing=judgement.missing,
        usage=answer.usage,
        ms=answer.ms,
        first_verified_ms=answer.first_verified_ms,
        run_id=answer.run_id,
        improved=claims_improved(claims),
        regressed=claims_regressed(claims, dropped),
    )


def _ranked(answer: Answer) -> tuple[RankedPassage, ...]:
    """The passages of the first search, best first."""
    first = next((event for event in answer.trace if isinstance(event, EvidenceFound)), None)
    passages = () if first is None else first.evidence.passages
    return tuple(RankedPassage(passage.passage_id, passage.document_id, passage.source) for passage in passages)


def _cited(answer: Answer) -> tuple[CitedQuote, ...]:
    """The quotes that bear out each claim, of the sources that it cites; of one without a quote, its passage."""
    sources = {source.passage_id: source for source in answer.sources}
    return tuple(
        quote
        for place, claim in enumerate(answer.claims)
        for passage_id in claim.citations
        if passage_id in sources
        for quote in _quotes(place, claim, sources[passage_id])
    )


def _quotes(place: int, claim: Claim, source: Source) -> list[CitedQuote]:
    spans = [span for span in claim.spans if span.passage_id == source.passage_id]
    quoted: list[tuple[str, Location]] = [(span.quote, span.location) for span in spans]
    return [
        CitedQuote(place, source.document_id, source.path, quote, location.page)
        for quote, location in quoted or [(source.quote, source.location)]
    ]
