"""The calibrations that ship with the package, made by benchmarks/calibration/fit.py."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from importlib.resources import files

from assay.calibration.fit import Fit

# The fitted weights behind each kind of score: others make other scores.
WEIGHTS = {
    "claims": ("verification/support.json",),
    "evidence": ("judging/weights.json",),
    "searched": ("judging/weights.json",),
    "answers": ("judging/weights.json", "verification/support.json", "calibration/rightness.json"),
}


@lru_cache(maxsize=1)
def shipped() -> dict[str, Fit]:
    """The fits by kind: claims, evidence (given), searched (evidence that a search found) and answers.

    >>> sorted(shipped())
    ['answers', 'claims', 'evidence', 'searched']
    """
    body = json.loads((files("assay.calibration") / "fits.json").read_text(encoding="utf-8"))
    return {name: Fit.read(fit) for name, fit in body["fits"].items()}


@lru_cache(maxsize=len(WEIGHTS))
def weights_behind(kind: str) -> str:
    """The hash of the fitted weights that a kind of score comes from: 16 hex digits of a SHA-256."""
    parts = (files("assay").joinpath(name).read_bytes() for name in WEIGHTS[kind])
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]
