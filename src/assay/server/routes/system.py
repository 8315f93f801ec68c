"""Health, metrics, rules and settings."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from assay.server.calls import Admin, Reader, TheService, json_response, problems, tenant_of
from assay.server.responses import CollectionList, Status

health = APIRouter(tags=["health"])
router = APIRouter(tags=["system"])


@health.get("/healthz", response_model=Status)
async def healthz() -> Response:
    """Whether the process answers."""
    return json_response({"status": "ok", "checks": {}})


@health.get("/readyz", response_model=Status, responses={503: {"model": Status}})
async def readyz(service: TheService) -> Response:
    """Whether questions can be answered: the data folder can be read and written."""
    cause = await asyncio.to_thread(service.unreadiness)
    if cause is None:
        return json_response({"status": "ok", "checks": {"data": "ok"}})
    return json_response({"status": "unavailable", "checks": {"data": cause}}, 503)


@router.get("/collections", response_model=CollectionList, responses=problems())
async def list_collections(service: TheService, caller: Reader) -> Response:
    """List the collections with the number of their documents."""
    tenant = tenant_of(service, caller)
    rows = []
    for name in await asyncio.to_thread(tenant.collections):
        async with service.engine(tenant, name) as engine:
            documents, version = await engine.adocuments(), await engine.aversion()
        rows.append({"name": name, "documents": len(documents), "version": version})
    return json_response({"collections": rows})


@router.delete("/collections/{name}", status_code=204, response_class=Response, responses=problems(404))
async def delete_collection(name: str, service: TheService, caller: Admin) -> Response:
    """Delete a collection with its documents; recorded runs stay."""
    await service.delete_collection(tenant_of(service, caller), name)
    return Response(status_code=204)
