"""The page for people: static files, which need no key to be read."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parents[1] / "page"
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
        return FileResponse(FOLDER / "index.html", media_type="text/html", headers=_FRESH)

    app.add_api_route("/", index, include_in_schema=False, methods=["GET", "HEAD"])
    app.mount("/static", _Files(directory=FOLDER), name="static")
