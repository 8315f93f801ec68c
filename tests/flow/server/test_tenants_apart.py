"""One tenant sees nothing of another, over every route that reads: benchmarks/serve/tenants.py on less."""

from __future__ import annotations

from pathlib import Path

from support.proofs import proof, serve_here


def test_a_tenant_sees_no_canary_of_another(tmp_path: Path) -> None:
    with proof("tenants") as tenants:
        found = tenants.measure(tmp_path / "data", documents=5, added=5, requests=40, serve=serve_here)
    assert found["where"] == []
    assert found["changed_results"] == 0
    assert found["own_canaries"] > 50
    assert found["canaries_that_the_other_tenant_sees"] > 0
    assert len(found["requests_by_kind"]) >= 12
