"""Every example of README and docs runs, in order, page by page, in a folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a reader may not have set.
_OURS = ("ASSAY_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_")
_EXIT = re.compile(r"\s+# exit (\d+)$")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(match.group(1), match.group(2)) for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))]


@pytest.fixture
def reader_home(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A copy of the sample documents, and an environment without any collection or key."""
    home = tmp_path / "home"
    shutil.copytree(ROOT / "docs", home / "docs")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = str(tmp_path / name.lower())
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return home, environment


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_the_page_runs(page: Path, reader_home: tuple[Path, dict[str, str]]):
    home, environment = reader_home
    for language, body in blocks(page):
        if language == "python":
            commands = [([sys.executable, "-c", body], 0)]
        else:
            lines = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
            wanted = [int(found.group(1)) if (found := _EXIT.search(line)) else 0 for line in lines]
            commands = [(["bash", "-c", line], code) for line, code in zip(lines, wanted, strict=True)]
        for command, code in commands:
            done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=600)
            assert done.returncode == code, f"{command[-1]}\n{done.stdout}\n{done.stderr}"
            assert "Traceback" not in done.stderr
