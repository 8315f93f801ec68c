"""Read every document of the set in the sandbox and compare with expected.toml; see README.md."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
import tomllib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.errors import DocumentError
from assay.ingest.sandbox import Sandbox
from assay.types import Loaded

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ASSAY_BENCH_DATA", HERE.parents[2] / "shared" / "data")) / "docs"


def squeezed(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def problems(expected: dict[str, Any], outcome: Loaded | DocumentError) -> list[str]:
    """In what the outcome differs from what is expected."""
    if isinstance(outcome, DocumentError):
        if expected.get("or_error") or (
            type(outcome).__name__ == expected.get("error") and expected["says"] in str(outcome)
        ):
            return []
        return [f"{type(outcome).__name__}: {outcome}"]
    if "error" in expected:
        return [f"was read, {expected['error']} was expected"]
    text = squeezed(outcome.text)
    found = [f"lacks {phrase!r}" for phrase in expected["phrases"] if squeezed(phrase) not in text]
    if len(outcome.text) < expected["least"]:
        found.append(f"{len(outcome.text)} characters, {expected['least']} were expected")
    return found + misplaced(expected, outcome)


def misplaced(expected: dict[str, Any], outcome: Loaded) -> list[str]:
    """Whether the first phrase does not stand where it is expected."""
    if "where" not in expected:
        return []
    phrase = squeezed(expected["phrases"][0])
    places = {
        str(each.location) for each in outcome.regions if phrase in squeezed(outcome.text[each.start : each.end])
    }
    if any(place == expected["where"] or expected["where"] in place for place in places):
        return []
    return [f"{phrase!r} stands at {sorted(places)}, not at {expected['where']}"]


def check(sandbox: Sandbox, name: str, expected: dict[str, Any]) -> dict[str, Any]:
    """One document's row of the table."""
    started = time.perf_counter()
    outcome: Loaded | DocumentError
    try:
        outcome = sandbox.load((DATA / name).read_bytes(), Path(name).name)
    except DocumentError as error:
        outcome = error
    seconds = time.perf_counter() - started
    characters = len(outcome.text) if isinstance(outcome, Loaded) else 0
    what = outcome.format if isinstance(outcome, Loaded) else type(outcome).__name__
    return {
        "file": name,
        "read_as": what,
        "characters": characters,
        "seconds": round(seconds, 3),
        "problems": problems(expected, outcome),
    }


def main() -> int:
    """Print the table, write results/documents.json, return 0 when nothing differs."""
    if not DATA.is_dir():
        print(f"{DATA} is not there; set ASSAY_BENCH_DATA to the folder that holds docs/")
        return 2
    expected = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))
    listed = [line.split("\t")[0] for line in (DATA / "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    unexpected = [name for name in listed if name not in expected]
    sandbox = Sandbox()
    rows = [check(sandbox, name, expected[name]) for name in listed if name in expected]
    sandbox.close()
    for row in rows:
        mark = "ok  " if not row["problems"] else "FAIL"
        print(f"{mark} {row['file']:45} {row['read_as']:20} {row['characters']:>9} {row['seconds']:7.2f} s")
        for problem in row["problems"]:
            print(f"       {problem}")
    failed = [row["file"] for row in rows if row["problems"]] + unexpected
    kinds = dict(Counter(row["read_as"] for row in rows))
    print(f"\n{len(rows)} documents, {len(rows) - len(failed)} as expected; read as {kinds}")
    for name in unexpected:
        print(f"not in expected.toml: {name}")
    write(rows, failed)
    return 1 if failed else 0


def write(rows: list[dict[str, Any]], failed: list[str]) -> None:
    """The numbers with what they were measured on."""
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    result = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision.stdout.strip(),
        "machine": {"python": platform.python_version(), "cpus": os.cpu_count(), "system": platform.system()},
        "documents": len(rows),
        "as_expected": len(rows) - len(failed),
        "failed": failed,
        "slowest_seconds": max(row["seconds"] for row in rows),
        "rows": rows,
    }
    target = HERE / "results" / "documents.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
