"""The server: one port for the site and for the search services, in a thread of its own."""

from __future__ import annotations

import asyncio
import gzip
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from assay.nlp.tokens import terms
from support.web.pages import AWKWARD, Served, page, redirect

# How a search service can fail: what it answers instead of results.


_JSON = "application/json"

# Each by its name; a service that is down has its port closed instead.
FAULTS: Mapping[str, Served] = {
    "hangs": Served(pause=3600.0),
    "drips": Served(b" ", content_type=_JSON, pause=0.05, repeat=100_000),
    "400": Served(b'{"error": "bad request"}', 400, _JSON),
    "401": Served(b'{"detail": {"error": "Unauthorized: invalid key"}}', 401, _JSON),
    "402": Served(b'{"error": "payment required"}', 402, _JSON),
    "403": Served(b"<h1>Forbidden</h1>", 403),
    "404": Served(b"<h1>Not found</h1>", 404),
    "408": Served(b"", 408),
    "422": Served(b'{"error": {"detail": "q is too long"}}', 422, _JSON),
    "429": Served(b"Too many requests", 429, "text/plain", {"Retry-After": "3"}),
    "432": Served(b'{"detail": {"error": "plan limit"}}', 432, _JSON),
    "500": Served(b"<h1>Internal error</h1>", 500),
    "502": Served(b"<h1>Bad gateway</h1>", 502),
    "503": Served(b"", 503, headers={"Retry-After": "60"}),
    "redirects": redirect("http://169.254.169.254/"),
    "says nothing": Served(b"", content_type=_JSON),
    "shows a page": Served(b"<!doctype html><h1>Log in</h1>"),
    "says null": Served(b"null", content_type=_JSON),
    "says a list": Served(b"[]", content_type=_JSON),
    "says an empty object": Served(b"{}", content_type=_JSON),
    "says other types": Served(b'{"results": "none", "type": "search", "web": 7, "query": []}', content_type=_JSON),
    "says rows of nothing": Served(
        b'{"results": [{}], "type": "search", "web": {"results": [{}]}, "query": {"pages": [{}]}}',
        content_type=_JSON,
    ),
    "nests too deeply": Served(b"[" * 200_000, content_type=_JSON),
    "breaks off": Served(b'{"results": [', content_type=_JSON, headers={"Content-Length": "9000"}, cut=True),
    "is not text": Served(b"\xff\xfe\x00\x01", content_type=_JSON),
    "is huge": Served(b" " * 65536, content_type=_JSON, repeat=2048),
    "is a gzip bomb": Served(
        gzip.compress(b" " * (64 << 20)), content_type=_JSON, headers={"Content-Encoding": "gzip"}
    ),
    "drops the connection": Served(status=0, cut=True),
}


# Search over the site's articles, in the shapes of the services that assay speaks to.


_K1, _B = 1.2, 0.75
_SNIPPET = 200


@dataclass(frozen=True, slots=True)
class Article:
    """An article of the site: its path, what it says, and its day (ISO 8601) where it has one."""

    path: str
    title: str
    text: str
    date: str | None = None


class Words:
    """BM25 over articles."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self._articles = tuple(articles)
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for at, article in enumerate(self._articles):
            counts = Counter(terms(f"{article.title} {article.text}"))
            lengths.append(counts.total())
            for term, count in counts.items():
                self._places[term].append((at, count))
        self._lengths = lengths
        self._mean = sum(lengths) / len(lengths) if lengths else 1.0

    def best(self, query: str, k: int) -> list[Article]:
        """The k articles that share most with the query, best first.

        >>> Words([Article("/a", "Tea", "Hot."), Article("/b", "Ice", "Cold.")]).best("hot tea", 5)
        [Article(path='/a', title='Tea', text='Hot.', date=None)]
        """
        scores: dict[int, float] = defaultdict(float)
        for term in set(terms(query)):
            places = self._places.get(term, [])
            weight = math.log(1 + (len(self._articles) - len(places) + 0.5) / (len(places) + 0.5))
            for at, count in places:
                length = 1 - _B + _B * self._lengths[at] / self._mean
                scores[at] += weight * count * (_K1 + 1) / (count + _K1 * length)
        ordered = sorted(scores, key=lambda at: (-scores[at], at))
        return [self._articles[at] for at in ordered[:k]]


def searxng(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as SearXNG lists them."""
    rows = [
        {"title": each.title, "url": base + each.path, "content": _opening(each), "publishedDate": each.date}
        for each in found
    ]
    return {"query": "", "number_of_results": len(rows), "results": rows, "unresponsive_engines": []}


def brave(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as Brave lists them; without any there is no `web`."""
    rows = [
        {"title": each.title, "url": base + each.path, "description": _opening(each), "page_age": each.date}
        for each in found
    ]
    return {"type": "search", "query": {}} | ({"web": {"type": "search", "results": rows}} if rows else {})


def tavily(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as Tavily lists them."""
    rows = [
        {"title": each.title, "url": base + each.path, "content": _opening(each), "score": 0.5} for each in found
    ]
    return {"query": "", "results": rows, "response_time": 0.1}


def wikipedia(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as MediaWiki lists them, in no order but that of `index`; without any there is no `query`."""
    rows = [
        {
            "pageid": n,
            "title": each.title,
            "index": n,
            "extract": _opening(each),
            "fullurl": base + each.path,
            "revisions": [{"timestamp": f"{each.date or '2020-01-01'}T00:00:00Z"}],
        }
        for n, each in enumerate(found, 1)
    ]
    return {"batchcomplete": True} | ({"query": {"pages": rows[::-1]}} if rows else {})


def _opening(article: Article) -> str:
    return article.text[:_SNIPPET]


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
    assert request.transport is not None
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
