"""Files below this folder are shown to people as seen from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.cli.adding import plan_lines
from assay.cli.documents import listed
from assay.cli.terminal import from_here
from assay.types import DocumentRecord


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Path(os.path.realpath(folder))


def test_a_file_elsewhere_keeps_its_path(here: Path):
    assert from_here(f"{here}/notes/tea.md") == "notes/tea.md"
    for path in ("", "-", "notes/tea.md", f"{here}", f"{here}s/tea.md", f"{here.parent}/tea.md"):
        assert from_here(path) == path


def test_a_document_is_listed_with_its_path_from_here(here: Path):
    assert listed(DocumentRecord("ab12", f"{here}/tea.md", "Tea", "markdown", "", "", 1)).endswith("  tea.md")


def test_a_plan_names_paths_from_here(here: Path):
    row = {"status": "pruned", "path": f"{here}/tea.md", "reason": "its file is gone", "passages": 0}
    assert next(plan_lines([row])) == "would prune tea.md: its file is gone"
