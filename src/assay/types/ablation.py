"""What an answer's claims lose when one of its sources is left out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.types.value import Value


class CitationRole(StrEnum):
    """What a citation does for the claims of its sentence.

    A claim falls without a carrying one, stands by another source as well without a shared one, and does not rest
    on a decorative one at all. An unsure one may support a claim that stands without it. An untested one belongs to
    a claim that its sources do not support, so that nothing can fall.
    """

    CARRYING = "carrying"
    SHARED = "shared"
    UNSURE = "unsure"
    UNTESTED = "untested"
    DECORATIVE = "decorative"


@dataclass(frozen=True, slots=True)
class CitationAblation(Value):
    """A sentence's citation of one source, its role and the reason; `claims` and `source` are the answer's numbers.

    `support` is that of the claim by this source only, 0 to 1, of several claims the highest; None where nothing
    could be compared.
    """

    claims: tuple[int, ...]
    source: int
    role: CitationRole
    reason: str
    support: float | None = None


@dataclass(frozen=True, slots=True)
class SourceAblation(Value):
    """One source of the answer; `falls` numbers the claims that no other source of the answer supports."""

    number: int
    passage_id: str
    title: str
    falls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ablation(Value):
    """An answer with each of its sources left out once.

    `citations` are in the order of the claims, `sources` in that of their numbers. `untested` numbers the claims
    that today's tests support by none of their sources.
    """

    citations: tuple[CitationAblation, ...]
    sources: tuple[SourceAblation, ...]
    untested: tuple[int, ...]

    @property
    def decorative(self) -> tuple[CitationAblation, ...]:
        """The decorative citations."""
        return tuple(one for one in self.citations if one.role is CitationRole.DECORATIVE)
