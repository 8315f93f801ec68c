"""One tenant sees nothing of another, over every route that reads: benchmarks/serve/tenants.py on less."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.postgres import new_database
from support.proofs import proof, serve_here


@pytest.mark.parametrize("store", [None, new_database], ids=["folders", "postgres"])
def test_a_tenant_sees_no_canary_of_another(tmp_path: Path, store: Callable[[], str] | None) -> None:
    with proof("tenants") as tenants:
        found = tenants.measure(
            tmp_path / "data",
            documents=5,
            added=5,
            requests=40,
            serve=serve_here,
            store=None if store is None else store(),
        )
    assert found["where"] == []
    assert found["changed_results"] == 0
    assert found["own_canaries"] > 50
    assert found["canaries_that_the_other_tenant_sees"] > 0
    assert len(found["requests_by_kind"]) >= 12
