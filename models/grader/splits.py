"""Which labelled rows may teach what: one fixed split by group, and the domains kept out.

A row's fold is that of its group, as in benchmarks/check. Fold 0 (a fifth of the groups) is never trained on: it
measures. The network learns from folds 1 and 2 and from text made of them, so that its scores on folds 3 and 4 are
those of rows it has not seen; there the trees are joined with it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_BENCH_DATA", ROOT.parent / "shared" / "data"))
SUMMEDITS = tuple(
    f"summedits-{each}"
    for each in ("news", "samsum", "scitldr", "ectsum", "qmsumm", "sales_call", "sales_email", "podcast")
)


def _digest(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


# The two domains of the family that measure transfer: the first two by the hash of their names; nobody chose them.
KEPT_OUT = tuple(sorted(SUMMEDITS, key=_digest)[:2])
SUPPORT = (
    *(each for each in SUMMEDITS if each not in KEPT_OUT),
    "wice", "factcheck-gpt", "scifact", "falke", "begin-wow", "begin-tc", "begin-cmu", "mtrag-faith",
)  # fmt: skip
EVIDENCE = ("clapnq", "mtrag-un", "scifact", "hotpot100", "musique100")
HELD, NETWORK, JOINING = frozenset({0}), frozenset({1, 2}), frozenset({3, 4})


def fold_of(group: str) -> int:
    """The fold of a group, 0 to 4.

    >>> fold_of("scifact:0") in range(5)
    True
    """
    return _digest(group) % 5


def rows(name: str, kind: str = "grounding") -> Iterator[dict[str, Any]]:
    """The rows of one set's development half."""
    with (DATA / "dev" / name / f"{kind}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
