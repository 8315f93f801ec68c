"""Asking a search service that speaks JSON: one request, within limits, and its failures by name."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

from assay.errors import (
    MissingExtra,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
)
from assay.nlp.publication_date import date_of
from assay.web.guard import Link, SsrfGuard, own_rules
from assay.web.http import (
    FAILURES,
    PinnedHttpClient,
    answered,
    failed,
    late,
    masked,
    read_body,
    unreadable_answer,
)
from assay.web.sources import SearchResult

LARGEST_ANSWER = 4 * 1024 * 1024
LONGEST_TITLE = 300
LONGEST_SNIPPET = 4000
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")


@dataclass(frozen=True, slots=True)
class Answered:
    """A service's answer: its status, its headers, and its body as JSON, None where it is none."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Service:
    """A search service: whom to ask, and how long to wait. Its address is the user's own choice.

    `key_variable` and `url_variable` are the environment variables that a user sets; either may be empty.
    `seconds` bounds one search.
    """

    name: str
    url: str
    key: str | None = field(default=None, repr=False)
    key_variable: str = ""
    url_variable: str = ""
    seconds: float = 8.0

    def __post_init__(self) -> None:
        if self.key is not None and not re.fullmatch(r"[\x21-\x7e]+", self.key):
            raise UsageError(
                f"the key for {self.name} contains a space or a character that no key has",
                hint=f"set {self.key_variable} again, without quotes and line ends",
            )
        self.client()

    @property
    def host(self) -> str:
        """The host of the address, without its port."""
        return urlsplit(self.url).hostname or ""

    def client(self) -> tuple[PinnedHttpClient, Link]:
        """The client for this service's address, which may be on this machine, and the address.

        Raises EgressRefused where it is no address, or one that nobody may reach.
        """
        guard = SsrfGuard(own_rules(self.url))
        return PinnedHttpClient(guard), guard.link(self.url.rstrip("/"))

    async def ask(
        self,
        path: str = "",
        query: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        json_body: Any = None,
        *,
        refused: Mapping[int, str] | None = None,
    ) -> Any:
        """The answer's JSON. `refused` says what to do next about a status that is no answer.

        Raises EgressRefused, ProviderUnreachable, ProviderRefused, ProviderFailed.
        """
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self._asked(path, query or {}, headers or {}, json_body)
        except TimeoutError:
            raise late(self.name, self.seconds) from None
        except FAILURES as error:
            raise failed(self.name, error, self.seconds) from None
        if reply.status == 200:
            return reply.body
        raise self._refusal(reply, refused or {})

    async def _asked(
        self, path: str, query: Mapping[str, str | int], headers: Mapping[str, str], json_body: Any
    ) -> Answered:
        client, base = self.client()
        link = client.guard.link(str(base).rstrip("/") + path + ("?" + urlencode(query) if query else ""))
        asking = {"Accept": "application/json", "Accept-Encoding": "identity", **headers}
        method = "GET" if json_body is None else "POST"
        async with client.open(
            link, method=method, headers=asking, json=json_body, idle_seconds=self.seconds
        ) as response:
            encoding = response.headers.get("Content-Encoding", "")
            data = await read_body(response.content.iter_any(), encoding, LARGEST_ANSWER, self.name)
            return Answered(response.status, dict(response.headers), self._json(data, response.status))

    def _json(self, data: bytes, status: int) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            if status != 200:
                return None
            raise unreadable_answer(self.name, repr(data[:80])) from None

    def _refusal(self, reply: Answered, refused: Mapping[int, str]) -> ProviderError:
        """The error for a status that is no answer."""
        said = masked(reply.body or "", self.key)
        if reply.status in refused:
            return ProviderRefused(f"{self.name} answered {reply.status}: {said}", hint=refused[reply.status])
        hint = f"check {self.url_variable}" if self.url_variable else "try another search service"
        if 300 <= reply.status < 400:
            hint += ": redirects are not followed"
        elif reply.status in (401, 403) and self.key_variable:
            hint = f"set {self.key_variable} to a key of {self.name}"
        return answered(self.name, reply.status, reply.headers, said, hint)


