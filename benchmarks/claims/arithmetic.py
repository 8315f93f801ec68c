"""How often claims are true whose numbers and dates no source has, and those of them that arithmetic excuses.

    .venv/bin/python benchmarks/claims/arithmetic.py [SETS]

Claims over written passages, and over passages of documentations where SETS is the folder that
models/data/asked fills. Half "even" are the passages with an even SHA-256 of their id, on which the rules were
written; "odd" are the others. No network is needed: only the checks of numbers and dates run, for a minute.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "checker"))
from examples import Written, documentation, said, written_passages

from assay.nlp.alignment import Alignment
from assay.nlp.arithmetic import derive_date, derive_number
from assay.types import Check, Severity, Status
from assay.verification.claims import Task, as_one_claim, cases_of
from assay.verification.values import dates, near_values, numbers
from assay.verification.verifier import quotes_of
from report import data_folder, write_result


@dataclass(frozen=True)
class Tested:
    """A claim of which a value stands in no source: whether it is true, how values follow, and whether all do."""

    half: str
    is_true: bool
    kinds: frozenset[str]
    excused: bool


def tested(passage: Written) -> Iterator[Tested]:
    """The claims over a passage with a value that no source has."""
    half = ("even", "odd")[int(hashlib.sha256(passage.pid.encode()).hexdigest(), 16) % 2]
    for row in passage.claims:
        claims = tuple(as_one_claim(said(row), ()))
        task = Task(said(row), (), claims, (passage.passage,), (passage.passage,), False)
        for case in cases_of(task, quotes_of(task)):
            kinds, against = set[str](), 0
            for claim in case.parts:
                for check in (*numbers(claim), *dates(claim)):
                    if check.status is Status.PASSED and check.cause:
                        kinds.add(kind_of(claim, check))
                    blocks = check.status is Status.UNKNOWN and check.severity is Severity.BLOCK
                    against += check.status is Status.FAILED or blocks
            if kinds or against:
                yield Tested(half, row["verdict"] == "s", frozenset(kinds), not against)


def kind_of(claim: Alignment, check: Check) -> str:
    """Which kind of arithmetic a check that passed by one went by."""
    assert check.answer_span is not None
    start, (_, near) = check.answer_span.start - claim.start, near_values(claim)
    text = claim.plain
    if check.name == "dates":
        found = [derive_date(text, each, near) for each in claim.analysis.dates if each.start == start]
    else:
        found = [derive_number(text, each, near) for each in claim.analysis.quantities if each.start == start]
    assert found[0] is not None
    return found[0].kind


def figures(some: Sequence[Tested]) -> dict[str, Any]:
    """The claims that fail, those of them that are true, and the same of each kind."""
    kinds = Counter(kind for each in some for kind in each.kinds)
    true = Counter(kind for each in some for kind in each.kinds if each.is_true)
    excused = [each for each in some if each.excused]
    return {
        "failing without arithmetic": shares([each.is_true for each in some]),
        "excused": shares([each.is_true for each in excused]),
        "still failing": shares([each.is_true for each in some if not each.excused]),
        "by kind": {
            kind: {"claims": n, "true": true[kind], "share": true[kind] / n} for kind, n in kinds.most_common()
        },
    }


def shares(some: Sequence[bool]) -> dict[str, float]:
    """How many, how many of them true, and the share."""
    return {"claims": len(some), "true": sum(some), "share": sum(some) / max(1, len(some))}


def main() -> None:
    """Measure both halves and keep them."""
    sets = {"written": written_passages(data_folder() / "train" / "written", ())}
    if sys.argv[1:]:
        sets["documentation"] = documentation(Path(sys.argv[1]))
    numbers: dict[str, Any] = {}
    for name, passages in sets.items():
        found = [each for passage in passages for each in tested(passage)]
        for half in ("even", "odd"):
            numbers[f"{name}, {half}"] = figures([each for each in found if each.half == half])
    write_result("claims", "arithmetic", numbers)


if __name__ == "__main__":
    main()
