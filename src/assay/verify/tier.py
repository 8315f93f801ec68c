"""What a further tier of testing is: something that rules on claims beside their evidence, at a price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.types import Claim, Passage, SourceSpan, Verdict


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim to rule on, and the passages that it stands on."""

    claim: Claim
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a tier says of one claim, and why. Unknown where the tier could not say; `reason` is then the cause.

    `spans` are the source sentences that it goes by.
    """

    verdict: Verdict
    reason: str
    spans: tuple[SourceSpan, ...] = ()


class Tier(Protocol):
    """Rule on claims beside their evidence: a local network, a language model."""

    @property
    def name(self) -> str:
        """Who rules, as a claim's history names it."""
        ...

    @property
    def cost(self) -> int:
        """How many calls of a language model one ruling on some claims takes, 0 for none."""
        ...

    async def rule(self, asked: Sequence[Asked]) -> tuple[Ruling, ...]:
        """One ruling a claim, in order. A tier that fails says unknown; raises only DeadlinePassed."""
        ...