def rows(service: str, value: Any) -> list[Mapping[str, Any]]:
    """The rows of a list in an answer. Raises ProviderFailed where there is no such list."""
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise unreadable_answer(service, f"its results are {type(value).__name__}, not a list of results")
    return value


def result(title: Any, link: Any, snippet: Any, date: Any = None) -> SearchResult | None:
    """A result of those fields, as plain text; None where it has neither a link nor a text.

    >>> result("<b>Tea</b>", "https://t.example/", "Hot &amp; wet")
    SearchResult(title='Tea', link='https://t.example/', snippet='Hot & wet', date=None)
    """
    fields = [plain(field) if isinstance(field, str) else "" for field in (title, snippet)]
    address = link.strip() if isinstance(link, str) else ""
    if not address.startswith(("http://", "https://")):
        address = ""
    if not address and not fields[1]:
        return None
    day = date_of(date) if isinstance(date, str) else None
    return SearchResult(fields[0][:LONGEST_TITLE], address, fields[1][:LONGEST_SNIPPET], day)


def results(service: str, found: Iterable[SearchResult | None], k: int) -> tuple[SearchResult, ...]:
    """The first k usable results. Raises ProviderFailed where there were rows and none of them is usable."""
    listed = list(found)
    usable = [entry for entry in listed if entry is not None]
    if listed and not usable:
        raise unreadable_answer(service, f"none of its {len(listed)} results has a link or a text")
    return tuple(usable[:k])


def plain(text: str) -> str:
    """Text in one line, without tags, entities and characters that nobody sees.

    >>> plain("a <em class='x'>b</em>\\n&lt;c&gt;")
    'a b <c>'
    """
    bare = unescape(_TAG.sub("", text))
    return " ".join("".join(c if c.isprintable() else " " for c in bare).split())


def shortened(query: str, characters: int, words: int) -> str:
    """The query's first words, as many as a service takes.

    >>> shortened("one two three", 9, 50), shortened("one two three", 400, 1)
    ('one two', 'one')
    """
    kept = query.split()[:words]
    while kept and len(" ".join(kept)) > characters:
        kept.pop()
    return " ".join(kept) or query[:characters]


# Brave's web search (https://api-dashboard.search.brave.com/app/documentation/web-search).


BRAVE_URL = "https://api.search.brave.com"
# Brave's own limits.
_MOST = 20
_CHARACTERS, _WORDS = 400, 50


@dataclass(frozen=True, slots=True)
class BraveSearch:
    """Brave with a key; `seconds` bounds one search."""

    key: str = field(repr=False)
    url: str = BRAVE_URL
    seconds: float = 8.0
    name: str = "brave"

    def __post_init__(self) -> None:
        self._service()

    @property
    def host(self) -> str:
        """The host of the service."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError."""
        body = await self._service().ask(
            "/res/v1/web/search",
            {"q": shortened(query, _CHARACTERS, _WORDS), "count": min(k, _MOST)},
            {"X-Subscription-Token": self.key},
            refused={402: "the plan's searches are used up; wait for the next month, or change the plan"},
        )
        if not isinstance(body, dict) or body.get("type") != "search":
            raise unreadable_answer(self.name, "no search response")
        # Brave leaves `web` out where it found no page.
        web = body.get("web", {"results": []})
        found = rows(self.name, web.get("results") if isinstance(web, dict) else None)
        taken = (
            result(row.get("title"), row.get("url"), row.get("description"), row.get("page_age")) for row in found
        )
        return results(self.name, taken, k)

    def _service(self) -> Service:
        return Service(self.name, self.url, self.key, "BRAVE_API_KEY", seconds=self.seconds)


# SearXNG: a search service that anybody can run, and that asks many others.


_NO_JSON = "add json to search.formats in the settings.yml of SearXNG, or set SEARXNG_URL to one that has it"


