"""Citation quality, estimated: whether each claim cites, and whether what it cites says so."""

from __future__ import annotations

from assay.assess.reading import Measured, Reading
from assay.types import Claim, Verdict

# The most that an answer scores which cites what does not exist: below every sensible floor.
WITH_AN_INVALID_MARK = 0.4
_EXAMPLES = 3


def citation_quality(reading: Reading) -> Measured:
    """The harmonic mean of recall and precision of citations, as ALCE has them (Gao et al. 2023, section 4.2).

    Recall is the share of claims that cite; precision the share of cited claims with a known verdict that their
    sources bear out. At most 0.4 where a mark stands for no source. Without claims, where no cited claim has a
    known verdict, or where nothing is cited and no check asked for it, it is unknown: nothing is not all valid.
    """
    claims = reading.claims
    if not claims:
        return Measured(None, ("unknown: the answer states nothing that could cite",))
    cited = [claim for claim in claims if claim.citations]
    asked = any(check.name == "sources" for check in reading.review.checks)
    if not cited and not asked and not reading.review.invalid_citations:
        return Measured(None, ("unknown: it marks no source, and was not asked to",))
    known = [claim for claim in cited if claim.verdict is not Verdict.UNKNOWN]
    if cited and not known and not reading.review.invalid_citations:
        return Measured(None, ("unknown: no cited claim could be compared with its source",))
    unborne = [claim for claim in known if claim.verdict is not Verdict.SUPPORTED]
    recall = len(cited) / len(claims)
    precision = 1 - len(unborne) / len(known) if known else 0.0
    score = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    invalid = reading.review.invalid_citations
    if invalid:
        score = min(score, WITH_AN_INVALID_MARK)
    return _told(reading, score, [claim for claim in claims if not claim.citations], unborne)


def _told(reading: Reading, score: float, uncited: list[Claim], unborne: list[Claim]) -> Measured:
    """The score with its reasons."""
    claims, invalid = reading.claims, reading.review.invalid_citations
    reasons = [f"{len(claims) - len(uncited)} of {len(claims)} claims cite a source"]
    suggestions = []
    if uncited:
        suggestions.append("cite the passage that says it behind each statement")
    if unborne:
        reasons.append(f"{len(unborne)} cited claims are not borne out by what they cite")
        suggestions.append("cite the passage that makes the statement")
    if invalid:
        reasons.append(f"{', '.join(invalid[:_EXAMPLES])} stand for no source")
        suggestions.append("drop marks that stand for no source")
    quotes = [reading.quote_claim(each) for each in (*uncited, *unborne)[:_EXAMPLES]]
    return Measured(
        score, tuple(reasons), tuple(dict.fromkeys((*quotes, *invalid[:_EXAMPLES]))), tuple(suggestions)
    )
