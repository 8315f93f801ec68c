"""Pages kept on disk: each with its hash and the time it was read, one file a page.

A file is written beside its place and then moved there, so that any number of processes may read and write at
once. What does not match its own hash counts as absent. The rules are asked before a kept page is shown: one
that was fetched before its domain was denied stays hidden.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from assay.act.guard import Guard
from assay.act.sources import Page, Pages
from assay.stages import Clock

_DAY = 86400.0
_ENDING = ".page"
# Pages are looked through for what is too old once in so many that are kept.
_SWEEP_EVERY = 64
_LARGEST_HEAD = 1 << 16


class KeptPages:
    """Pages as another source fetches them, kept in a folder for `max_age` seconds.

    The folder takes at most `largest` bytes, give or take the pages of a minute; the oldest go first.
    """

    def __init__(
        self,
        pages: Pages,
        guard: Guard,
        folder: Path,
        clock: Clock,
        *,
        max_age: float = _DAY,
        largest: int = 512 * 1024 * 1024,
    ) -> None:
        self._pages = pages
        self._guard = guard
        self._folder = folder
        self._clock = clock
        self._max_age = max_age
        self._largest = largest
        self._written = 0

    async def fetch(self, link: str) -> Page:
        """The kept page where it is young enough, else a new one. Raises EgressRefused, ProviderError.

        A folder that cannot be read or written costs the keeping, not the page.
        """
        asked = str(self._guard.link(link))
        kept = await asyncio.to_thread(self._read, asked)
        if kept is not None:
            self._guard.link(kept.link)
            return kept
        page = await self._pages.fetch(link)
        await asyncio.to_thread(self._write, page)
        return page

    def _path(self, link: str) -> Path:
        return self._folder / (hashlib.sha256(link.encode()).hexdigest() + _ENDING)

    def _read(self, asked: str) -> Page | None:
        """The page kept for a link; None where there is none, it is too old, or it is damaged."""
        try:
            with self._path(asked).open("rb") as file:
                head = json.loads(file.readline(_LARGEST_HEAD))
                page = Page(data=file.read(), **head)
                age = self._clock.time() - page.fetched
                whole = page.asked == asked and hashlib.sha256(page.data).hexdigest() == page.sha256
        except (OSError, ValueError, TypeError):
            return None
        return page if whole and 0 <= age <= self._max_age else None

    def _write(self, page: Page) -> None:
        head = asdict(replace(page, data=b""))
        del head["data"]
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp's files are readable by their owner only.
            handle, name = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(json.dumps(head).encode() + b"\n" + page.data)
                Path(name).replace(self._path(page.asked))
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
            self._written += 1
            if self._written % _SWEEP_EVERY == 1:
                self._sweep()

    def _sweep(self) -> None:
        """Remove what is too old, and the oldest of what is too much."""
        now = self._clock.time()
        total = 0
        for file in sorted(self._folder.iterdir(), key=_modified, reverse=True):
            with suppress(OSError):
                size = file.stat().st_size
                total += size
                if total > self._largest or now - _modified(file) > self._max_age:
                    file.unlink()
                    total -= size


def _modified(file: Path) -> float:
    """When a file was written; 0 where another process has removed it meanwhile."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
