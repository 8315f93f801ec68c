"""The support of every labelled claim, by trees that saw nothing of its group: `scored/claims.json` of the cache.

    ASSAY_BENCH_CACHE=/tmp/check .venv/bin/python benchmarks/calibration/claims.py

The inputs of the trees are kept in the same folder, as benchmarks/check does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
from fit import calibration, out_of_fold
from rows import ALL, every
from scored import Scored, keep


def main() -> None:
    """Score out of fold, calibrate as benchmarks/check/fit.py does, take what failed fact checks take."""
    sets = every(ALL)
    odds = out_of_fold(sets)
    slope, shift = calibration(sets, odds)
    keep(
        "claims",
        {
            name: Scored(each.left / (1 + np.exp(-(slope * odds[name] + shift))), each.supported, each.groups)
            for name, each in sets.items()
        },
    )


if __name__ == "__main__":
    main()
