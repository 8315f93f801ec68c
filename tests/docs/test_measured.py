"""measured.md, README and two concept pages have the numbers of the kept results, by `benchmarks/report.py`."""

from __future__ import annotations

import doctest
import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, "report", raising=False)
    return importlib.import_module("report")


@pytest.fixture
def concept_pages(report: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.delitem(sys.modules, "concept_pages", raising=False)
    return importlib.import_module("concept_pages")


def test_the_page_shows_the_results_that_were_kept(report: ModuleType):
    assert report.PAGE.read_text(encoding="utf-8") == report.page()


def test_the_readme_shows_its_numbers_as_they_were_measured(report: ModuleType):
    assert report.README.read_text(encoding="utf-8") == report.readme()
    assert report.numbers() in report.readme()


def test_the_concept_pages_show_their_figures_as_they_were_measured(concept_pages: ModuleType):
    for page in concept_pages.PAGES:
        text = page.read_text(encoding="utf-8")
        assert text == concept_pages.with_figures(page)
        assert "Not measured yet" not in text


def test_a_stage_that_shows_no_gain_is_called_so(concept_pages: ModuleType):
    undecided = {"right shown": {"low": -0.1, "high": 0.1}, "wrong shown": {"low": 0.05, "high": 0.1}}
    better = {"right shown": True, "wrong shown": False}
    assert concept_pages.verdict(undecided, better) == "**no gain shown**; price: wrong shown"


def test_the_examples_are_true(report: ModuleType, concept_pages: ModuleType):
    for module in (report, concept_pages):
        result = doctest.testmod(module)
        assert result.attempted
        assert not result.failed
