"""No secret stands in anything that the server says or writes: benchmarks/serve/secret_keeping.py."""

from __future__ import annotations

from pathlib import Path

from support.proofs import proof


def test_no_secret_is_in_a_response_a_log_or_a_file(tmp_path: Path) -> None:
    with proof("secret_keeping") as secret_keeping:
        found = secret_keeping.measure(tmp_path / "data")
    assert found["where"] == []
    assert found["secrets"] == 12
    assert found["found_where_they_were_given"] >= 8
    assert set(found["looked_through"]) == {"responses", "log", "process", "files", "page", "commands"}
