"""Which sources outside may be asked, on which host, and whether each answers a search."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from assay.act.sources import SearchProvider
from assay.build.outside import open_provider
from assay.cli.examine import Examined
from assay.cli.examine_models import key_told, told
from assay.errors import AssayError
from assay.settings import Resolved, Settings
from assay.types import Status

# Seconds for one search; an MCP server is started within them.
PATIENCE = 30.0
# What a source is searched for: a word that tells nothing of anybody.
QUERY = "water"
_RESULTS = 3


def examine_outside(resolved: Resolved) -> Iterator[Examined]:
    """Whether anything may be asked outside, then each source with its host, searched once."""
    settings = resolved.settings
    if not settings.outside:
        detail = "off: no question leaves this machine for a search; turn a source on with --outside"
        yield Examined("outside", Status.SKIPPED, detail)
        return
    yield Examined("outside", Status.PASSED, _rules(settings))
    for name in settings.outside:
        yield _source(name, resolved)


def _rules(settings: Settings) -> str:
    """Which pages are read."""
    allowed = f"pages are read from {', '.join(settings.domains)} only" if settings.domains else "any public page"
    denied = f"none from {', '.join(settings.denied_domains)}" if settings.denied_domains else ""
    own = f"of your own network {', '.join(settings.intranet_hosts)}" if settings.intranet_hosts else ""
    return "; ".join(part for part in ("on", allowed, denied, own) if part)


def _source(name: str, resolved: Resolved) -> Examined:
    """One source: its host, its key, and what a search of it gave."""
    what = f"outside {name}"
    try:
        provider = open_provider(name, resolved.settings)
    except AssayError as error:
        return Examined(what, Status.FAILED, told(error))
    where = f"→ {provider.host}{key_told(name, resolved)}"
    begun = time.perf_counter()
    try:
        count = asyncio.run(_found(provider))
    except TimeoutError:
        return Examined(what, Status.FAILED, f"{where}: no answer within {PATIENCE:g} s (see whether it is up)")
    except AssayError as error:
        return Examined(what, Status.FAILED, f"{where}: {told(error)}")
    results = f"{count} result{'' if count == 1 else 's'}"
    return Examined(what, Status.PASSED, f"{where}, answers with {results}, {time.perf_counter() - begun:.1f} s")


async def _found(provider: SearchProvider) -> int:
    async with asyncio.timeout(PATIENCE):
        return len(await provider.search(QUERY, _RESULTS))
