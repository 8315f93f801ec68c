"""A Ray cluster of several nodes on this machine, for all tests here, which are skipped without Ray."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# The nodes' own processes find assay and the tests as this one does.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [
        *(str(Path(__file__).parents[2] / part) for part in ("src", "models/src", "tests")),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
)
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


@pytest.fixture(scope="session")
def nodes() -> Iterator[Any]:
    """The cluster: a head without processors, and two nodes of one."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def address(nodes: Any) -> str:
    """Its address."""
    found: str = nodes.address
    return found


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
