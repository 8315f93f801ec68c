"""The shared part of routes: the service, the caller's tenant, and an end when the client leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from assay.server.access import Caller, require
from assay.server.problems import MEDIA_TYPE
from assay.server.responses import OpenAIError
from assay.server.service import Service, Tenant
from assay.server.streams import LiveRun, frames

Result = TypeVar("Result")

EVENT_STREAM = "text/event-stream"

Reader = Annotated[Caller, Depends(require("read"))]
Writer = Annotated[Caller, Depends(require("write"))]
Admin = Annotated[Caller, Depends(require("admin"))]


def service_of(request: Request) -> Service:
    """The service that the application was made with."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


Responses = dict[int | str, dict[str, Any]]
# Errors that any request may get: ill-formed, without the right key, too slow, too large, for another host, unfit,
# one too many, a bug, not now.
ALWAYS = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503)
_WRONG = "What went wrong, and what to do next"


def problems(*statuses: int) -> Responses:
    """The documented errors of a route, besides those that every route has."""
    content = {MEDIA_TYPE: {"schema": reference("Problem")}}
    return {status: {"content": content, "description": _WRONG} for status in (*ALWAYS, *statuses)}


def openai_problems(*statuses: int) -> Responses:
    """The documented errors of a route under /v1, besides those that every route has."""
    return {status: {"model": OpenAIError, "description": _WRONG} for status in (*ALWAYS, *statuses)}


def event_stream(name: str) -> Responses:
    """A documented stream of events, each with a value of the schema of that name."""
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": reference(name)}
    fields = {"data": data, "event": {"type": "string"}, "id": {"type": "string"}}
    item = {"type": "object", "properties": fields, "required": ["data", "event"]}
    return {200: {"content": {EVENT_STREAM: {"itemSchema": item}}}}


def reference(name: str) -> dict[str, str]:
    """A reference to a schema of the description."""
    return {"$ref": f"#/components/schemas/{name}"}


def tenant_of(service: Service, caller: Caller) -> Tenant:
    """The caller's tenant."""
    return service.tenant(caller.tenant)


def json_response(body: Any, status: int = 200, *, tenant: Tenant | None = None) -> Response:
    """A JSON response, in which a tenant's uploads have their name for a path; lone surrogates become "?"."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    if tenant is not None:
        text = tenant.shorten(text)
    return Response(text.encode(errors="replace"), status, media_type="application/json")


def wants_events(request: Request) -> bool:
    """True if the client takes a stream of events rather than one object."""
    return EVENT_STREAM in request.headers.get("accept", "")


def event_response(run: LiveRun, tenant: Tenant) -> Response:
    """A run as a stream of server-sent events, from its first one on."""
    return stream_response(frames(run, 0), tenant)


def stream_response(body: AsyncIterator[bytes], tenant: Tenant | None = None) -> Response:
    """A stream of server-sent events that no proxy may hold back; see `json_response` for the tenant."""
    if tenant is not None:
        body = _shortened(body, tenant)
    return StreamingResponse(body, media_type=EVENT_STREAM, headers={"X-Accel-Buffering": "no"})


async def until_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work, which is cancelled if the client closes the connection first."""
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_closed(request))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        watch.cancel()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task, watch})


async def _closed(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _shortened(body: AsyncIterator[bytes], tenant: Tenant) -> AsyncIterator[bytes]:
    async for frame in body:
        yield tenant.shorten(frame.decode()).encode()
