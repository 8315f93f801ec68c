"""Accuracy, estimated: the share of the answer's claims that its evidence bears out."""

from __future__ import annotations

from assay.assess.reading import Measured, Reading
from assay.types import Claim, Verdict

# The most that an answer with a contradicted claim scores: below every sensible floor, so that it cannot pass.
WITH_A_CONTRADICTION = 0.4
_EXAMPLES = 3


def accuracy(reading: Reading) -> Measured:
    """Supported claims / claims; at most 0.4 where one is contradicted; unknown where no claim could be compared.

    A claim whose verdict is unknown is not borne out: it counts below the line and not above.
    """
    claims = reading.claims
    if not claims:
        return Measured(None, ("unknown: the answer states nothing that can be tested",))
    by = {verdict: [each for each in claims if each.verdict is verdict] for verdict in Verdict}
    if len(by[Verdict.UNKNOWN]) == len(claims):
        return Measured(None, ("unknown: no claim could be compared with the evidence",))
    score = len(by[Verdict.SUPPORTED]) / len(claims)
    if by[Verdict.CONTRADICTED]:
        score = min(score, WITH_A_CONTRADICTION)
    bad = (*by[Verdict.CONTRADICTED], *by[Verdict.UNSUPPORTED], *by[Verdict.UNKNOWN])[:_EXAMPLES]
    first = f"{len(by[Verdict.SUPPORTED])} of {len(claims)} claims are borne out by the evidence"
    return Measured(
        score,
        (first, *(_told(each) for each in bad)),
        tuple(dict.fromkeys(reading.quote_claim(each) for each in bad)),
        tuple(dict.fromkeys(_SUGGESTED[each.verdict] for each in bad)),
    )


_SUGGESTED = {
    Verdict.CONTRADICTED: "state it as the evidence does, or drop it",
    Verdict.UNSUPPORTED: "drop what the evidence does not say, or find the passage that says it",
    Verdict.UNKNOWN: "say it closer to the words of its passage, so that it can be tested",
}


def _told(claim: Claim) -> str:
    """A claim's verdict with the reason that its history ends with."""
    why = claim.history[-1].reason if claim.history else ""
    return f"claim {claim.n} is {claim.verdict.value}" + (f": {why}" if why else "")
