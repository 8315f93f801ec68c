"""No source outside: what stands there until the user turns one on."""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Evidence


@dataclass(frozen=True, slots=True)
class Nowhere:
    """Finds nothing; the policy never asks it, since EXTERNAL is not able where it stands."""

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """No evidence."""
        return Evidence()
