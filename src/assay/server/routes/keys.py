"""API keys, for callers with the scope admin."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.errors import UsageError
from assay.server.access import Caller
from assay.server.api_key import DEFAULT_TENANT, Key, expiry
from assay.server.calls import Admin, TheService, json_response, problems
from assay.server.problems import NotFound
from assay.server.responses import KeyList, KeyObject, NewKey
from assay.server.schemas import Body

router = APIRouter(tags=["keys"])

KeyId = Annotated[str, Path(max_length=64)]


class KeyBody(Body):
    """A key to make: what it is for, what it is good for, when it ends (90d, 12h, 2w or an ISO date)."""

    name: str = Field(min_length=1, max_length=100)
    scope: Literal["read", "write", "admin"] = "read"
    tenant: str | None = Field(default=None, max_length=32)
    expires: str | None = Field(default=None, max_length=40)


@router.get("/keys", response_model=KeyList, responses=problems())
async def list_keys(service: TheService, caller: Admin) -> Response:
    """List the keys of the caller's tenant; an admin of the tenant default sees every one."""
    keys = await asyncio.to_thread(service.keys.list, _visible(caller))
    return json_response({"keys": [_object(key) for key in keys]})


@router.post("/keys", response_model=NewKey, status_code=201, responses=problems())
async def create_key(body: KeyBody, service: TheService, caller: Admin) -> Response:
    """Make a key; its text is in this response and nowhere else."""
    tenant = body.tenant or caller.tenant
    if _visible(caller) not in (None, tenant):
        raise UsageError(
            f"a key of the tenant {caller.tenant} makes no keys for others", hint="leave out the tenant"
        )
    ends = None if body.expires is None else expiry(body.expires, time.time())

    def create() -> tuple[Key, str]:
        return service.keys.create(name=body.name, tenant=tenant, scope=body.scope, expires=ends)

    key, text = await asyncio.to_thread(create)
    return json_response({**_object(key), "key": text}, 201)


@router.delete("/keys/{key_id}", response_model=KeyObject, responses=problems(404))
async def revoke_key(key_id: KeyId, service: TheService, caller: Admin) -> Response:
    """Revoke a key for good."""
    try:
        key = await asyncio.to_thread(lambda: service.keys.revoke(key_id, tenant=_visible(caller)))
    except UsageError as error:
        raise NotFound(str(error), hint="GET /api/v1/keys lists the keys") from error
    return json_response(_object(key))


def _visible(caller: Caller) -> str | None:
    """The tenant whose keys the caller sees; None for all."""
    return None if caller.tenant == DEFAULT_TENANT else caller.tenant


def _object(key: Key) -> dict[str, Any]:
    return {**key.to_dict(), "state": key.state_at(time.time())}
