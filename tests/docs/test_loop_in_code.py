"""the-loop-in-code.md shows `gather` as it stands; `.venv/bin/python tests/docs/test_loop_in_code.py` renews it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from assay.core import pipeline, stages

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "concepts" / "the-loop-in-code.md"
_BLOCK = re.compile(r"(<!-- gather -->\n```py\n).*?(```\n<!-- end of gather -->)", re.DOTALL)
_ROW = re.compile(r"^\| \w+ \| (`.*?) \| (.*?) \|$", re.MULTILINE)


def renewed() -> str:
    source = inspect.getsource(pipeline.gather)
    return _BLOCK.sub(lambda match: match.group(1) + source + match.group(2), PAGE.read_text(encoding="utf-8"))


def test_the_page_shows_the_function_as_it_is():
    assert "async def gather(" in renewed()
    assert PAGE.read_text(encoding="utf-8") == renewed()


@pytest.mark.parametrize(("protocols", "folders"), _ROW.findall(PAGE.read_text(encoding="utf-8")))
def test_every_step_of_the_table_is_there(protocols: str, folders: str):
    named = re.findall(r"`(\w+)`", protocols)
    assert named
    assert all(inspect.isclass(getattr(stages, name)) for name in named)
    found = re.findall(r"`(\w+)/`", folders)
    assert found
    assert all((ROOT / "src" / "assay" / folder).is_dir() for folder in found)


if __name__ == "__main__":
    PAGE.write_text(renewed(), encoding="utf-8")
