"""Questions put to the page."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


def ask(page: Page, question: str) -> Locator:
    """Ask, and wait for the whole answer, which is returned."""
    before = page.locator(".turn").count()
    page.fill("#question", question)
    page.keyboard.press("Enter")
    turn = page.locator(".turn").nth(before)
    turn.locator(".answer").wait_for()
    # Its first sentences stand there while it is written; until then no other question is taken.
    page.locator(".composer .stop").wait_for(state="hidden")
    return turn
