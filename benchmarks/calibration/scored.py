"""Scores with their labels, set by set: made once by claims.py, evidence.py and answers.py, read by the rest."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(os.environ.get("ASSAY_BENCH_CACHE", Path(tempfile.gettempdir()) / "assay-cache")) / "scored"
# The sets that nothing is fitted on.
KEPT_OUT = {
    "claims": ("genre", "climate-fever", "qags-cnndm", "qags-xsum", "faithbench", "averitec"),
    "evidence": ("climate-fever", "averitec", "rgb-en", "rgb-en-fact", "evotemp", "realtimeqa", "newspolluted"),
    "answers": ("wiki-mix", "clapnq", "hotpot100", "musique100", "rgb-en", "realtimeqa"),
    "searched": (),
}


@dataclass(frozen=True)
class Scored:
    """One set: the score of each row, whether it came true, and the group it belongs to."""

    scores: np.ndarray
    happened: np.ndarray
    groups: tuple[str, ...]

    def at(self, rows: np.ndarray) -> Scored:
        """Some of the rows."""
        return Scored(self.scores[rows], self.happened[rows], tuple(self.groups[at] for at in rows))


def keep(kind: str, sets: Mapping[str, Scored]) -> None:
    """Write the sets of one kind."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    body = {
        name: {
            "scores": each.scores.tolist(),
            "happened": [bool(one) for one in each.happened],
            "groups": list(each.groups),
        }
        for name, each in sets.items()
    }
    (FOLDER / f"{kind}.json").write_text(json.dumps(body))
    print(kind, {name: len(each.scores) for name, each in sets.items()})


def scored(kind: str) -> dict[str, Scored]:
    """The sets of one kind; ends the program where they were not made."""
    path = FOLDER / f"{kind}.json"
    if not path.exists():
        script = {"searched": "answers", "asked": "answers"}.get(kind, kind)
        sys.exit(f"{path} is not there: run benchmarks/calibration/{script}.py first")
    body = json.loads(path.read_text())
    return {
        name: Scored(np.array(each["scores"]), np.array(each["happened"], dtype=bool), tuple(each["groups"]))
        for name, each in body.items()
    }


def fitted_on(kind: str, sets: Mapping[str, Scored]) -> dict[str, Scored]:
    """The sets that may be fitted on."""
    return {name: each for name, each in sets.items() if name not in KEPT_OUT[kind]}


def names(sets: Mapping[str, Scored]) -> list[str]:
    """The set of each row, in the order of `joined`."""
    return [name for name, each in sets.items() for _ in each.groups]


def joined(sets: Sequence[Scored]) -> Scored:
    """The rows of several sets."""
    return Scored(
        np.concatenate([each.scores for each in sets]),
        np.concatenate([each.happened for each in sets]),
        tuple(group for each in sets for group in each.groups),
    )
