"""Pages from the web: one GET, within every limit, or a typed error that says why not."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from assay.act.body import ENCODINGS, read_body
from assay.act.door import Door
from assay.act.failures import FAILURES, aiohttp, answered, failed, late
from assay.act.guard import Link
from assay.act.page_date import page_date
from assay.act.robots import LARGEST, Robots, read
from assay.act.site_rules import SiteRules
from assay.act.sources import Page
from assay.errors import ProviderRefused
from assay.stages import Clock

# What the loaders read.
_READABLE = frozenset(
    """text/html application/xhtml+xml text/plain text/markdown text/x-markdown text/csv text/tab-separated-values
    application/csv application/pdf application/x-pdf application/json text/json application/xml text/xml
    application/epub+zip
    application/vnd.openxmlformats-officedocument.wordprocessingml.document
    application/vnd.openxmlformats-officedocument.presentationml.presentation
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet""".split()
)
_REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPTED = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5"


@dataclass(frozen=True, slots=True)
class PageLimits:
    """What one page may take: bytes, seconds in all, seconds without a byte, and redirects."""

    bytes: int = 10 * 1024 * 1024
    seconds: float = 15.0
    idle_seconds: float = 5.0
    hops: int = 5


class PageFetcher:
    """Fetches pages through the door. It keeps the sites' rules for half a day, and nothing else."""

    def __init__(self, door: Door, clock: Clock, limits: PageLimits | None = None) -> None:
        self._door = door
        self._clock = clock
        self._limits = limits or PageLimits()
        self._sites = SiteRules(self._robots, clock)

    async def fetch(self, link: str) -> Page:
        """The page at an address, through at most five redirects, each of them checked like the first.

        Raises EgressRefused for what the rules or the guard forbid, ProviderRefused for what the site does,
        ProviderUnreachable and ProviderFailed.
        """
        asked = self._door.guard.link(link)
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._followed(asked)
        except TimeoutError:
            raise late(str(asked), self._limits.seconds) from None
        except FAILURES as error:
            raise failed(str(asked), error, self._limits.idle_seconds) from None

    async def _followed(self, asked: Link) -> Page:
        link = asked
        for _ in range(self._limits.hops + 1):
            await self._refuse_what_the_site_does(link)
            found = await self._get(asked, link)
            if isinstance(found, Page):
                return found
            link = found
        raise ProviderRefused(
            f"{asked} leads on more than {self._limits.hops} times", hint="give the address that it ends at"
        )

    async def _get(self, asked: Link, link: Link) -> Page | Link:
        """The page, or where it leads on to."""
        headers = {"Accept": _ACCEPTED, "Accept-Encoding": ENCODINGS}
        async with self._door.open(link, headers=headers, idle_seconds=self._limits.idle_seconds) as response:
            if response.status in _REDIRECTS and "Location" in response.headers:
                return self._door.guard.follow(link, response.headers["Location"])
            if response.status != 200:
                raise answered(str(link), response.status, response.headers)
            content_type = _content_type(link, response.headers)
            data = await self._body(response, link, self._limits.bytes)
            modified = response.headers.get("Last-Modified")
        return await asyncio.to_thread(self._page, asked, link, data, content_type, modified)

    def _page(self, asked: Link, link: Link, data: bytes, content_type: str, modified: str | None) -> Page:
        fetched = self._clock.time()
        written = page_date(data, content_type, modified, fetched)
        return Page(str(link), str(asked), data, content_type, fetched, hashlib.sha256(data).hexdigest(), written)

    async def _body(self, response: aiohttp.ClientResponse, link: Link, largest: int) -> bytes:
        encoding = response.headers.get("Content-Encoding", "")
        return await read_body(response.content.iter_any(), encoding, largest, str(link))

    # --- the site's own rules -----------------------------------------------------------------------

    async def _refuse_what_the_site_does(self, link: Link) -> None:
        """Raise ProviderRefused where the site's robots.txt, or the lack of an answer, forbids the link."""
        if not (await self._sites.of(link)).allows(link.target):
            hint = "open it in a browser, and add it as a file if you may"
            raise ProviderRefused(f"{link}: the site's robots.txt does not let it be read", hint=hint)

    async def _robots(self, link: Link) -> Robots:
        """The site's rules: none where it has no such file. Raises ProviderError where it cannot be asked."""
        at = self._door.guard.follow(link, "/robots.txt")
        for _ in range(self._limits.hops + 1):
            headers = {"Accept": "text/plain,*/*;q=0.5", "Accept-Encoding": ENCODINGS}
            async with self._door.open(at, headers=headers, idle_seconds=self._limits.idle_seconds) as response:
                if response.status in _REDIRECTS and "Location" in response.headers:
                    at = self._door.guard.follow(at, response.headers["Location"])
                elif response.status == 200:
                    return read((await self._body(response, at, LARGEST)).decode("utf-8", errors="replace"))
                elif response.status == 429 or response.status >= 500:
                    raise answered(f"{at}, which says what may be read,", response.status, response.headers)
                else:
                    # A site without the file forbids nothing (RFC 9309, 2.3.1.3).
                    return Robots()
        return Robots()


def _content_type(link: Link, headers: Mapping[str, str]) -> str:
    """The response's type without parameters. Raises ProviderRefused for one that no loader reads."""
    told = headers.get("Content-Type", "").split(";")[0].strip().lower()
    if told in _READABLE or told.endswith(("+xml", "+json")):
        return told
    kind = told[:80] or "of no known kind"
    raise ProviderRefused(f"{link} is {kind}, which is not read", hint="look for the same as a page or a PDF")
