"""The application: routes, middleware, and what is opened and closed with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from fastapi import APIRouter, FastAPI
from starlette.routing import Route

from assay import __version__
from assay.server import openai_api
from assay.server.api_document import AssayApi
from assay.server.api_key import DEFAULT_TENANT
from assay.server.mcp import PATH, guarded, mcp_endpoint
from assay.server.problems import add_problem_handlers
from assay.server.retention import Retention
from assay.server.routes import documents, keys, metrics, quality, questions, runs, system
from assay.server.routes.page import add_page
from assay.server.service import Service

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
        with service.tenant(DEFAULT_TENANT).collections.stay_open():
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
