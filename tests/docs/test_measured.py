"""measured.md and README have the numbers of the kept results; `python benchmarks/report.py` renews both."""

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


def test_the_page_shows_the_results_that_were_kept(report: ModuleType):
    assert report.PAGE.read_text(encoding="utf-8") == report.page()


def test_the_readme_shows_its_numbers_as_they_were_measured(report: ModuleType):
    assert report.README.read_text(encoding="utf-8") == report.readme()
    assert report.numbers() in report.readme()


def test_the_examples_are_true(report: ModuleType):
    result = doctest.testmod(report)
    assert result.attempted
    assert not result.failed
