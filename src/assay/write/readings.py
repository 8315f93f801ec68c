"""An answer where sources disagree: one sentence for each reading, so that none is picked silently."""

from __future__ import annotations

from collections.abc import Sequence

from assay.types import Evidence
from assay.write.candidates import Candidate


def per_reading(evidence: Evidence, pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """For each reading of the evidence's contradictions the likeliest sentence that holds its value, once.

    None where the evidence carries no contradiction, or where fewer than two readings can be quoted.
    """
    chosen: dict[int, None] = {}
    for contradiction in evidence.contradictions:
        for reading in contradiction.readings:
            holding = [
                index
                for index, candidate in enumerate(pool)
                if candidate.passage.passage_id in reading.passage_ids and reading.value in candidate.text
            ]
            if holding:
                chosen.setdefault(max(holding, key=lambda index: shares[index]))
    return list(chosen) if len(chosen) > 1 else []
