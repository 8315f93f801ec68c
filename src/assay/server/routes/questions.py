"""Ask, search, judge, check and fix."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay import types
from assay.server.calls import (
    Reader,
    Responses,
    TheService,
    event_response,
    event_stream,
    json_response,
    problems,
    tenant_of,
    until_gone,
    wants_events,
)
from assay.server.responses import AnswerObject, ReviewObject, SearchResult
from assay.server.schemas import (
    AnswerFromBody,
    AskBody,
    CheckBody,
    FixBody,
    JudgeBody,
    Options,
    SearchBody,
    hits_of,
    messages_of,
)
from assay.server.service import Service, Tenant
from assay.types import Answer, AskOptions, Event, Hit, Message
from assay.verification.verifier import least_support

router = APIRouter(tags=["questions"])

_ANSWER_OR_EVENTS: Responses = {
    200: {
        "description": "The answer; with Accept: text/event-stream the events of the run, the last with the answer",
        **event_stream("RunEvent")[200],
    }
}


@router.post("/ask", response_model=AnswerObject, responses=_ANSWER_OR_EVENTS | problems(404, 409, 502, 504))
async def ask(body: AskBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Answer a question from a collection, and test the answer."""
    tenant, options = tenant_of(service, caller), _options(body.options, service, caller.is_admin)
    history = messages_of(body.history)
    if wants_events(request):
        events = asked_events(service, tenant, body.collection, body.question, history, options)
        return event_response(await service.live.begin(events, tenant.name, body.collection), tenant)

    async def answer() -> Answer:
        async with service.engine(tenant, body.collection) as engine:
            return await engine.aask(body.question, history, options=options)

    return json_response((await until_gone(request, answer())).to_dict(), tenant=tenant)


@router.post("/answer-from", response_model=AnswerObject, responses=_ANSWER_OR_EVENTS | problems(409, 502, 504))
async def answer_from(body: AnswerFromBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Answer a question from passages that the caller retrieved."""
    tenant, options = tenant_of(service, caller), _options(body.options, service, caller.is_admin)
    history, hits = messages_of(body.history), hits_of(body.passages)
    if wants_events(request):
        events = asked_events(service, tenant, "", body.question, history, options, hits)
        return event_response(await service.live.begin(events, tenant.name, ""), tenant)

    async def answer() -> Answer:
        async with service.checker(tenant) as engine:
            return await engine.aanswer_from(body.question, hits, history, options)

    return json_response((await until_gone(request, answer())).to_dict(), tenant=tenant)


@router.post("/search", response_model=SearchResult, responses=problems(404, 409, 502))
async def search(body: SearchBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Find the passages that are nearest to a query, and judge and write nothing."""
    options = body.options()
    if options is not None:
        service.refuse_options(options, is_admin=caller.is_admin)
    tenant = tenant_of(service, caller)
    async with service.engine(tenant, body.collection) as engine:
        found = await until_gone(request, engine.asearch(body.query, options=options))
    hits = [
        {"passage": hit.passage.to_dict(), "score": hit.score, "scores": hit.scores.to_dict()} for hit in found.hits
    ]
    return json_response({"hits": hits, "notes": list(found.notes)}, tenant=tenant)


@router.post("/judge", response_model=types.Judgement, responses=problems(404, 409, 502, 504))
async def judge(body: JudgeBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Judge whether passages, or those that the collection has, suffice for an answer."""
    tenant, options = tenant_of(service, caller), _options(body.options, service, caller.is_admin)
    history = messages_of(body.history)
    if body.passages is None:
        async with service.engine(tenant, body.collection) as engine:
            work = engine.ajudge(body.question, None, history, options=options)
            return json_response((await until_gone(request, work)).to_dict(), tenant=tenant)
    async with service.checker(tenant) as engine:
        work = engine.ajudge(body.question, hits_of(body.passages), history, options=options)
        return json_response((await until_gone(request, work)).to_dict(), tenant=tenant)


@router.post("/check", response_model=ReviewObject, responses=problems(502, 504))
async def check(body: CheckBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Test each claim of a text against sources."""
    passages = [hit.passage for hit in hits_of(body.sources)]
    async with service.checker(tenant_of(service, caller)) as engine:
        review = await until_gone(request, engine.acheck(body.text, passages, one_claim=body.one_claim))
    return json_response({**review.to_dict(), "verdict": review.verdict.value, "support": least_support(review)})


@router.post("/fix", response_model=types.Fixed, responses=problems(502, 504))
async def fix(body: FixBody, request: Request, service: TheService, caller: Reader) -> Response:
    """Repair what fails of a draft by the smallest changes that work."""
    passages = [hit.passage for hit in hits_of(body.sources)]
    async with service.checker(tenant_of(service, caller)) as engine:
        fixed = await until_gone(request, engine.afix(body.text, passages, drop=body.drop))
    return json_response(fixed.to_dict())


async def asked_events(
    service: Service,
    tenant: Tenant,
    collection: str,
    question: str,
    history: tuple[Message, ...],
    options: AskOptions | None,
    hits: tuple[Hit, ...] | None = None,
) -> AsyncGenerator[Event, None]:
    """The events of a question, over a collection or over the caller's passages."""
    place = service.engine(tenant, collection) if hits is None else service.checker(tenant)
    async with place as engine:
        events = engine.stream(question, history, options=options, passages=hits)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()


def _options(body: Options, service: Service, is_admin: bool) -> AskOptions | None:
    """The options of a request, within the server's bounds. Raises UsageError."""
    options = body.values()
    if options is not None:
        service.refuse_options(options, is_admin=is_admin)
    return options
