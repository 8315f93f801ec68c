"""The server sends what /openapi.json says: requests made from it, fitting and not, and replies compared with it.

`benchmarks/serve/conformance.py` tries many more.
"""

from __future__ import annotations

from pathlib import Path

from support.conformance import described_server, run_schemathesis

FEW = ("--phases", "examples,fuzzing", "--max-examples", "3", "--seed", "1", "--generation-deterministic")


def test_replies_are_as_described_and_no_request_breaks_the_server(tmp_path: Path):
    (tmp_path / "data").mkdir()
    with described_server(tmp_path / "data") as (address, key):
        tried = run_schemathesis(address, key, tmp_path, *FEW)
    assert tried.returncode == 0, tried.stdout
    assert " passed" in tried.stdout
