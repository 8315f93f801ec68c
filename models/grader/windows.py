"""The few sentences of a long context that a claim is read against, chosen as the verifier chooses them."""

from __future__ import annotations

from assay.types import Passage
from assay.verify import window as chosen
from assay.verify.ground import Ground, ground_of
from assay.verify.reading import read
from assay.verify.sources import sources_of


def ground(context: str) -> Ground:
    """The context read once for all claims on it."""
    return ground_of(sources_of([Passage("context", "context", "", 0, len(context), context)]))


def window(claim: str, against: Ground, words: int = chosen.WORDS) -> str:
    """The sentences that hold most of the claim, as many as fit, in their order; "" with nothing to read."""
    if not claim.strip() or not against.texts:
        return ""
    return chosen.window(read(claim, against), words)
