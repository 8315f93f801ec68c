"""What `assay doctor` looks at besides the models."""

from __future__ import annotations

import tomllib
from pathlib import Path

from assay.calibration.shipped import shipped
from assay.diagnosis.installation import EXTRAS, diagnose
from assay.settings import Settings

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_every_extra_is_looked_for(tmp_path: Path):
    declared = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(declared)
    names = {each.name for each in diagnose(Settings(data_dir=tmp_path), store=False)}
    assert {f"extra {extra}" for extra in declared} <= names


def test_a_calibration_tells_its_error_where_it_was_fitted_and_elsewhere(tmp_path: Path):
    details = {each.name: each.detail for each in diagnose(Settings(data_dir=tmp_path), store=False)}
    error, elsewhere = shipped()["answers"].measured.ece, shipped()["answers"].elsewhere
    assert details["calibration of answers"].startswith(
        f"ECE {error:.3f} on the sets it was fitted on, {elsewhere:.3f} on others; Brier score "
    )
