"""What doctests may use without saying so: an empty data folder and a small sample document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg-data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg-config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg-state"))
    sample = tmp_path / "water.md"
    sample.write_text(
        "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n",
        encoding="utf-8",
    )
    doctest_namespace["folder"] = tmp_path / "data"
    doctest_namespace["sample"] = sample
