"""The application: routes, the page, middleware, what opens and closes with it, and the deletion of old runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from assay import __version__
from assay.errors import AssayError
from assay.records.deletion import delete_runs_before
from assay.server import openai_api
from assay.server.api_document import AssayApi
from assay.server.mcp import PATH, guarded, mcp_endpoint
from assay.server.problems import add_problem_handlers
from assay.server.routes import documents, keys, metrics, quality, questions, runs, system
from assay.server.service import Service, Tenant
from assay.server.threads import in_thread

# Seconds that runs in progress have to end by themselves when the server stops; what is left is ended then.
ENDING = 5.0
_DESCRIPTION = "Answers questions from your documents and tests every answer before you see it."


def create_app(service: Service, at_start: Callable[[], None] = lambda: None) -> FastAPI:
    """The application over a service, which it closes when it ends; `at_start` is called on its event loop."""

    endpoint = mcp_endpoint(service)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        at_start()
        service.intake.resume(service.base.data_dir)
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
    app.include_router(metrics.router)
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


logger = logging.getLogger("assay.server")

# Seconds between two looks. Chosen.
EVERY = 3600.0
_DAY = 86_400.0


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


_PAGE = Path(__file__).parent / "page"
# A browser asks each time whether a file is still the one it has, so a new version is seen at once.
_FRESH = {"Cache-Control": "no-cache"}


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
    app.mount("/static", _Files(directory=_PAGE), name="static")
