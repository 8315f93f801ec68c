"""Figures, Check and Settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assay.server.settings import ServerSettings
from page.conftest import LIBRARY, OpenPage
from support.served import Served, serving, wait_for

DRAFT = (
    "Books are lent for six weeks [1]. A loan can be renewed twice [1]. Most late fees are paid by pensioners [1]."
)


def test_figures_are_plotted_with_their_numbers(open_page: OpenPage, served: Served) -> None:
    with served.client() as client:
        client.post("/api/v1/ask", json={"question": "Who founded the library?"})
    page = open_page().open(served, "#/figures")
    expect(page.locator(".tile").first).to_contain_text("Questions")
    plots = page.locator("figure.plot")
    expect(plots.filter(has_text="How questions ended")).to_be_visible()
    # Also where all runs are of one day.
    assert plots.first.locator(".bar").first.bounding_box()["width"] > 5  # type: ignore[index]
    plots.first.get_by_text("Numbers").click()
    expect(plots.first.locator("table")).to_be_visible()


def test_a_draft_is_checked_and_its_repairs_accepted_one_by_one(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served, "#/check")
    page.get_by_label("Draft").fill(DRAFT)
    page.set_input_files("input[type=file]", LIBRARY / "loans.md")
    expect(page.get_by_label("Title of source 1")).to_have_value("loans")
    page.get_by_role("button", name="Check the draft").click()
    expect(page.locator(".verdict")).to_contain_text("Some claims do not hold")
    expect(page.locator(".prose .mark.contradicted")).to_contain_text("contradicted")
    result = page.locator("section", has=page.get_by_role("heading", name="The text now")).locator(".card .prose")
    expect(result).to_contain_text("lent for four weeks")
    corrected = page.locator(".repair").filter(has_text="six weeks").first
    corrected.get_by_role("button", name="Reject").click()
    expect(result).to_contain_text("lent for six weeks")
    page.locator(".cite").first.click()
    expect(page.locator("#viewer mark.found").first).to_be_visible()


def test_rules_models_values_and_doctor_are_shown(open_page: OpenPage, writing: Served) -> None:
    page = open_page().open(writing, "#/settings")
    expect(page.get_by_role("row", name="writer")).to_contain_text("fake:")
    expect(page.get_by_role("row", name="writer")).to_contain_text("this server")
    page.get_by_role("button", name="Examine the installation").click()
    expect(page.locator(".checks").first).to_be_attached()
    page.get_by_role("link", name="Rules").click()
    expect(page.locator("li.card").first).to_be_visible()
    page.get_by_role("link", name="Values").click()
    page.get_by_label("Find a setting").fill("profile")
    expect(page.get_by_role("row", name="profile how thoroughly")).to_contain_text("balanced")


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[tuple[Served, str]]:
    """A server that asks for a key, and an admin's key."""
    with serving(ServerSettings(engine={"data_dir": tmp_path})) as server, server.client() as client:
        made = client.post("/api/v1/keys", json={"name": "first", "scope": "admin"})
        yield server, made.json()["key"]


def test_a_key_is_entered_and_others_are_made_and_revoked(open_page: OpenPage, locked: tuple[Served, str]) -> None:
    server, key = locked
    page = open_page(expects="401").page
    page.goto(f"{server.address}/#/documents")
    page.get_by_role("link", name="Enter a key").click()
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_text("the server knows this key as “first”")).to_be_visible()
    assert page.evaluate("() => [localStorage.length, document.cookie]") == [0, ""]
    page.get_by_role("link", name="Keys").click()
    page.get_by_role("button", name="New key").click()
    page.get_by_label("Name").fill("dashboard")
    page.get_by_role("button", name="Make the key").click()
    made = page.locator(".key code").inner_text()
    with server.client(headers={"Authorization": f"Bearer {made}"}) as client:
        assert client.get("/api/v1/collections").status_code == 200
        page.get_by_role("button", name="Done").click()
        page.get_by_role("button", name="Revoke dashboard").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(page.get_by_role("row", name="dashboard")).to_have_count(0)
        wait_for(lambda: client.get("/api/v1/collections").status_code == 401)
