"""From checks to findings: what did not pass, with advice on how to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.types import Check, Finding, FindingKind, Status

_ADVICE: Mapping[str, str] = {
    "citations": "cite one of the numbered sources, or drop the mark",
    "sources": "cite the passage that says this, or drop the sentence",
    "passages": "cite the passage that says this",
    "quotes": "quote the source's own words, or drop the quotation marks",
    "numbers": "use the source's number",
    "dates": "use the source's date",
    "names": "use the names that the source uses",
    "negation": "state it as the source does",
    "comparison": "state the direction that the source states",
    "roles": "say of each what the source says of it",
    "additions": "drop what no source says",
    "support": "restate it closer to the source, or drop it",
    "subject": "answer for what the question names",
    "polarity": "read the source yourself, and say yes or no only where it does",
    "verifier": "ask again, or use another verifier model",
    "max-risk": "read claims like this yourself, or ask for no promise",
    "agreement": "read the sentence and its source, and decide",
}


def findings_of(checks: Iterable[Check]) -> tuple[Finding, ...]:
    """The findings of some checks: those that failed, and those that could not be made."""
    return tuple(finding_of(check) for check in checks if check.status in (Status.FAILED, Status.UNKNOWN))


def finding_of(check: Check) -> Finding:
    """The finding of a check that did not pass."""
    return Finding(check.name, check.claim, check.severity, check.cause or "", _advice(check), check.kind)


def _advice(check: Check) -> str:
    """What to do: with the source's own value where there is one."""
    if check.kind is FindingKind.DECORATIVE_CITATION:
        return "drop the mark"
    advice = _ADVICE[check.name]
    return advice if check.expected is None else f"{advice}: {check.expected}"
