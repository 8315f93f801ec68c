"""Nothing of documents, models and questions is obeyed where it is shown: benchmarks/serve/carriers.py on less."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.proofs import proof, serve_here


def test_no_carrier_causes_a_request_a_script_or_an_escape(tmp_path: Path) -> None:
    # In a thread: the other tests' browser has the event loop of this one.
    with proof("carriers") as carriers, ThreadPoolExecutor(1) as thread:
        found = thread.submit(carriers.measure, tmp_path / "data", every=44, serve=serve_here).result()
    assert (found["requests"], found["runs"], found["escapes"]) == (0, 0, 0), found["surfaces"]
    for name, seen in found["surfaces"].items():
        assert seen["carriers_shown"] == found["carriers"], name
