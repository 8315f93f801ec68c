"""Whether `assay serve` keeps to its own description: thousands of requests made from /openapi.json.

    .venv/bin/python benchmarks/serve/conformance.py

Schemathesis tries every operation with data that fits the description and data that does not, the bounds of every
field, methods that are not there, missing and wrong keys, and calls that use what earlier ones returned. Bars: no
reply of status 500 or above, and none whose status, media type, headers or body are not as described.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from report import write_result
from support.conformance import described_server, run_schemathesis

SEED = 20261127
# Of each operation in the phase that draws at random; the bounds of its fields come on top.
EXAMPLES = 20
# What Schemathesis calls a reply of status 500 or above.
SERVER_ERROR = "Server error"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        report, data = Path(folder, "report.json"), Path(folder, "data")
        data.mkdir()
        with described_server(data) as (address, key):
            tried = run_schemathesis(
                address,
                key,
                Path(folder),
                *("--phases", "examples,coverage,fuzzing,stateful", "--continue-on-failure"),
                *("--max-examples", str(EXAMPLES), "--seed", str(SEED), "--report-json-path", str(report)),
            )
        numbers = numbers_of(json.loads(report.read_text(encoding="utf-8")))
    print(tried.stdout)
    write_result("serve", "conformance", numbers)
    return tried.returncode


def numbers_of(report: dict[str, Any]) -> dict[str, Any]:
    """The counts of a report of Schemathesis."""
    titles = [failure["title"] for failure in report["failures"]]
    return {
        "operations": report["operations"]["tested"],
        "requests": report["test_cases"]["generated"],
        "server_errors": titles.count(SERVER_ERROR),
        "unlike_description": len(titles) - titles.count(SERVER_ERROR),
        "seconds": round(report["running_time"]),
        "bars": {"server_errors": 0, "unlike_description": 0},
    }


if __name__ == "__main__":
    sys.exit(main())
