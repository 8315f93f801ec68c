"""The program as the readers of a page find it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest


@pytest.fixture
def programs(tmp_path: Path, program: list[str]) -> Path:
    """A folder with the command `assay`."""
    command = tmp_path / "bin" / "assay"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return command.parent
