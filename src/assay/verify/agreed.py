"""What several tiers say of one claim, taken together. Decided in docs/decisions/106-votes-on-a-claim.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Verdict
from assay.verify.tier import Ruling


@dataclass(frozen=True, slots=True)
class Vote:
    """One tier's ruling."""

    by: str
    ruling: Ruling


def agreed(first: Verdict, votes: Sequence[Vote]) -> Verdict:
    """The verdict on a claim whose words and vectors say `first`, and on which no fact speaks against it.

    Where a tier could not say, nothing is supported. Tiers that all say the same settle what words left open, and
    make unknown what words say otherwise.

    >>> yes, no = (Vote("m", Ruling(each, "")) for each in (Verdict.SUPPORTED, Verdict.UNSUPPORTED))
    >>> agreed(Verdict.UNKNOWN, (yes,)).value, agreed(Verdict.SUPPORTED, (no,)).value
    ('supported', 'unknown')
    >>> agreed(Verdict.UNKNOWN, (yes, no)).value
    'unknown'
    """
    said = {vote.ruling.verdict for vote in votes}
    told = said - {Verdict.UNKNOWN}
    if len(told) != 1:
        return first if not told and first is not Verdict.SUPPORTED else Verdict.UNKNOWN
    verdict = next(iter(told))
    if verdict is Verdict.SUPPORTED:
        settled = said == told and first in (Verdict.SUPPORTED, Verdict.UNKNOWN)
        return Verdict.SUPPORTED if settled else Verdict.UNKNOWN
    return Verdict.UNKNOWN if first is Verdict.SUPPORTED else verdict


def disagreement(first: Verdict, votes: Sequence[Vote]) -> str | None:
    """Who says what, where those who could say do not all say the same; None where they do."""
    known = _told(first, votes)
    if len({verdict for _, verdict in known}) < 2:
        return None
    return "; ".join(f"{by}: {verdict.value}" for by, verdict in known)


def could_say(first: Verdict, votes: Sequence[Vote]) -> tuple[str, ...]:
    """Who could say anything of the claim: words and vectors, and each tier whose ruling is not unknown.

    >>> could_say(Verdict.UNSUPPORTED, (Vote("m", Ruling(Verdict.UNKNOWN, "the model failed")),))
    ('words and vectors',)
    """
    return tuple(by for by, _ in _told(first, votes))


def _told(first: Verdict, votes: Sequence[Vote]) -> list[tuple[str, Verdict]]:
    told = [("words and vectors", first), *((vote.by, vote.ruling.verdict) for vote in votes)]
    return [(by, verdict) for by, verdict in told if verdict is not Verdict.UNKNOWN]
