"""The server: one port for the site and for the search services, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from assay.testing.web.faults import FAULTS
from assay.testing.web.pages import AWKWARD, Served, page
from assay.testing.web.search import Article, Words, brave, searxng, tavily, wikipedia

_RESULTS = 5
_SERVICES = {"/search", "/res/v1/web/search", "/w/api.php"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came; headers by lower-case name, `query` the words that were looked for."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: str = ""


class LocalWeb:
    """A site and its search services on this machine, while it is entered.

    `articles` are pages that the search finds; `pages` are served too, and found by nobody. The search returns
    the five best, as SearXNG, Brave, Tavily and Wikipedia shape them.

    >>> from urllib.request import urlopen
    >>> with LocalWeb([Article("/tea", "Tea", "Tea is hot.")]) as site, urlopen(site.url + "/tea") as response:
    ...     b"Tea is hot." in response.read()
    True
    """

    def __init__(
        self,
        articles: Sequence[Article] = (),
        pages: Mapping[str, Served] = AWKWARD,
        *,
        robots: Served | None = None,
    ) -> None:
        self._articles = {each.path: each for each in articles}
        self._words = Words(articles)
        self._pages = dict(pages)
        self._robots = robots or Served(b"no", 404)
        self._fault: Served | None = None
        self._requests: list[Asked] = []
        self._answering: set[asyncio.Task[web.StreamResponse]] = set()
        self._loop: asyncio.AbstractEventLoop
        self._port = 0

    def __enter__(self) -> Self:
        """Begin to serve."""
        serving = threading.Event()

        def serve() -> None:
            try:
                asyncio.run(self._serve(serving))
            finally:
                serving.set()

        self._thread = threading.Thread(target=serve, name="assay-web", daemon=True)
        self._thread.start()
        serving.wait()
        if not self._port:
            raise RuntimeError("the web on this machine did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop every connection and stop."""
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    @property
    def address(self) -> str:
        """`host:port`, to be named in the rules."""
        return f"127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        """The port."""
        return self._port

    @property
    def url(self) -> str:
        """The site's base, and that of each search service."""
        return f"http://{self.address}"

    @property
    def requests(self) -> tuple[Asked, ...]:
        """Every request that came, in order."""
        return tuple(self._requests)

    def serve(self, path: str, served: Served) -> None:
        """From now on, answer this at a path."""
        self._pages[path] = served

    def misbehave(self, fault: str | Served) -> None:
        """From now on, every search is answered like this; a name is one of FAULTS."""
        self._fault = FAULTS[fault] if isinstance(fault, str) else fault

    def behave(self) -> None:
        """From now on, search honestly."""
        self._fault = None

    # --- in the thread ------------------------------------------------------------------------------

    async def _serve(self, serving: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()
        runner = web.ServerRunner(web.Server(self._answer, access_log=None), shutdown_timeout=0.0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self._port = runner.addresses[0][1]
        serving.set()
        await self._closing.wait()
        for task in self._answering:
            task.cancel()
        await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request in a task that ends with the server, however long it would sleep."""
        task = asyncio.create_task(self._answered(request))
        self._answering.add(task)
        try:
            return await task
        finally:
            self._answering.discard(task)

    async def _answered(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.json() if request.method == "POST" else {}
        words = request.query.get("q") or request.query.get("gsrsearch") or str(body.get("query", ""))
        headers = {name.lower(): value for name, value in request.headers.items()}
        self._requests.append(Asked(request.method, request.path, headers, words))
        if request.path in _SERVICES:
            return await self._found(request, words)
        if request.path == "/robots.txt":
            return await send(request, self._robots)
        article = self._articles.get(request.path)
        if article is not None:
            return await send(request, _article(article))
        return await send(request, self._pages.get(request.path, Served(b"no such page", 404)))

    async def _found(self, request: web.BaseRequest, words: str) -> web.StreamResponse:
        if self._fault is not None:
            return await send(request, self._fault)
        found = self._words.best(words, _RESULTS)
        shapes: dict[tuple[str, str], Any] = {
            ("GET", "/search"): searxng,
            ("POST", "/search"): tavily,
            ("GET", "/res/v1/web/search"): brave,
            ("GET", "/w/api.php"): wikipedia,
        }
        return web.json_response(shapes[request.method, request.path](found, self.url))


def _article(article: Article) -> Served:
    head = f'<meta property="article:published_time" content="{article.date}">' if article.date else ""
    return page(article.title, article.text, head)


async def send(request: web.BaseRequest, served: Served) -> web.StreamResponse:
    """Send an answer as it says, however wrong."""
    assert request.transport is not None  # noqa: S101 - nobody has closed it yet
    if served.status == 0:
        request.transport.abort()
        return web.Response()
    response = web.StreamResponse(status=served.status, headers=dict(served.headers))
    if served.content_type is not None:
        response.headers["Content-Type"] = served.content_type
    elif served.status == 200:
        # aiohttp would give one of its own.
        response.headers["Content-Type"] = ""
    with suppress(ConnectionError):
        await response.prepare(request)
        for _ in range(served.repeat):
            await asyncio.sleep(served.pause)
            await response.write(served.body)
        if served.cut:
            request.transport.abort()
        await response.write_eof()
    return response
