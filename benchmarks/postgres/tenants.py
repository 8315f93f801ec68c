"""Whether one tenant sees anything of another where all share a Postgres: benchmarks/serve/tenants.py over it.

    .venv/bin/python benchmarks/postgres/tenants.py [--documents 200] [--added 400] [--requests 10000]

Bars as there: 0 foreign canaries; the tenant's searches and answers are the same, score for score, before and after
another one adds documents. It starts a Postgres of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "serve"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from report import write_result
from serve.tenants import measure
from support.postgres import new_database


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--added", type=int, default=400)
    parser.add_argument("--requests", type=int, default=10_000)
    chosen = parser.parse_args()
    address = new_database()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(
            Path(folder) / "data",
            chosen.documents,
            chosen.added,
            chosen.requests,
            store=address,
        )
    write_result("postgres", "tenants", result)


if __name__ == "__main__":
    main()
