"""What doctests may use unsaid, an empty data folder and a small sample document; how tests are collected."""

from __future__ import annotations

import gc
from collections.abc import Generator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

# The pieces for other frameworks can be imported only where those are.
_FRAMEWORKS = {"langchain": "langchain_core", "llama_index": "llama_index", "haystack": "haystack"}
collect_ignore = [
    f"src/assay/integrations/{piece}.py" for piece, package in _FRAMEWORKS.items() if find_spec(package) is None
]

# Work on a cluster is tested by `make ray`.
_OF_RAY = ("answering", "connection", "embedder", "ingestion")
collect_ignore += [f"src/assay/wiring/cluster/{name}.py" for name in _OF_RAY if find_spec("ray") is None]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays: looking for what of it could be freed took a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


_homes = count()


@pytest.fixture(autouse=True)
def _home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders of a user who has none yet. Most tests write nothing there, so none is made beforehand."""
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_homes))
    for kind in ("DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("_doctest_names")


@pytest.fixture
def _doctest_names(doctest_namespace: dict[str, Any], tmp_path: Path) -> None:
    sample = tmp_path / "water.md"
    sample.write_text(
        "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n",
        encoding="utf-8",
    )
    doctest_namespace["folder"] = tmp_path / "data"
    doctest_namespace["sample"] = sample
