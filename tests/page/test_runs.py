"""Runs: listed, compared, decided again, labelled, reviewed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from page.conftest import OpenPage
from support.served import Served

QUESTIONS = ("How long can I borrow a book?", "Who founded the library?", "What is the wifi password?")


@pytest.fixture
def runs(served: Served) -> dict[str, str]:
    """The ids of runs by their questions."""
    with served.client() as client:
        answers = [client.post("/api/v1/ask", json={"question": question}).json() for question in QUESTIONS]
    return {answer["question"]: answer["run_id"] for answer in answers}


def test_runs_are_filtered_and_two_are_compared(open_page: OpenPage, served: Served, runs: dict[str, str]) -> None:
    page = open_page().open(served, "#/runs")
    page.get_by_label("Outcome").select_option("abstained")
    expect(page.locator("tbody tr").first).to_contain_text("no answer")
    expect(page.locator("tbody tr").filter(has_text="Who founded")).to_have_count(0)
    page.get_by_label("Outcome").select_option("")
    for question in QUESTIONS[:2]:
        page.get_by_label(f"Choose to compare: {question}").first.check()
    page.get_by_role("button", name="Compare the two").click()
    expect(page.get_by_role("heading", name="Two runs side by side")).to_be_visible()
    expect(page.locator(".comparison ins").first).to_be_visible()
    expect(page.get_by_role("row", name="Outcome")).to_contain_text("answered")


def test_a_run_is_decided_again_under_another_setting(
    open_page: OpenPage, served: Served, runs: dict[str, str]
) -> None:
    page = open_page().open(served, f"#/runs/{runs[QUESTIONS[0]]}")
    page.get_by_text("What if a setting had been another?").click()
    page.get_by_label("Setting").fill("least_passages")
    page.get_by_label("Value").fill("40")
    page.get_by_role("button", name="Decide again").click()
    expect(page.get_by_role("heading", name="With least passages 40 instead of 1")).to_be_visible()
    expect(page.locator(".what-if-result tr.differs").first).to_be_visible()


def test_a_setting_that_needs_a_call_says_so_and_asks(
    open_page: OpenPage, served: Served, runs: dict[str, str]
) -> None:
    page = open_page(expects="409").open(served, f"#/runs/{runs[QUESTIONS[0]]}")
    page.get_by_text("What if a setting had been another?").click()
    page.get_by_label("Setting").fill("k")
    page.get_by_label("Value").fill("3")
    page.get_by_role("button", name="Decide again").click()
    page.get_by_role("button", name="Make the calls").click()
    expect(page.locator(".what-if-result")).to_contain_text("that the tape does not hold")


def test_what_falls_without_each_source_is_tested_when_asked_for(
    open_page: OpenPage, served: Served, runs: dict[str, str], shoot: Callable[[Page, str], None]
) -> None:
    page = open_page().open(served, f"#/runs/{runs[QUESTIONS[0]]}")
    page.get_by_text("What falls without each source?").click()
    rows = page.get_by_role("region", name="Without each source").locator("tbody tr")
    expect(rows.first).to_contain_text("claim 1: carrying")
    shoot(page, "run-without-sources")


def test_answers_and_claims_are_labelled(open_page: OpenPage, served: Served, runs: dict[str, str]) -> None:
    run = runs[QUESTIONS[0]]
    page = open_page().open(served, f"#/runs/{run}")
    page.get_by_role("button", name="This answer is right").click()
    page.locator(".mark").first.click()
    page.get_by_role("button", name="This claim is wrong").click()
    expect(page.get_by_role("button", name="This claim is wrong")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_text("the answer is right")).to_be_visible()
    expect(page.get_by_text("claim 1 is wrong")).to_be_visible()


def test_a_run_is_downloaded_as_a_report(open_page: OpenPage, served: Served, runs: dict[str, str]) -> None:
    page = open_page().open(served, f"#/runs/{runs[QUESTIONS[1]]}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the report").click()
    assert download.value.suggested_filename == f"assay-{runs[QUESTIONS[1]]}.html"
    assert "tramway workers" in download.value.path().read_text(encoding="utf-8")


def test_a_run_is_deleted(open_page: OpenPage, served: Served, runs: dict[str, str]) -> None:
    page = open_page().open(served, f"#/runs/{runs[QUESTIONS[2]]}")
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
    with served.client() as client:
        assert client.get(f"/api/v1/runs/{runs[QUESTIONS[2]]}").status_code == 404


def test_an_answer_that_waits_is_decided_on(open_page: OpenPage, served: Served) -> None:
    question = "How many loans may I have and when is the library open on Sundays?"
    with served.client() as client:
        client.post("/api/v1/ask", json={"question": question})
    page = open_page().open(served, "#/runs/review")
    waiting = page.locator("li.card").filter(has_text=question).first
    waiting.get_by_role("button", name="Show the answer").click()
    expect(waiting.locator(".prose")).to_be_visible()
    waiting.get_by_label("Note on").fill("the hours are right")
    before = page.locator("li.card").count()
    waiting.get_by_role("button", name="Accept").click()
    expect(page.locator("li.card")).to_have_count(before - 1)
