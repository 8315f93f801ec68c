"""What holds for every view: weight, first paint, accessibility, and pictures for people to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from page.asking import ask
from page.conftest import AXE, OpenPage
from support.served import Served

VIEWS = (
    *("", "#/documents", "#/runs", "#/runs/review", "#/figures", "#/check"),
    *("#/settings", "#/settings/rules", "#/settings/values", "#/settings/keys", "#/settings/key"),
)
LOOKS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"dark": True}, "phone": {"width": 390, "height": 844}}
PAINTS_WITHIN_MS = 500
MOST_BYTES = 200_000


def violations(page: Page) -> list[str]:
    """What axe finds that is serious or critical."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run()")["violations"]
    return [
        f"{one['id']}: {[node['target'] for node in one['nodes']]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.skipif(not AXE.exists(), reason="`make page` installs axe-core")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_accessible(
    open_page: OpenPage, served: Served, shoot: Callable[[Page, str], None], view: str, look: str
) -> None:
    page = open_page(**LOOKS[look]).open(served, view)
    page.wait_for_load_state("networkidle")
    shoot(page, f"{look}-{view.replace('#/', '').replace('/', '-') or 'ask'}")
    assert violations(page) == []


@pytest.mark.skipif(not AXE.exists(), reason="`make page` installs axe-core")
@pytest.mark.parametrize("look", LOOKS)
def test_an_answer_and_its_source_are_accessible(
    open_page: OpenPage, served: Served, shoot: Callable[[Page, str], None], look: str
) -> None:
    page = open_page(**LOOKS[look]).open(served)
    turn = ask(page, "What is the fee for a late book?")
    turn.locator(".mark").first.click()
    page.evaluate("() => scrollTo(0, 0)")
    shoot(page, f"{look}-asked")
    turn.locator(".trust summary").click()
    turn.locator(".timeline > summary").click()
    shoot(page, f"{look}-answer")
    assert violations(page) == []
    turn.locator(".inspector button.text").first.click()
    page.locator("#viewer mark.found").first.wait_for()
    page.evaluate("() => scrollTo(0, 0)")
    shoot(page, f"{look}-source")
    assert violations(page) == []


def test_nothing_is_wider_than_a_phone(open_page: OpenPage, served: Served) -> None:
    watched = open_page(**LOOKS["phone"])
    for view in VIEWS:
        page = watched.open(served, view)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, view


def test_the_first_paint_is_within_half_a_second(chromium: Browser, served: Served) -> None:
    def paint() -> float:
        page = chromium.new_page()
        page.goto(served.address)
        page.locator("main h1").wait_for(state="attached")
        found: float = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
        page.close()
        return found

    # The least of five, since a busy machine may stall at any moment.
    assert min(paint() for _ in range(5)) < PAINTS_WITHIN_MS


def test_all_views_together_weigh_under_200_kilobytes(open_page: OpenPage, served: Served) -> None:
    watched = open_page()
    sizes: dict[str, int] = {}
    watched.page.on(
        "response", lambda got: sizes.update({got.url: len(got.body())}) if "/api/" not in got.url else None
    )
    for view in VIEWS:
        watched.open(served, view).wait_for_load_state("networkidle")
    assert 0 < sum(sizes.values()) < MOST_BYTES


def test_every_control_is_reached_by_keyboard(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    page.locator(".earlier button, .welcome .fine").first.wait_for()
    page.get_by_label("Collection").wait_for()
    page.locator("h1").first.click()
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("() => document.activeElement.ariaLabel ?? document.activeElement.textContent"))
    for name in ("Skip to the content", "Documents", "Settings", "Collection", "Question", "Depth", "Ask"):
        assert any(name in text for text in seen), name
    page.locator("h1").first.click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("the next claim")
