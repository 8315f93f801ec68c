"""The verdict of a claim whose signals were kept, and numbers as they are shown."""

from __future__ import annotations

import numpy as np
from signals import Signals

from assay.calibration import ClaimPolicy
from assay.types import Verdict


def verdict(each: Signals, policy: ClaimPolicy) -> Verdict:
    """The verdict as assay.verification.verdict gives it."""
    if each.quoted:
        return Verdict.SUPPORTED
    if each.checker is None or each.aligned is None:
        return Verdict.UNKNOWN
    if each.aligned == 1.0:
        return Verdict.SUPPORTED
    p = policy.probability(each.inputs())
    if p >= policy.supported and not each.decisive:
        return Verdict.UNKNOWN if each.is_vetoed else Verdict.SUPPORTED
    if each.absent or (p >= policy.unsupported and not each.decisive):
        return Verdict.UNKNOWN
    against = each.against if each.decisive else policy.contradicts(each.checker[1])
    return Verdict.CONTRADICTED if against else Verdict.UNSUPPORTED


def rounded(value: object) -> object:
    """Numbers to three places, at any depth."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return round(float(value), 3) if isinstance(value, float | np.floating) else value
