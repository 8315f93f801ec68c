"""An answer where sources disagree: one sentence for each reading, so that none is picked silently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.types import Contradiction, Evidence, Passage
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


def told_readings(evidence: Evidence, passages: Sequence[Passage]) -> str:
    """Each contradiction on a line, for a prompt: its readings with the numbers of the passages and their date.

    A reading none of whose passages is among these is left out, and a contradiction of which fewer than two are
    left; "" where there is none.
    """
    number = {passage.passage_id: n for n, passage in enumerate(passages, 1)}
    lines = (_line(each, number) for each in evidence.contradictions)
    return "\n".join(line for line in lines if line)


def _line(contradiction: Contradiction, number: Mapping[str, int]) -> str:
    told = [
        f"{reading.value} {marks}" + (f" ({reading.date})" if reading.date else "")
        for reading in contradiction.readings
        if (marks := "".join(f"[{number[key]}]" for key in reading.passage_ids if key in number))
    ]
    aspect = " ".join(contradiction.aspect.split())
    return f"- {aspect}: {'; '.join(told)}" if len(told) > 1 else ""
