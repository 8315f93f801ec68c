"""What a grader says of a claim beside its sources, and how that joins what words, vectors and facts say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.calibration import Joining, log_odds
from assay.stages import Pair
from assay.text.sentences import sentences
from assay.verify.reading import Reading, read
from assay.verify.window import window
from assay.verify.words import words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The name of this use in a grader's joinings, and the inputs of its line.
USE = "claims"
INPUTS = frozenset({"trees", "left", "whole", "least", "mean"})
# Of a claim of many sentences, at most this many are graded one by one; the longest labelled one has 25.
_MOST_SENTENCES = 32
# Of a share that checks leave, at least this much is read: the logarithm of nothing is endless.
_LEAST_LEFT = 0.05


@dataclass(frozen=True, slots=True)
class Graded:
    """A grader's log odds that a claim is borne out: of the whole, the least and the mean of its sentences."""

    by: str
    whole: float
    least: float
    mean: float

    def joined(self, joining: Joining, aligned: float, left: float) -> float:
        """The claim's support, 0 to 1: with `aligned`, what words and vectors say, and `left`, what checks leave.

        Where a check failed it is never above what there would be without the grader.

        >>> line = Joining({"trees": 1.0, "left": 1.0, "whole": 0.5, "least": 0.0, "mean": 0.0}, 0.0)
        >>> round(Graded("grader", 2.0, 2.0, 2.0).joined(line, 0.5, 1.0), 2)
        0.73
        """
        said = {"whole": self.whole, "least": self.least, "mean": self.mean}
        known = {"trees": log_odds(aligned), "left": math.log(max(_LEAST_LEFT, left))}
        joined = joining.probability(said | known)
        return joined if left == 1.0 else min(joined, aligned * left)


def pairs_of(reading: Reading) -> tuple[Pair, ...]:
    """The pairs whose scores make `Graded`: the claim beside its window, then each of several sentences."""
    found = [reading.text[span.start : span.end] for span in sentences(reading.text)][:_MOST_SENTENCES]
    each = [read(text, reading.ground) for text in found if words_of(text)] if len(found) > 1 else []
    return tuple(Pair(one.text, window(one)) for one in (reading, *each))


def graded(by: str, scores: NDArray[np.float32]) -> Graded:
    """What the scores of `pairs_of` say together."""
    whole, *parts = (float(score) for score in scores)
    parts = parts or [whole]
    return Graded(by, whole, min(parts), math.fsum(parts) / len(parts))


def by_claim(by: str, pairs: Mapping[int, Sequence[Pair]], scores: NDArray[np.float32]) -> dict[int, Graded]:
    """What the scores of all claims' pairs, one claim after another, say of each."""
    found, at = {}, 0
    for n, own in pairs.items():
        found[n] = graded(by, scores[at : at + len(own)])
        at += len(own)
    return found
