"""What deploy/check_wheels.py says of distributions that hold too much or too little."""

from __future__ import annotations

import importlib.util
import io
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[3] / "deploy" / "check_wheels.py"
FILES = {"assay/__init__.py", "assay/server/page/index.html"}


@pytest.fixture
def check_wheels() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("check_wheels", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["check_wheels"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["check_wheels"]


def build(folder: Path, wheel: set[str], source: set[str]) -> None:
    """The two distributions of assay, each with these files and some metadata."""
    with zipfile.ZipFile(folder / "assay-0.1.0-py3-none-any.whl", "w") as archive:
        for name in (*wheel, "assay-0.1.0.dist-info/RECORD"):
            archive.writestr(name, "")
    with tarfile.open(folder / "assay-0.1.0.tar.gz", "w:gz") as archive:
        for name in (*(f"src/{name}" for name in source), "README.md"):
            archive.addfile(tarfile.TarInfo(f"assay-0.1.0/{name}"), io.BytesIO())


def test_what_is_as_in_the_repository_is_right(check_wheels: ModuleType, tmp_path: Path) -> None:
    build(tmp_path, FILES, FILES)
    assert check_wheels.faults_of(tmp_path, check_wheels.PACKAGES[0], FILES) == []


def test_each_file_too_many_and_too_few_is_named(check_wheels: ModuleType, tmp_path: Path) -> None:
    build(tmp_path, {*FILES, "assay.pth"}, {"assay/__init__.py", "assay_models/model.onnx"})
    assert check_wheels.faults_of(tmp_path, check_wheels.PACKAGES[0], FILES) == [
        "assay-0.1.0-py3-none-any.whl: assay.pth is not in the repository",
        "assay-0.1.0.tar.gz: assay_models/model.onnx is not in the repository",
        "assay-0.1.0.tar.gz: assay/server/page/index.html is missing",
    ]


def test_the_code_of_both_packages_is_known_to_git(check_wheels: ModuleType) -> None:
    assay, models = map(check_wheels.tracked, check_wheels.PACKAGES)
    assert "assay/server/page/index.html" in assay
    assert not any(name.endswith(".onnx") for name in assay)
    assert sum(name.endswith("/model.onnx") for name in models) == 3
