"""The cards of the judges that ship: from the scores of benchmarks/calibration, the counts of benchmarks/planted.

.venv/bin/python benchmarks/audit/run.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "calibration"))
from scored import Scored, scored

from assay.evals.audit import Card, Seen, card
from assay.types import plain

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT, bundled_checker, write_result

TARGET = ROOT / "src" / "assay" / "evals" / "cards.json"
# From here on evidence is called enough; the default of the setting `correct`.
CORRECT = 0.7
PLANTED = ROOT / "benchmarks" / "planted" / "results" / "planted.json"
SPEED = ROOT / "benchmarks" / "planted" / "results" / "speed.json"


def by_scores(judge: str, sets: Mapping[str, Scored], at_least: float) -> Card:
    """The card of a judge that calls right what it scores so high."""
    return card(
        judge,
        [
            Seen(bool(label), bool(score >= at_least), float(score), name, cost=0.0)
            for name, each in sets.items()
            for label, score in zip(each.happened, each.scores, strict=True)
        ],
    )


def of_planted(way: str, counts: Mapping[str, Any], ms: float) -> Card:
    """The card of the checks over sentences with planted errors and without."""
    clean = counts["clean"]
    rows = _rows(clean["sentences"], clean["flagged"], clean["unknown"], label=True, edit="", ms=ms)
    for edit, each in counts.items():
        if edit not in ("clean", "all errors"):
            rows += _rows(each["drafts"], each["found"], each["unknown"], label=False, edit=edit, ms=ms)
    return card(f"checks, {way} sentences", rows)


def _rows(n: int, refused: float, unknown: float, *, label: bool, edit: str, ms: float) -> list[Seen]:
    """So many rows, as the counts tell of them."""
    no, open_ = round(n * refused), round(n * unknown)
    said = [False] * no + [None] * open_ + [True] * (n - no - open_)
    return [Seen(label, each, None, edit=edit, ms=ms, cost=0.0) for each in said]


def _short(value: Any) -> Any:
    """Three digits of every share."""
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return round(value, 3) if isinstance(value, float) else value


def main() -> None:
    """Make the cards, write."""
    planted = json.loads(PLANTED.read_text())["numbers"]
    ms = json.loads(SPEED.read_text())["numbers"]["CPU ms a sentence, ten passages"]["mean"]
    cards = [
        by_scores("support", scored("claims"), bundled_checker().model.policy.supported),
        by_scores("sufficiency", scored("evidence"), CORRECT),
        *(of_planted(way, planted[way], ms) for way in ("copied", "reworded")),
    ]
    written = write_result("audit", "cards", {each.judge: _short(plain(each)) for each in cards})
    TARGET.write_text(json.dumps(json.loads(written.read_text()), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
