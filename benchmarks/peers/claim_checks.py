"""Telling supported claims from others: assay's verifier beside shared words and the nearness of sentences.

    .venv/bin/python benchmarks/peers/claim_checks.py            # a minute; results/claim_checks.json
    .venv/bin/python benchmarks/peers/claim_checks.py --full     # all claims; results/claim_checks-full.json

Each set is cut in two by passage. On one half the simple methods get their thresholds, in each set its own; the
other half is reported. assay's thresholds are those that ship. The README tells the sets.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import assay_models
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "claims"))
sys.path.insert(0, str(HERE.parent / "check"))
from rows import OTHERS  # noqa: E402
from signals import Labelled, Signals, labelled, measured  # noqa: E402
from verdicts import verdict  # noqa: E402

from assay.calibration import ClaimPolicy  # noqa: E402
from assay.evals.metrics import auroc  # noqa: E402
from assay.models.embed_local import LocalEmbedder  # noqa: E402
from assay.nlp.sentences import sentences  # noqa: E402
from assay.types import Verdict  # noqa: E402
from report import bundled_checker, write_result  # noqa: E402

NATURAL = "natural"
# Claims of the natural set and of each other one without --full.
MOST, MOST_OTHERS = 400, 80
FLAGGED = (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)
Scores = NDArray[np.float64]


def some(name: str, *, full: bool) -> list[Labelled]:
    """Claims of a set, spread over it."""
    every = list(labelled(name))
    most = len(every) if full else MOST if name == NATURAL else MOST_OTHERS
    return every if most >= len(every) else [every[index * len(every) // most] for index in range(most)]


def is_fitted_on(each: Signals) -> bool:
    """Whether a claim is of the half that thresholds are fitted on: all claims of one passage are."""
    return int(hashlib.sha256(each.group.encode()).hexdigest(), 16) % 2 == 1


def nearness(some: Sequence[Labelled], embedder: LocalEmbedder) -> Scores:
    """The cosine of each claim and the sentence of its passages that is nearest to it."""
    found = []
    for each in some:
        texts = [
            passage.text[span.start : span.end] for passage in each.passages for span in sentences(passage.text)
        ]
        vectors = embedder.embed_now([each.claim, *(texts or [passage.text for passage in each.passages])])
        found.append(float((vectors[1:] @ vectors[0]).max()))
    return np.array(found)


def balanced_threshold(scores: Scores, true: NDArray[np.bool_]) -> float:
    """The score from which claims are called supported so that the balanced accuracy is highest."""
    return max(
        np.unique(scores).tolist(),
        key=lambda least: (scores[true] >= least).mean() + (scores[~true] < least).mean(),
    )


def strict_threshold(scores: Scores, true: NDArray[np.bool_], passed: float) -> float:
    """The least score from which at most the share `passed` of the false claims is called supported."""
    for least in np.unique(scores).tolist():
        if (scores[~true] >= least).mean() <= passed:
            return float(least)
    return float("inf")


def by_threshold(
    scores: Scores, true: NDArray[np.bool_], fitted: NDArray[np.bool_], passed: float
) -> dict[str, float]:
    """The figures of a score with one threshold, on the half that it was not fitted on."""
    least = balanced_threshold(scores[fitted], true[fitted])
    strict = strict_threshold(scores[fitted], true[fitted], passed)
    held, right = scores[~fitted], true[~fitted]
    return {
        "AUROC": auroc(held.tolist(), right.tolist()),
        "false called supported": (held[~right] >= least).mean(),
        "true called supported": (held[right] >= least).mean(),
        "true flagged": (held[right] < least).mean(),
        "false flagged": (held[~right] < least).mean(),
        "strict: false called supported": (held[~right] >= strict).mean(),
        "strict: true called supported": (held[right] >= strict).mean(),
    }


def by_verdict(some: Sequence[Signals], true: NDArray[np.bool_], policy: ClaimPolicy) -> dict[str, float]:
    """The figures of assay's verdicts."""
    given = [verdict(each, policy) for each in some]
    supported = np.array([one is Verdict.SUPPORTED for one in given])
    flagged = np.array([one in FLAGGED for one in given])
    return {
        "AUROC": auroc([support(each, policy) for each in some], true.tolist()),
        "false called supported": supported[~true].mean(),
        "true called supported": supported[true].mean(),
        "true flagged": flagged[true].mean(),
        "false flagged": flagged[~true].mean(),
    }


def support(each: Signals, policy: ClaimPolicy) -> float:
    """assay's support of a claim: 1 for one that is quoted, 0 where nothing was compared."""
    if each.quoted:
        return 1.0
    return policy.probability(each.inputs()) if each.checker and each.aligned is not None else 0.0


def figures(name: str, policy: ClaimPolicy, *, full: bool) -> dict[str, Any]:
    """The figures of a set."""
    checker, embedder = bundled_checker(), LocalEmbedder.load(assay_models.folder())
    claims = some(name, full=full)
    signals = asyncio.run(measured(claims, checker, embedder))
    by_id = {each.id: each for each in claims}
    near = nearness([by_id[each.id] for each in signals], embedder)
    true = np.array([each.label == "supports" for each in signals])
    fitted = np.array([is_fitted_on(each) for each in signals])
    passed = by_verdict([s for s, f in zip(signals, fitted, strict=True) if f], true[fitted], policy)
    limit = passed["false called supported"]
    overlap = np.array([each.overlap for each in signals])
    held = [each for each, is_fitted in zip(signals, fitted, strict=True) if not is_fitted]
    systems = {
        "word overlap": by_threshold(overlap, true, fitted, limit),
        "nearest sentence": by_threshold(near, true, fitted, limit),
        "assay": by_verdict(held, true[~fitted], policy),
    }
    counts = {"claims": int((~fitted).sum()), "true": int(true[~fitted].sum())}
    return counts | {
        system: {what: round(float(value), 3) for what, value in found.items()} for system, found in systems.items()
    }


def main() -> None:
    """Measure every set, and keep the figures with their means over the six others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all claims")
    full = parser.parse_args().full
    policy = bundled_checker().model.policy
    assert policy is not None
    numbers: dict[str, Any] = {}
    for name in (NATURAL, *OTHERS):
        numbers[name] = figures(name, policy, full=full)
        print(name, numbers[name], flush=True)
    numbers["mean of the six others"] = {
        system: {
            what: round(float(np.mean([numbers[name][system][what] for name in OTHERS])), 3)
            for what in numbers[OTHERS[0]][system]
        }
        for system in ("word overlap", "nearest sentence", "assay")
    }
    write_result("peers", "claim_checks-full" if full else "claim_checks", numbers)


if __name__ == "__main__":
    main()