@dataclass(frozen=True, slots=True)
class SearxngSearch:
    """A SearXNG at an address; `seconds` bounds one search."""

    url: str
    seconds: float = 8.0
    name: str = "searxng"

    def __post_init__(self) -> None:
        self._service()

    @property
    def host(self) -> str:
        """The host of the service."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError, also where all the engines behind it failed."""
        body = await self._service().ask("/search", {"q": query, "format": "json"}, refused={403: _NO_JSON})
        if not isinstance(body, dict):
            raise unreadable_answer(self.name, "no object")
        found = rows(self.name, body.get("results"))
        silent = body.get("unresponsive_engines")
        if not found and silent:
            raise ProviderFailed(
                f"the engines behind {self.name} did not answer: {str(silent)[:200]}",
                hint="wait, then try again, or use other engines",
                retryable=True,
            )
        taken = (
            result(row.get("title"), row.get("url"), row.get("content"), row.get("publishedDate")) for row in found
        )
        return results(self.name, taken, k)

    def _service(self) -> Service:
        return Service(self.name, self.url, url_variable="SEARXNG_URL", seconds=self.seconds)


# Tavily's search (https://docs.tavily.com/documentation/api-reference/endpoint/search).


TAVILY_URL = "https://api.tavily.com"
# Tavily's own limits.
_TAVILY_CHARACTERS = 400
_USED_UP = "the plan's credits are used up; wait for the next month, or change the plan"


@dataclass(frozen=True, slots=True)
class TavilySearch:
    """Tavily with a key; `seconds` bounds one search."""

    key: str = field(repr=False)
    url: str = TAVILY_URL
    seconds: float = 8.0
    name: str = "tavily"

    def __post_init__(self) -> None:
        self._service()

    @property
    def host(self) -> str:
        """The host of the service."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError."""
        body = await self._service().ask(
            "/search",
            headers={"Authorization": f"Bearer {self.key}"},
            json_body={
                "query": shortened(query, _TAVILY_CHARACTERS, _TAVILY_CHARACTERS),
                "max_results": min(k, _MOST),
                "search_depth": "basic",
            },
            refused={432: _USED_UP, 433: _USED_UP},
        )
        if not isinstance(body, dict):
            raise unreadable_answer(self.name, "no object")
        taken = (
            result(row.get("title"), row.get("url"), row.get("content"), row.get("published_date"))
            for row in rows(self.name, body.get("results"))
        )
        return results(self.name, taken, k)

    def _service(self) -> Service:
        return Service(self.name, self.url, self.key, "TAVILY_API_KEY", seconds=self.seconds)


# Wikipedia's own search: articles, each with its opening and the day of its last change.


# MediaWiki's own limits: openings in one answer, characters in a query.
_WIKIPEDIA_CHARACTERS = 300
_WAIT = frozenset("ratelimited maxlag readonly".split())


@dataclass(frozen=True, slots=True)
class WikipediaSearch:
    """Wikipedia in a language; `url` is another wiki's address instead, up to where `/w/api.php` follows."""

    language: str = "en"
    url: str | None = None
    seconds: float = 8.0
    name: str = "wikipedia"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z]{2,3}(-[a-z]{2,10})?", self.language):
            raise UsageError(f"{self.language!r} is not a language of Wikipedia", hint="name one, such as en or de")
        self._service()

    @property
    def host(self) -> str:
        """The host of the wiki."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k articles, best first; their openings are the snippets. Raises ProviderError."""
        asked: dict[str, str | int] = {
            "action": "query",
            "format": "json",
            "formatversion": 2,
            "generator": "search",
            "gsrsearch": shortened(query, _WIKIPEDIA_CHARACTERS, _WIKIPEDIA_CHARACTERS),
            "gsrlimit": min(k, _MOST),
            "prop": "extracts|info|revisions",
            "exintro": 1,
            "explaintext": 1,
            "exlimit": _MOST,
            "inprop": "url",
            "rvprop": "timestamp",
            "maxlag": 5,
        }
        body = await self._service().ask("/w/api.php", asked)
        if not isinstance(body, dict):
            raise unreadable_answer(self.name, "no object")
        self._raise_error(body.get("error"))
        # Without any article there is no `query`, only the sign that the answer is whole.
        if "query" not in body and body.get("batchcomplete") is True:
            return ()
        found = body.get("query")
        pages = rows(self.name, found.get("pages") if isinstance(found, dict) else None)
        ordered = sorted(pages, key=lambda page: _place(page.get("index")))
        return results(self.name, map(_article, ordered), k)

    def _raise_error(self, error: Any) -> None:
        """MediaWiki says its errors with status 200."""
        if error is None:
            return
        code = error.get("code") if isinstance(error, dict) else ""
        said = masked({"error": error}, None)
        if code in _WAIT:
            raise ProviderRefused(f"{self.name} is busy: {said}", hint="wait, then try again", retryable=True)
        raise ProviderFailed(
            f"{self.name} could not search: {said}", hint="rephrase the question, or try again later"
        )

    def _service(self) -> Service:
        url = self.url or f"https://{self.language}.wikipedia.org"
        return Service(self.name, url, seconds=self.seconds)


