"""Asking a search service that speaks JSON: one request, within limits, and its failures by name."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

from assay.act.body import read_body
from assay.act.door import Door, Resolve, system_addresses
from assay.act.failures import FAILURES, answered, failed, late, masked, nonsense
from assay.act.guard import Guard, Link, own_rules
from assay.act.sources import SearchResult
from assay.errors import ProviderError, ProviderRefused, UsageError
from assay.text.written import date_of

LARGEST_ANSWER = 4 * 1024 * 1024
LONGEST_TITLE = 300
LONGEST_SNIPPET = 4000
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a service sent: its status, its headers, and its body as JSON, None where it is none."""

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
    resolve: Resolve = system_addresses

    def __post_init__(self) -> None:
        if self.key is not None and not re.fullmatch(r"[\x21-\x7e]+", self.key):
            raise UsageError(
                f"the key for {self.name} holds a space or a letter that no key has",
                hint=f"set {self.key_variable} again, without quotes and line ends",
            )
        self.door()

    @property
    def host(self) -> str:
        """The host of the address, without its port."""
        return urlsplit(self.url).hostname or ""

    def door(self) -> tuple[Door, Link]:
        """The door to this service's address, which may be on this machine, and the address.

        Raises EgressRefused where it is no address, or one that nobody may reach.
        """
        guard = Guard(own_rules(self.url))
        return Door(guard, self.resolve), guard.link(self.url.rstrip("/"))

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
        door, base = self.door()
        link = door.guard.link(str(base).rstrip("/") + path + ("?" + urlencode(query) if query else ""))
        asking = {"Accept": "application/json", "Accept-Encoding": "identity", **headers}
        method = "GET" if json_body is None else "POST"
        async with door.open(
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
            raise nonsense(self.name, repr(data[:80])) from None

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
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise nonsense(service, f"its results are {type(value).__name__}, not a list of results")
    return value


def result(title: Any, link: Any, snippet: Any, date: Any = None) -> SearchResult | None:
    """A result of those fields, as plain text; None where it has neither a link nor a text.

    >>> result("<b>Tea</b>", "https://t.example/", "Hot &amp; wet")
    SearchResult(title='Tea', link='https://t.example/', snippet='Hot & wet', date=None)
    """
    fields = [plain(each) if isinstance(each, str) else "" for each in (title, snippet)]
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
    usable = [each for each in listed if each is not None]
    if listed and not usable:
        raise nonsense(service, f"none of its {len(listed)} results has a link or a text")
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
