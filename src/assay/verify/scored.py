"""How far a claim's sources bear it out before any check of its facts, 0 to 1, and what that settles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.verify.cases import Case
from assay.verify.features import features
from assay.verify.likeness import likeness, texts_of
from assay.verify.reading import Reading
from assay.verify.support import trees

if TYPE_CHECKING:
    from assay.verify.likeness import Vector

# At and above the first a changed copy is supported where no checker reads it, below the second any claim is
# unsupported, between them unknown. Of 232 false copies 5 stand as high, of 616 true ones 192; of claims in words
# of their own that do, half are false, so that none is supported without a checker (decisions 104, 164).
SUPPORTED = 0.9
UNSUPPORTED = 0.1


def support_of(case: Case, vectors: Mapping[str, Vector]) -> float | None:
    """The claim's support before its checks: 1 where it is quoted, else by the trees, None with nothing to read."""
    if case.quote is not None:
        return 1.0
    if case.reading is None:
        return None
    found = features(case.reading)
    if any(text not in vectors for text in texts_of(case.reading)):
        return trees("words").probability(found)
    return trees("vectors").probability(found | likeness(case.reading, vectors))


def support_by_words(reading: Reading) -> float:
    """The support of a claim by words alone."""
    return trees("words").probability(features(reading))
