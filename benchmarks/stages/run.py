"""What each stage of the loop earns and costs: the same questions and drafts with one stage off at a time.

    .venv/bin/python benchmarks/stages/run.py                  # a sample, 5 to 9 minutes of CPU; results/run.json
    .venv/bin/python benchmarks/stages/run.py --full           # all questions; results/full.json
    .venv/bin/python benchmarks/stages/run.py --only verify    # these stages alone; nothing is written to results/

What was measured of a stage is kept in ASSAY_BENCH_CACHE and is not measured again while assay's code and this
benchmark's are the same. The README tells the sets and the figures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from stage_drafts import fixed_ends, reply_ends
from stage_questions import collections, ends
from stages_off import DRAFTS, QUESTIONS, SHIPPED, Off

from assay.evals.statistics import difference_interval
from report import ROOT, data_folder, write_result

Rows = dict[str, dict[str, Any]]
ASKED = {
    "right": "right shown",
    "wrong": "wrong shown",
    "wrong_marked": "wrong marked ✓",
    "refused": "good refused",
}
DRAFTED = {
    "good_kept": "good kept",
    "good_flagged": "good flagged",
    "bad_passed": "bad passed",
    "bad_caught": "bad caught",
    "corrected": "corrected rightly",
}
COST = {"cpu_ms": "CPU ms"}


def cache() -> Path:
    """The folder of what was measured, by the code that it was measured with."""
    code = [*(ROOT / "src" / "assay").rglob("*.py"), *(ROOT / "src" / "assay").rglob("*.json")]
    whole = hashlib.sha256()
    for file in sorted([*code, *Path(__file__).parent.glob("*.py")]):
        if file != Path(__file__):
            whole.update(file.read_bytes())
    return Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir())) / "stages" / whole.hexdigest()[:12]


def kept(path: Path, measure: Callable[[], Rows]) -> Rows:
    """What was kept in a file; where there is none, what is measured now, kept there."""
    if not path.is_file():
        rows = measure()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".part").write_text(json.dumps(rows), encoding="utf-8")
        path.with_suffix(".part").rename(path)
        print(f"{path.stem}: {len(rows)} in {seconds(rows):.0f} s of CPU", flush=True)
    found: Rows = json.loads(path.read_text(encoding="utf-8"))
    return found


def seconds(rows: Rows) -> float:
    """The CPU time of all rows."""
    return float(sum(row["cpu_ms"] for row in rows.values())) / 1000


def asked(off: Off, folder: Path, *, full: bool) -> Rows:
    """How every question ends with a stage off."""
    rows: Rows = {}
    for collection in collections(full=full):
        if collection.stage and off.name not in (SHIPPED, collection.stage):
            continue
        found = ends(collection, off, folder / "collections")
        rows |= {name: asdict(one) for name, one in found.items()}
    return rows


def drafted(off: Off, *, full: bool) -> Rows:
    """What becomes of every draft with a stage off; nothing where the labelled data is not there."""
    if not (ROOT.parent / "shared" / "data").is_dir() and not os.environ.get("ASSAY_BENCH_DATA"):
        return {}
    data_folder()
    found = {**reply_ends(off, full=full), **fixed_ends(off, full=full)}
    return {name: asdict(one) for name, one in found.items()}


def difference(on: Rows, off: Rows, key: str) -> dict[str, Any] | None:
    """A figure with the stage on and off, and the paired difference with its 95 % interval; None without cases."""
    pairs = [(on[one][key], off[one][key]) for one in on if on[one][key] is not None and one in off]
    if not pairs:
        return None
    with_it, without = zip(*pairs, strict=True)
    low, high = difference_interval(without, with_it)
    first, second = (sum(values) / len(pairs) for values in (with_it, without))
    digits = 1 if key == "cpu_ms" else 4
    names = ("n", "with", "without", "difference", "low", "high")
    values = (len(pairs), first, second, first - second, low, high)
    return {name: round(value, digits) for name, value in zip(names, values, strict=True)}


def figures(stages: Sequence[Off], rows: dict[str, Rows], named: dict[str, str]) -> dict[str, Any]:
    """The differences that each stage makes, over all cases and by set."""
    found: dict[str, Any] = {}
    for off in stages:
        if off.name == SHIPPED or off.name not in rows:
            continue
        on, without = rows[SHIPPED], rows[off.name]
        if off.adds:
            on, without = without, on
        one: dict[str, Any] = {"off": off.what}
        one |= {what: difference(on, without, key) for key, what in (named | COST).items()}
        sets = dict.fromkeys(row["set"] for row in on.values())
        one["sets"] = {
            name: {what: difference(some_of(on, name), without, key) for key, what in named.items()}
            for name in sets
        }
        found[off.name] = one
    return found


def some_of(rows: Rows, name: str) -> Rows:
    """The rows of one set."""
    return {key: row for key, row in rows.items() if row["set"] == name}


def main() -> None:
    """Measure what is not kept yet, and write the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all questions and drafts")
    parser.add_argument("--only", nargs="*", default=[], help="names of stages")
    chosen = parser.parse_args()
    folder, part = cache(), "full" if chosen.full else "run"
    wanted = [off for off in QUESTIONS if not chosen.only or off.name in (*chosen.only, SHIPPED)]
    by_question = {
        off.name: kept(folder / part / f"{off.name}.json", lambda off=off: asked(off, folder, full=chosen.full))
        for off in wanted
    }
    by_draft = {
        off.name: kept(folder / part / f"{off.name}, drafts.json", lambda off=off: drafted(off, full=chosen.full))
        for off in DRAFTS
        if off in wanted
    }
    numbers = {
        "questions": figures(QUESTIONS, by_question, ASKED),
        "drafts": figures(DRAFTS, by_draft, DRAFTED),
        "CPU seconds": round(sum(seconds(rows) for some in (by_question, by_draft) for rows in some.values())),
    }
    if chosen.only:
        print(json.dumps(numbers, indent=1, ensure_ascii=False))
    else:
        write_result("stages", part, numbers)


if __name__ == "__main__":
    main()