def _place(index: Any) -> int:
    return index if isinstance(index, int) else _MOST


def _article(page: Mapping[str, Any]) -> SearchResult | None:
    revisions = page.get("revisions")
    changed = revisions[0].get("timestamp") if isinstance(revisions, list) and revisions else None
    return result(page.get("title"), page.get("fullurl"), page.get("extract"), changed)


# DuckDuckGo by way of the `ddgs` package, which reads the pages that DuckDuckGo shows to browsers.


try:
    from ddgs import DDGS
    from ddgs.engines import ENGINES
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
except ImportError as error:
    raise MissingExtra(
        f"searching DuckDuckGo needs a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[web]"',
    ) from error

# The one engine of the package that is asked; by itself it would ask a dozen others as well.
_ENGINE = "duckduckgo"
# A little later than the package's own limit, so that its error comes first.
_GRACE_SECONDS = 1.0

Ask = Callable[[str, int], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class DuckDuckGoSearch:
    """DuckDuckGo, asked in a thread; `seconds` bounds one search.

    `ask` is what does the asking; None for the package itself.
    """

    seconds: float = 8.0
    ask: Ask | None = None
    proxy: str | None = None
    name: str = "duckduckgo"
    host: str = "html.duckduckgo.com"

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError."""
        try:
            async with asyncio.timeout(self.seconds + _GRACE_SECONDS):
                found = await asyncio.to_thread(self.ask or self._ask, query, k)
        except (TimeoutError, TimeoutException):
            raise late(self.name, self.seconds) from None
        except RatelimitException:
            raise ProviderRefused(
                f"{self.name} refuses more searches", hint="wait, or use another service", retryable=True
            ) from None
        except DDGSException as error:
            raise self._failed(error) from None
        taken = (result(row.get("title"), row.get("href"), row.get("body")) for row in rows(self.name, found))
        return results(self.name, taken, k)

    def _ask(self, query: str, k: int) -> Sequence[Mapping[str, Any]]:
        if _ENGINE not in ENGINES["text"]:
            raise ProviderFailed(
                "the installed ddgs package does not ask DuckDuckGo any more",
                hint="use another search service; by itself the package would send your question elsewhere",
            )
        client = DDGS(proxy=self.proxy, timeout=math.ceil(self.seconds))
        found: Sequence[Mapping[str, Any]] = client.text(query, max_results=k, backend=_ENGINE)
        return found

    def _failed(self, error: DDGSException) -> ProviderFailed | ProviderUnreachable:
        said = " ".join(str(error).split())[:200]
        hint = "try again later, or use a service with a key, or a SearXNG of your own"
        if "No results" in said:
            return ProviderFailed(f"{self.name} found nothing, or refused to search", hint=hint, retryable=True)
        return ProviderUnreachable(f"no answer from {self.name}: {said}", hint=hint, retryable=True)
