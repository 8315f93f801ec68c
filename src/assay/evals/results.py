"""The result of asking a case, as much of it as metrics read."""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Outcome, RepairKind, Usage, Value, Verdict


@dataclass(frozen=True, slots=True)
class RankedPassage(Value):
    """A passage that was found, and the document it is from; `path` is the document's file or address."""

    passage_id: str
    document_id: str
    path: str


@dataclass(frozen=True, slots=True)
class CitedQuote(Value):
    """The quote that one claim cites: the words of the document that bear it out, and their page."""

    claim: int
    document_id: str
    path: str
    quote: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class CaseResult(Value):
    """The answer to a case, or the error that it ended with; `repeat` counts from 0.

    `outcome` is None where asking failed; then `error` is the error's class, `message` what it says, and all that
    follows is empty. `ranked` is what the first search found, best first. `claims` are the verdicts on the claims
    of the answer, in order; a citation's `claim` is a place among them. `verified` says that the answer is shown
    with ✓: no blocking check failed or is unknown. `probability` is that of being right, None without a
    calibration. `rounds` counts searches, `drafts` drafts. `improved` counts claims that failed and are supported
    after a repair, `regressed` those that were supported and after one are not. Times are milliseconds.
    """

    case: str
    repeat: int
    outcome: Outcome | None
    text: str = ""
    verdict: Verdict | None = None
    verified: bool = False
    claims: tuple[Verdict, ...] = ()
    cited: tuple[CitedQuote, ...] = ()
    invalid_citations: int = 0
    ranked: tuple[RankedPassage, ...] = ()
    sufficiency: float | None = None
    probability: float | None = None
    contradictions: int = 0
    rounds: int = 0
    drafts: int = 0
    repairs: tuple[RepairKind, ...] = ()
    missing: tuple[str, ...] = ()
    usage: Usage | None = None
    ms: float = 0.0
    first_verified_ms: float | None = None
    run_id: str = ""
    error: str = ""
    message: str = ""
    improved: int = 0
    regressed: int = 0
