"""The metrics, for those who run the server."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.server.api_key import DEFAULT_TENANT
from assay.server.calls import Admin, Responses, TheService, problems
from assay.server.problems import AccessRefused

router = APIRouter(tags=["health"])

_TEXT: Responses = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/metrics", response_class=Response, responses=_TEXT | problems())
async def metrics(request: Request, service: TheService, caller: Admin) -> Response:
    """The server's counts since it started, of all tenants together, in Prometheus' text format."""
    if caller.tenant != DEFAULT_TENANT:
        raise AccessRefused(
            "the metrics count the questions of every tenant",
            hint=f"use a key of the tenant {DEFAULT_TENANT} with the scope admin",
        )
    accept = request.headers.get("accept", "")

    def page() -> tuple[bytes, str]:
        return service.metrics.page(accept, service.intake.waiting_files())

    body, content_type = await asyncio.to_thread(page)
    return Response(body, headers={"content-type": content_type})
