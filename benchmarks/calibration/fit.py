"""Fit src/assay/calibration/fits.json on the scores that claims.py, evidence.py and answers.py made.

.venv/bin/python benchmarks/calibration/fit.py           # all
.venv/bin/python benchmarks/calibration/fit.py claims    # one, the others as they are
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import assay_models
from run import kept_out
from scored import KEPT_OUT, fitted_on, joined, scored

from assay.calibration.curves import FITTED_MODE
from assay.calibration.fit import Fit, MadeFor
from assay.calibration.shipped import shipped, weights_behind
from assay.evals.fitting import fit
from assay.models.embed_local import LocalEmbedder
from assay.types import plain

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT, bundled_checker, revision

TARGET = ROOT / "src" / "assay" / "calibration" / "fits.json"
# The part of a score that is not the same everywhere: the judge by how it ran, the writer, the verifier.
FROM = {
    "claims": ("", "", f"deterministic, {bundled_checker().model.id}"),
    "evidence": (FITTED_MODE, "", ""),
    "searched": (FITTED_MODE, "", ""),
    "answers": (FITTED_MODE, "extractive", ""),
}


def made(kind: str, embedding: str) -> Fit:
    """The fit of one kind, on the sets that may be fitted on."""
    sets = fitted_on(kind, scored(kind))
    rows = joined(list(sets.values()))
    data = ", ".join(f"{name} ({len(each.scores)})" for name, each in sets.items())
    judge, writer, verifier = FROM[kind]
    origin = MadeFor(embedding, judge, writer, verifier, weights_behind(kind))
    found = fit(
        kind,
        data,
        origin,
        rows.scores.tolist(),
        rows.happened.tolist(),
        rows.groups,
        reference=asked() if kind == "answers" else None,
    )
    return replace(found, elsewhere=elsewhere(kind, found))


def elsewhere(kind: str, found: Fit) -> float | None:
    """The error on the sets kept out, over all that the test for a shift lets through."""
    sets = {name: each for name, each in scored(kind).items() if name in KEPT_OUT[kind]}
    return kept_out(kind, sets, found)["all that is shown as calibrated"]["ece"] if sets else None  # type: ignore[index]


def asked() -> list[float]:
    """How far what was found sufficed, of all questions of the sets that answers are fitted on."""
    return joined(list(fitted_on("answers", scored("asked")).values())).scores.tolist()


def main() -> None:
    """Fit the kinds that are named, or all, write, print the errors."""
    embedding = LocalEmbedder.load(assay_models.folder(), threads=1).model.sha256
    again = sys.argv[1:] or list(FROM)
    fits = {kind: made(kind, embedding) if kind in again else shipped()[kind] for kind in FROM}
    body = {
        "schema": "assay-calibration/1",
        "made_by": "benchmarks/calibration/fit.py",
        "date": datetime.now(UTC).date().isoformat(),
        "revision": revision(),
        "fits": {kind: plain(each) for kind, each in fits.items()},
    }
    TARGET.write_text(json.dumps(body, separators=(",", ":")) + "\n")
    for kind, each in fits.items():
        print(kind, each.measured.n, "ece", each.measured.ece, "brier", each.measured.brier, len(each.curve.scores))
    print(TARGET, TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
