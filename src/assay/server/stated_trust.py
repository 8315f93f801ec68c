"""How likely right answers were said to be, against what people labelled them."""

from __future__ import annotations

from assay.evals.metrics import BINS, debiased_ece, reliability
from assay.records.labels import WHOLE, Labels
from assay.records.run_records import RunRecords
from assay.types import StatedTrust

# The latest labels that are looked at, each of which needs its run to be read. Chosen.
_MOST = 500
# Rows that a bin has at least, where there are as many. Chosen.
_ROWS = 10


def stated_trust(store: RunRecords) -> StatedTrust | None:
    """The stated probabilities of labelled answers against their labels; None where no answer has both."""
    labels = [label for label in Labels(store).current() if label.claim == WHOLE][-_MOST:]
    stated: list[float] = []
    right: list[bool] = []
    for label in labels:
        answer = store.load(label.run_id).answer
        value = None if answer is None else answer["confidence"]["value"]
        if value is not None:
            stated.append(value)
            right.append(label.good)
    if not stated:
        return None
    bins = reliability(stated, right, max(1, min(BINS, len(stated) // _ROWS)))
    return StatedTrust(bins, debiased_ece(bins) if len(stated) > 1 else None)
