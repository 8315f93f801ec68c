"""Passages for a prompt that is not assay's own: what reads like an instruction to a model is blank in them."""

from __future__ import annotations

import asyncio

from assay.engine import Engine
from assay.retrieve.quarantine import quarantined
from assay.types import Evidence, SearchSettings


def found(engine: Engine, query: str, settings: SearchSettings | None) -> Evidence:
    """The best passages for a query, as `Engine.search` finds them; blanks keep every place true."""
    return quarantined(engine.search(query, settings)).readable


async def afound(engine: Engine, query: str, settings: SearchSettings | None) -> Evidence:
    """As `found`."""
    evidence = await engine.asearch(query, settings)
    return (await asyncio.to_thread(quarantined, evidence)).readable
