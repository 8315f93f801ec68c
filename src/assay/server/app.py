"""The application: routes, page, API description, middleware, what opens and closes with it, old runs deleted."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from assay import __version__
from assay.errors import AssayError
from assay.records.deletion import delete_runs_before
from assay.server import openai_api
from assay.server.api_key import DEFAULT_TENANT
from assay.server.calls import reference
from assay.server.mcp import PATH, guarded, mcp_endpoint
from assay.server.problems import add_problem_handlers
from assay.server.responses import AnswerObject, JobObject, Problem, model_of
from assay.server.routes import documents, keys, quality, questions, runs, system
from assay.server.service import Service, Tenant
from assay.server.threads import in_thread
from assay.types import (
    Acted,
    Done,
    Event,
    EvidenceFound,
    Failed,
    FindingMade,
    Judged,
    SentenceProvisional,
    SentenceRevised,
    SentenceVerified,
    SentenceWithdrawn,
    StatusChanged,
)

logger = logging.getLogger("assay.server")

# Seconds that runs in progress have to end by themselves when the server stops; what is left is ended then.
ENDING = 5.0
_DESCRIPTION = "Answers questions from your documents and tests every answer before you see it."
# Seconds between two looks for runs that are too old. Chosen.
EVERY = 3600.0
_DAY = 86_400.0
_PAGE = Path(__file__).parent / "page"
# A browser asks each time whether a file is still the one it has, so a new version is seen at once.
_FRESH = {"Cache-Control": "no-cache"}
# The events whose schemas are described.
_EVENTS: tuple[type[Event], ...] = (
    Acted, Done, EvidenceFound, Failed, FindingMade, Judged, SentenceProvisional, SentenceRevised, SentenceVerified,
    SentenceWithdrawn, StatusChanged,
)  # fmt: skip


def create_app(service: Service, at_start: Callable[[], None] = lambda: None) -> FastAPI:
    """The application over a service, which it closes when it ends; `at_start` is called on its event loop."""

    endpoint = mcp_endpoint(service)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        at_start()
        with service.tenant(DEFAULT_TENANT).collections.stay_open():
            service.intake.resume()
            if service.has_collections():
                await service.viewer.prepare()
            async with endpoint.running(), _deleting_old_runs(service):
                yield
            await service.close(ENDING)

    app = AssayApi(
        title="assay",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    add_problem_handlers(app)
    api = APIRouter(prefix="/api/v1")
    for router in (questions.router, documents.router, runs.router, quality.router, system.router, keys.router):
        api.include_router(router)
    app.include_router(api)
    app.include_router(openai_api.router)
    app.include_router(system.health)
    app.router.routes.append(Route(PATH, endpoint=guarded(endpoint), include_in_schema=False))
    add_page(app)
    return app


@asynccontextmanager
async def _deleting_old_runs(service: Service) -> AsyncIterator[None]:
    """Delete runs once they are too old, if the settings say when, until the block ends."""
    days = service.settings.keep_runs
    if days is None:
        yield
        return
    deleting = asyncio.create_task(Retention(service, days).keep_deleting())
    try:
        yield
    finally:
        deleting.cancel()
        with suppress(asyncio.CancelledError):
            await deleting


@dataclass(frozen=True, slots=True)
class Retention:
    """Deletes runs that began more than `days` ago, as `assay runs prune` does, with the verdicts kept for them.

    Several processes of one server may each do so: what one has deleted, another does not find.
    """

    service: Service
    days: int
    clock: Callable[[], float] = time.time

    async def keep_deleting(self) -> None:
        """Delete now and then every hour, until this is cancelled; what fails is logged and tried again."""
        while True:
            await self.delete_once()
            await asyncio.sleep(EVERY)

    async def delete_once(self) -> int:
        """Delete the runs that are too old now; how many there were."""
        count = sum([await self._delete_of(tenant) for tenant in self.service.recording_tenants()])
        if count:
            logger.info("deleted %d runs older than %d days", count, self.days)
        return count

    async def _delete_of(self, tenant: Tenant) -> int:
        store, until, count = self.service.records(tenant), self.clock() - self.days * _DAY, 0
        try:
            while deleted := (await in_thread(delete_runs_before, store, tenant.folder, until)).runs:
                count += deleted
        except AssayError:
            logger.exception("the old runs of the tenant %s cannot be deleted", tenant.name)
        return count


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_FRESH)
        return response


def add_page(app: FastAPI) -> None:
    """Serve the page at / and its files below /static."""

    async def index() -> Response:
        return FileResponse(_PAGE / "index.html", media_type="text/html", headers=_FRESH)

    app.add_api_route("/", index, include_in_schema=False, methods=["GET", "HEAD"])
    app.mount("/static", GZipMiddleware(_Files(directory=_PAGE)), name="static")


class AssayApi(FastAPI):
    """The application with a description of everything that it sends."""

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            schemas: dict[str, Any] = super().openapi()["components"]["schemas"]
            schemas.update({name: schema for name, schema in _further_schemas().items() if name not in schemas})
        return super().openapi()


def _further_schemas() -> dict[str, Any]:
    """The schemas of errors and of events, by name."""
    events = [_event_model(kind) for kind in _EVENTS]
    models: list[type[BaseModel]] = [Problem, JobObject, *events]
    sent: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in models]
    _, found = models_json_schema(sent, ref_template=reference("{model}")["$ref"])
    of_run = {
        "description": "Something that happened in a run.",
        "oneOf": [reference(model.__name__) for model in events],
        "discriminator": {"propertyName": "kind"},
    }
    return {**found["$defs"], "RunEvent": of_run}


def _event_model(kind: type[Event]) -> type[BaseModel]:
    """The schema of an event on the wire."""
    more: dict[str, Any] = {"answer": (AnswerObject, ...)} if kind is Done else {}
    literal: Any = Literal[kind.kind]
    return model_of(f"{kind.__name__}Event", kind, kind=(literal, ...), **more)
