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
    assert "already exists" in again.err
    assert own("report", "last", "--out", page, "--force").code == 0


def test_a_place_that_cannot_be_written_is_told(own: Cli, tmp_path: Path):
    own("ask", "At how many degrees does water boil?")
    told = own("report", "last", "--out", tmp_path / "nowhere" / "run.html")
    assert told.code == 2
    assert "there is no folder" in told.err


def test_a_run_that_is_not_there_is_told(own: Cli):
    assert own("report", "last").code != 0


DRAFT = "Water boils at 100 degrees Celsius at sea level [1][2]. The Harbour Bridge was opened on 3 May 1932 [2]."


def checked(own: Cli, sources: Path, *more: object) -> None:
    contexts = ("--context", sources / "water.md", "--context", sources / "bridge.txt")
    assert own("check", DRAFT, *contexts, *more).code == 0


def test_each_source_is_left_out_and_the_decorative_citation_named(own: Cli, sources: Path, tmp_path: Path):
    checked(own, sources)
    told = own("show", "last", "--sources")
    assert told.out.splitlines() == [
        "[1] water: without it claim 1 falls",
        "[2] bridge: without it claim 2 falls",
        "  claim 1 [1]: carrying, the claim falls without it (support by itself 1.00)",
        told.out.splitlines()[3],
        "  claim 2 [2]: carrying, the claim falls without it (support by itself 1.00)",
    ]
    assert told.out.splitlines()[3].startswith("  claim 1 [2]: decorative, the claim stands without it")
    assert "1 decorative citation" in told.err
    found = own("show", "last", "--sources", "--json").object
    assert [(one["claims"], one["source"], one["role"]) for one in found["citations"]] == [
        ([1], 1, "carrying"),
        ([1], 2, "decorative"),
        ([2], 2, "carrying"),
    ]
    page = tmp_path / "run.html"
    assert own("report", "last", "--out", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "Each source left out" in text
    assert '<span class="verdict failed">decorative</span>' in text


def test_a_run_without_texts_is_told_and_its_page_written_without(
    own: Cli, sources: Path, tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("ASSAY_RECORD", "outline")
    checked(own, sources)
    told = own("show", "last", "--sources")
    assert told.code == 2
    assert "without its texts" in told.err
    page = own("report", "last", "--out", tmp_path / "run.html")
    assert page.code == 0
    assert "no source was left out" in page.err


def test_leaving_sources_out_needs_a_run_with_an_answer(own: Cli):
    assert own("show", "--sources").code == 2
