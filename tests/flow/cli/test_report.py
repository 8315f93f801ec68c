"""report: a run as a page."""

from __future__ import annotations

from pathlib import Path

from .conftest import Cli


def test_a_run_becomes_a_page_that_is_not_written_over(own: Cli, tmp_path: Path):
    own("ask", "At how many degrees does water boil?")
    page = tmp_path / "run.html"
    assert own("report", "last", "--out", page).code == 0
    assert "At how many degrees does water boil?" in page.read_text(encoding="utf-8")
    again = own("report", "last", "--out", page)
    assert again.code == 2
    assert "exists already" in again.err
    assert own("report", "last", "--out", page, "--force").code == 0


def test_a_place_that_cannot_be_written_is_told(own: Cli, tmp_path: Path):
    own("ask", "At how many degrees does water boil?")
    told = own("report", "last", "--out", tmp_path / "nowhere" / "run.html")
    assert told.code == 2
    assert "there is no folder" in told.err


def test_a_run_that_is_not_there_is_told(own: Cli):
    assert own("report", "last").code != 0
