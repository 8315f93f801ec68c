"""scale.md has the numbers of the kept results, by `benchmarks/scale/plan.py --write`."""

from __future__ import annotations

import doctest
import importlib
import sys
from types import ModuleType

import pytest

from .test_site import ROOT


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("report", "scale", "scale.plan"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("scale.plan")


def test_the_page_shows_the_points_that_were_kept(plan: ModuleType):
    page = plan.PAGE.read_text(encoding="utf-8")
    parts = plan.text_of(plan.Prices(plan.MACHINE_MEMORY, plan.MACHINE_PRICE, plan.DISK_PRICE))
    assert page == plan.written(page, parts)
    for text in parts.values():
        assert text in page


def test_the_examples_are_true(plan: ModuleType):
    result = doctest.testmod(plan)
    assert result.attempted
    assert not result.failed
