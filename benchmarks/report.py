"""What every benchmark shares: where the data lies, how a result is kept, and the page that shows them all.

.venv/bin/python benchmarks/report.py     # writes docs/measured.md from benchmarks/*/results/*.json
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measured.md"


def data_folder() -> Path:
    """The folder of labelled data; ends the program with a plain word where it is not there."""
    folder = Path(os.environ.get("ASSAY_BENCH_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        sys.exit(
            f"no benchmark data in {folder}: set ASSAY_BENCH_DATA to the folder that holds dev/, docs/ and scale/"
        )
    return folder


def write_result(claim: str, name: str, numbers: dict[str, Any]) -> Path:
    """Keep the numbers in benchmarks/<claim>/results/<name>.json with machine, date and revision, and print them."""
    path = ROOT / "benchmarks" / claim / "results" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = {
        "benchmark": f"{claim}/{name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "revision": revision(),
        "numbers": numbers,
    }
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(numbers, indent=1, ensure_ascii=False))
    return path


def processor() -> str:
    """The processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def revision() -> str:
    """The commit that was measured."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"
