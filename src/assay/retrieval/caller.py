"""Passages retrieved by the caller, in place of a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.core.stages import Retriever
from assay.types import Evidence


@dataclass(slots=True)
class CallerRetriever:
    """Give the caller's passages for the first queries; later ones go to `then`, or find the same passages."""

    evidence: Evidence
    then: Retriever | None = None
    _asked: bool = field(default=False, init=False)

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The caller's passages in their order, or what `then` finds; raises what `then` raises."""
        if self._asked and self.then is not None:
            return await self.then.retrieve(queries)
        self._asked = True
        return self.evidence
