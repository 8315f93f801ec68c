"""How far the sources bear a claim out, 0 to 1."""

from __future__ import annotations

from assay.text.tokens import terms
from assay.verify.sources import Sources, aligned, weight


def support(claim: str, sources: Sources) -> float | None:
    """The rarity-weighted share of the claim's terms in its sources, half of it in one sentence.

    None where either has no terms.
    """
    wanted = {term: weight(sources, term) for term in terms(claim)}
    total = sum(wanted.values())
    if not total or not sources.sentences:
        return None
    anywhere = sum(value for term, value in wanted.items() if term in sources.terms) / total
    best = aligned(tuple(wanted), sources, 1)
    return (anywhere + (best[0].coverage if best else 0.0)) / 2
