"""How far the sufficiency of one part, asked by itself, tells whether the document answers it.

    .venv/bin/python benchmarks/parts/thresholds.py              # figures, kept in results/thresholds.json

Each part of the two-part questions of cases.jsonl is put to the fast judge alone, as the judge does it; for some
thresholds, the shares of the missing parts below and of the answered parts at or above it.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay import open_engine
from assay.understanding.rules import aspects
from report import write_result

CASES = Path(__file__).with_name("cases.jsonl")
THRESHOLDS = (0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6)


def sufficiencies(cases: list[dict[str, object]]) -> dict[str, dict[str, list[float]]]:
    """The sufficiencies of the missing and of the answered parts, by set."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: {"missing": [], "answered": []})
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"{case['name']}.md"
            source.write_text(str(case["text"]))
            settings = {"data_dir": Path(folder) / "data", "profile": "fast", "offline": True, "deadline": 600.0}
            with open_engine(**settings) as engine:
                engine.add([source])
                for asked in case["questions"]:  # type: ignore[attr-defined]
                    parts = aspects(asked["question"]) if asked["kind"] in ("both", "half") else ()
                    for part in parts if len(parts) > 1 else ():
                        missing = asked["kind"] == "half" and re.search(asked["missing"], part, re.IGNORECASE)
                        kind = "missing" if missing else "answered"
                        found[str(case["set"])][kind].append(engine.judge(f"{part}?").sufficiency or 0.0)
    return found


def main() -> None:
    """Judge every part and keep the figures."""
    cases = [json.loads(line) for line in CASES.read_text().splitlines()]
    figures: dict[str, dict[str, object]] = {}
    for name, kinds in sorted(sufficiencies(cases).items()):
        missing, answered = kinds["missing"], kinds["answered"]
        figures[f"{name} set"] = {
            "missing parts": len(missing),
            "answered parts": len(answered),
            **{
                f"threshold {at}": {
                    "missing below": round(sum(value < at for value in missing) / len(missing), 3),
                    "answered at or above": round(sum(value >= at for value in answered) / len(answered), 3),
                }
                for at in THRESHOLDS
            },
        }
    write_result("parts", "thresholds", figures)


if __name__ == "__main__":
    main()
