"""Recorded runs: list, show, follow, report."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field, StrictBool
from starlette.responses import HTMLResponse, Response

from assay.core.inputs import OF_ANSWER, read_options
from assay.errors import UsageError
from assay.records.deletion import delete_runs
from assay.records.report import STYLE
from assay.records.report import report as report_page
from assay.records.run_records import RunRecords
from assay.records.values import RunQuery, RunRecord
from assay.server.calls import (
    Reader,
    TheService,
    Writer,
    event_stream,
    json_response,
    problems,
    stream_response,
    tenant_of,
    until_gone,
)
from assay.server.problems import NotFound
from assay.server.responses import ReplayObject, RunObject
from assay.server.schemas import Body
from assay.server.service import Service, Tenant
from assay.server.streams import EventId, frames, recorded_frame
from assay.types import Ablation, Deleted, RunPage, plain
from assay.wiring.what_if import what_if

router = APIRouter(tags=["runs"])


class ReplayBody(Body):
    """The settings to change; `live` makes the calls that the recording does not hold."""

    settings: dict[str, Any] = Field(max_length=50)
    live: StrictBool = False


_MOST = 200
# Settings that a request may change in a replay besides the options of a question; a network is bundled or none.
_CHANGEABLE = frozenset(
    {
        *("correct", "incorrect", "excellent", "good", "partial", "borderline_low", "borderline_high"),
        *("least_passages", "judging", "max_risk", "fusion", "mmr", "spelling", "skip"),
    }
)
_NETWORKS = frozenset({"checker", "reader"})
# A report has its style inside, which the page's policy forbids; this one allows that style by its hash.
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_REPORT_POLICY = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"
}


@router.get("/runs", response_model=RunPage, responses=problems())
async def list_runs(
    service: TheService,
    caller: Reader,
    collection: Annotated[str | None, Query(max_length=64)] = None,
    outcome: Literal["answered", "partial", "clarify", "abstained", "error"] | None = None,
    q: Annotated[str, Query(max_length=500, description="words of the question")] = "",
    before: Annotated[str, Query(max_length=100, description="`next` of the page before")] = "",
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 50,
) -> Response:
    """List the recorded runs, newest first."""
    tenant = tenant_of(service, caller)
    query = RunQuery(collection, outcome or "", q, before=before, limit=limit)
    page = await asyncio.to_thread(service.records(tenant).find, query)
    return json_response(plain(page), tenant=tenant)


@router.delete("/runs/{run_id}", response_model=Deleted, responses=problems(404))
async def delete_run(run_id: str, service: TheService, caller: Writer) -> Response:
    """Delete a run with all that was recorded of it."""
    tenant = tenant_of(service, caller)
    store = service.records(tenant)

    def delete() -> Deleted:
        return delete_runs(store, tenant.folder, [load_run(store, run_id).run.run_id])

    return json_response(plain(await asyncio.to_thread(delete)))


@router.get("/runs/{run_id}", response_model=RunObject, responses=problems(404))
async def show_run(run_id: str, service: TheService, caller: Reader) -> Response:
    """Show a run: its events, the decisions and the labels of people."""
    tenant = tenant_of(service, caller)
    store = service.records(tenant)

    def read() -> dict[str, object]:
        record = load_run(store, run_id)
        return {**record.to_dict(), "labels": plain(store.labels(record.run.run_id))}

    return json_response(await asyncio.to_thread(read), tenant=tenant)


@router.get(
    "/runs/{run_id}/events",
    response_class=Response,
    responses=event_stream("RunEvent") | problems(404),
)
async def follow_run(
    run_id: str,
    service: TheService,
    caller: Reader,
    last_event_id: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """Stream the events of a run, after the one that Last-Event-ID names; live where it is in progress."""
    tenant = tenant_of(service, caller)
    last = EventId.read(last_event_id)
    after = last.seq if last is not None and last.run_id == run_id else 0
    live = service.live.find(run_id, tenant.name)
    if live is not None:
        return stream_response(frames(live, after), tenant)
    record = await asyncio.to_thread(load_run, service.records(tenant), run_id)
    return stream_response(_recorded(record, after), tenant)


@router.post("/runs/{run_id}/replay", response_model=ReplayObject, responses=problems(404, 409, 502, 504))
async def replay(run_id: str, body: ReplayBody, service: TheService, caller: Writer) -> Response:
    """Decide a recorded run again, under other settings if some are named; nothing is recorded."""
    tenant = tenant_of(service, caller)
    await asyncio.to_thread(load_run, service.records(tenant), run_id)
    refuse_unchangeable(body.settings, service, is_admin=caller.is_admin)
    given = {**service.settings.engine, **tenant.settings}
    found = await asyncio.to_thread(lambda: what_if(run_id, body.settings, live=body.live, **given))
    return json_response(found.to_dict(), tenant=tenant)


@router.get("/runs/{run_id}/sources", response_model=Ablation, responses=problems(404, 504))
async def leave_sources_out(run_id: str, request: Request, service: TheService, caller: Reader) -> Response:
    """Leave each source of the answer out, and say which claims fall without it and what each citation does."""
    tenant = tenant_of(service, caller)
    record = await asyncio.to_thread(load_run, service.records(tenant), run_id)
    return json_response((await _ablated(record, request, service, tenant)).to_dict(), tenant=tenant)


async def _ablated(record: RunRecord, request: Request, service: Service, tenant: Tenant) -> Ablation:
    """The answer of a run with each source left out. Raises UsageError for a run without an answer."""
    if record.answer is None:
        raise UsageError("the run ended without an answer: there is no source to leave out", hint="ask again")
    async with service.checker(tenant) as engine:
        return await until_gone(request, engine.aablate(record.answer))


@router.get("/runs/{run_id}/report", response_class=HTMLResponse, responses=problems(404, 504))
async def report(
    run_id: str,
    request: Request,
    service: TheService,
    caller: Reader,
    *,
    sources: Annotated[bool, Query(description="leave each source out, too, and say which claims fall")] = False,
) -> Response:
    """The run as one HTML page that loads and runs nothing."""
    tenant = tenant_of(service, caller)
    record = await asyncio.to_thread(load_run, service.records(tenant), run_id)
    found = None
    if sources and record.answer is not None and record.answer["sources"]:
        found = (await _ablated(record, request, service, tenant)).to_dict()
    page = await asyncio.to_thread(report_page, record.to_dict(), found)
    return HTMLResponse(tenant.shorten(page).encode(errors="replace"), headers=_REPORT_POLICY)


def refuse_unchangeable(changes: Mapping[str, Any], service: Service, *, is_admin: bool) -> None:
    """Raise UsageError for a setting that no request may change: what names a file, an address or a command."""
    options = {name: value for name, value in changes.items() if name in OF_ANSWER}
    service.refuse_options(read_options(options), is_admin=is_admin)
    for name, value in changes.items():
        if name in _NETWORKS and value in ("bundled", "none"):
            continue
        if name not in _CHANGEABLE | OF_ANSWER:
            raise UsageError(
                f"a request cannot change the setting {name[:100]!r} of a run",
                hint=f"it can change {', '.join(sorted(_CHANGEABLE | OF_ANSWER | _NETWORKS))}",
            )


def load_run(store: RunRecords, run_id: str) -> RunRecord:
    """The tenant's run. Raises NotFound."""
    try:
        return store.load(run_id)
    except UsageError as error:
        raise NotFound(str(error), hint="GET /api/v1/runs lists the latest runs") from error


async def _recorded(record: RunRecord, after: int) -> AsyncIterator[bytes]:
    for event in record.events:
        if event.seq > after:
            yield recorded_frame(record.run.run_id, event)
