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
    """Keep the numbers in benchmarks/<claim>/results/<name>.json, with machine and date, and print them."""
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


# --- the page ------------------------------------------------------------------------------------

HEAD = """# What was measured

Every number here was printed by a command in `benchmarks/` and kept in its `results/`; this page is written from
them by `python benchmarks/report.py`. The labelled sets are not part of the repository; what a set is
and where its labels come from stands beside each benchmark. Machines are shared and noisy: speed is given as ratios within one run.
"""
_META = ("benchmark", "date", "machine", "revision", "numbers")


def page() -> str:
    """The page, one section a result file."""
    parts = [HEAD]
    for path in sorted(ROOT.glob("benchmarks/*/results/*.json")):
        body = json.loads(path.read_text(encoding="utf-8"))
        numbers = body.get("numbers") or {key: value for key, value in body.items() if key not in _META}
        parts.append(section(path, body, numbers))
    return "\n".join(parts)


def section(path: Path, body: dict[str, Any], numbers: dict[str, Any]) -> str:
    """One result: what it is, when and where it was measured, and its numbers."""
    claim = path.parent.parent.name
    machine = body["machine"] if isinstance(body["machine"], str) else ", ".join(map(str, body["machine"].values()))
    lines = [
        f"## {claim}: {path.stem}",
        "",
        f"{(body.get('date') or body['at'])[:10]}, revision {body.get('revision', '')[:7]}, {machine}. [How](../benchmarks/{claim}/README.md).",
        "",
    ]
    return "\n".join([*lines, *rows(numbers, ""), ""])


def rows(numbers: dict[str, Any], name: str) -> list[str]:
    """The numbers as tables: scalars first, then each group of records that share their columns."""
    scalars = {key: value for key, value in numbers.items() if shown(value) is not None}
    lines = [f"**{name}**", ""] if name and scalars else []
    if scalars:
        lines += [
            "| what | value |",
            "|---|---|",
            *(f"| {key} | {shown(value)} |" for key, value in scalars.items()),
            "",
        ]
    for key, value in numbers.items():
        if not isinstance(value, dict):
            continue
        title = f"{name} {key}".strip()
        lines += table(value, title) if is_table(value) else rows(value, title)
    return lines


def is_table(value: dict[str, Any]) -> bool:
    """Whether all values are records, so that they can share columns."""
    records = [each for each in value.values() if isinstance(each, dict)]
    return len(records) == len(value) > 1 and any(shown(each) is not None for each in records[0].values())


def table(records: dict[str, dict[str, Any]], title: str) -> list[str]:
    """Records under their common columns."""
    columns = list(dict.fromkeys(key for each in records.values() for key in each if shown(each[key]) is not None))
    lines = [f"**{title}**", "", f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for key, each in records.items():
        lines.append(f"| {key} | {' | '.join(shown(each.get(column)) or '' for column in columns)} |")
    return [*lines, ""]


def shown(value: object) -> str | None:
    """A number as a reader wants it; an interval in brackets; None for what is no number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | str):
        return str(value)
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
    if isinstance(value, list) and 1 < len(value) < 4 and all(isinstance(each, float) for each in value):
        return "[" + ", ".join(f"{each:.3f}" for each in value) + "]"
    return None


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
