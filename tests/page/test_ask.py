"""Ask: sentences as they are tested, sources at their place, the dialogue."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from page.asking import ask
from page.conftest import OpenPage
from support.served import Served


def test_a_sentence_is_marked_as_it_is_written_tested_and_withdrawn(open_page: OpenPage, writing: Served) -> None:
    page = open_page().open(writing)
    page.fill("#question", "How long are loans, and can they be renewed?")
    page.keyboard.press("Enter")
    expect(page.locator(".claim.provisional").first).to_be_visible()
    expect(page.locator(".mark.provisional").first).to_contain_text("being checked")
    expect(page.locator(".mark.withdrawn")).to_contain_text("withdrawn")
    page.locator(".answer").wait_for()
    expect(page.locator(".prose")).not_to_contain_text("best in the country")
    page.get_by_text("1 sentence left out").click()
    expect(page.locator(".changes del").first).to_contain_text("best in the country")


def test_an_answer_names_its_trust_its_sources_and_its_steps(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "How many items can I borrow at a time?")
    expect(turn.locator(".lead")).to_contain_text("20")
    expect(turn.locator(".verdict")).to_contain_text("Answers the question")
    expect(turn.locator(".trust summary")).to_contain_text(re.compile(r"\d+ % likely right"))
    turn.locator(".trust summary").click()
    expect(turn.locator(".dots").first).to_be_visible()
    turn.locator(".timeline > summary").click()
    expect(turn.locator(".step").first).to_contain_text("Understood the question")
    expect(turn.locator(".facts")).to_contain_text("no cost")
    expect(turn.locator(".source")).to_have_count(1)


def test_claims_are_walked_and_opened_by_keyboard(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "How many items can I borrow at a time?")
    page.locator(".question").click()
    page.keyboard.press("j")
    expect(turn.locator(".inspector")).to_contain_text("Claim 1 of 2")
    page.keyboard.press("j")
    expect(turn.locator(".inspector")).to_contain_text("Claim 2 of 2")
    page.keyboard.press("k")
    expect(turn.locator(".inspector")).to_contain_text("Claim 1 of 2")
    page.keyboard.press("o")
    expect(page.locator("#viewer .found").first).to_contain_text("20")
    page.keyboard.press("Escape")
    expect(page.locator("#viewer")).to_be_hidden()
    assert page.evaluate("() => document.activeElement.dataset.mark") == "1"


def test_sources_that_disagree_stand_side_by_side_with_their_dates(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "What is the fee for a late book?")
    readings = turn.locator(".reading")
    expect(readings).to_have_count(2)
    expect(readings.nth(0)).to_contain_text("20 cents a day")
    expect(readings.nth(0)).to_contain_text("1 January 2025")
    expect(readings.nth(0)).to_contain_text("the latest")
    expect(readings.nth(1)).to_contain_text("1 March 2019")


def test_a_question_that_is_asked_back_is_answered_by_a_button(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "Tell me about it")
    text = turn.locator(".prose").inner_text()
    names = turn.locator(".choice").all_inner_texts()
    assert len(names) > 1
    assert text.endswith(f"“{names[0]}”" + "".join(f", “{name}”" for name in names[1:-1]) + f" or “{names[-1]}”?")
    name = names[0]
    turn.locator(".choice").first.click()
    expect(page.locator(".turn .question").nth(1)).to_contain_text(f"Tell me about it – {name}")


def test_half_an_answer_says_what_is_missing(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "When was the roof destroyed and who is the director?")
    expect(turn.locator(".note")).to_contain_text("This is half an answer")
    expect(turn.locator(".note")).to_contain_text("Missing: who is the director")
    expect(turn.get_by_role("button", name="Ask only: who is the director")).to_be_visible()


def test_a_refusal_says_what_to_do(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "What is the wifi password?")
    expect(turn.locator(".verdict")).to_contain_text("the documents do not say")
    expect(turn).to_contain_text("Nearest documents")


def test_a_question_follows_the_one_before(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    ask(page, "Who founded the library?")
    with page.expect_request("**/api/v1/ask") as asked:
        ask(page, "And when did the present building open?")
    history = asked.value.post_data_json["history"]
    assert [message["role"] for message in history] == ["user", "assistant"]
    assert history[0]["text"] == "Who founded the library?"
    page.get_by_role("button", name="New dialogue").click()
    expect(page.locator(".turn")).to_have_count(0)


def test_an_answer_is_stopped(open_page: OpenPage, writing: Served) -> None:
    page = open_page().open(writing)
    page.fill("#question", "How long are loans, and can they be renewed?")
    page.keyboard.press("Enter")
    page.locator(".claim").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".turn")).to_contain_text("Stopped.")
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()


def test_a_stream_that_breaks_is_taken_up_again(open_page: OpenPage, writing: Served) -> None:
    watched = open_page(expects="ERR_INTERNET_DISCONNECTED")
    page = watched.open(writing)
    _break_first_stream(page)
    with page.expect_request("**/events") as resumed:
        turn = ask(page, "How long are loans, and can they be renewed?")
    assert re.fullmatch(r"[0-9A-Z]{26}:\d+", resumed.value.headers["last-event-id"])
    expect(turn.locator(".prose")).to_contain_text("films and games for one week")


def _break_first_stream(page: Page) -> None:
    """Let the first stream of a question end after its second event, as a broken connection would."""
    page.evaluate(
        """() => {
          const real = window.fetch;
          let broken = false;
          window.fetch = async (address, options) => {
            const response = await real(address, options);
            if (broken || !String(address).endsWith("/ask")) return response;
            broken = true;
            const reader = response.body.getReader();
            const first = await reader.read();
            reader.cancel();
            return new Response(first.value, { headers: response.headers });
          };
        }"""
    )


def test_an_answer_is_copied_with_its_sources_and_shared_as_a_run(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    turn = ask(page, "Who founded the library?")
    turn.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied with its sources").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "tramway workers' union" in copied
    assert "[1] History of the house" in copied
    turn.get_by_role("button", name="Share").click()
    page.get_by_text("The link to this run was copied").wait_for()
    link = page.evaluate("() => navigator.clipboard.readText()")
    page.goto(link)
    expect(page.locator("h1")).to_have_text("Who founded the library?")
    expect(page.locator(".prose")).to_contain_text("tramway workers' union")


def test_a_printed_answer_has_the_words_of_its_marks(open_page: OpenPage, served: Served) -> None:
    page = open_page().open(served)
    ask(page, "Who founded the library?")
    page.emulate_media(media="print")
    expect(page.locator(".composer")).to_be_hidden()
    expect(page.locator(".mark .hidden-text").first).to_be_visible()
    expect(page.locator(".source")).to_be_visible()


@pytest.mark.parametrize("status", [429, 503])
def test_an_error_says_what_happened_and_what_to_do(open_page: OpenPage, served: Served, status: int) -> None:
    page = open_page(expects=str(status)).open(served)
    problem = {"title": "The model cannot be reached", "detail": "it did not answer", "hint": "check the address"}
    page.route("**/api/v1/ask", lambda route: route.fulfill(status=status, json=problem))
    page.fill("#question", "Who founded the library?")
    page.keyboard.press("Enter")
    failure = page.get_by_role("alert")
    expect(failure).to_contain_text("The model cannot be reached")
    expect(failure).to_contain_text("it did not answer")
    expect(failure).to_contain_text("Next: check the address")
    page.unroute("**/api/v1/ask")
    failure.get_by_role("button", name="Try again").click()
    expect(page.locator(".answer")).to_contain_text("tramway")
