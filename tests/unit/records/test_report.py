"""The page of a run: everything is in it as text, and nothing in it can load or run."""

from __future__ import annotations

import copy
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import open_engine
from assay.records.report import Highlight, element, printable, report, verification_status, with_highlights
from assay.records.runs import RunStore

HOSTILE = "</style></title><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)> &amp; \x00\x1b[31m"
TAGS = frozenset(
    "html head meta title style body h1 h2 h3 p div mark a table thead tbody tr th td span del ins".split()
)


class Reader(HTMLParser):
    """Collects the tags, the attributes and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


@pytest.fixture(scope="module")
def record(tmp_path_factory) -> dict:
    folder: Path = tmp_path_factory.mktemp("audit")
    (folder / "bridge.md").write_text("# Bridge\nThe bridge opened in 1894. It was designed by Horace Jones.")
    with open_engine(data_dir=folder / "data") as engine:
        engine.add([folder / "bridge.md"])
        answer = engine.ask("Who designed the bridge?")
    return RunStore(folder / "data" / "runs.sqlite").load(answer.run_id).to_dict()


def test_the_page_shows_answer_claims_sources_and_checks(record):
    page = read(report(record))
    for shown in (
        "Who designed the bridge?",
        "Horace Jones",
        "supported",
        "SHA-256",
        "Checks",
        "Steps",
        "verified",
    ):
        assert shown in page.text


def test_a_claim_in_the_answer_leads_to_its_line_in_the_ledger(record):
    page = read(report(record))
    ids = [value for name, value in page.attributes if name == "id"]
    links = {value for name, value in page.attributes if name == "href"}
    assert links == {f"#{each}" for each in ids}
    assert len(ids) == len(set(ids))


def spoilt(value):
    """The record with every text that people or documents wrote made hostile."""
    if isinstance(value, dict):
        return {name: HOSTILE if name in WRITTEN else spoilt(each) for name, each in value.items()}
    return [spoilt(each) for each in value] if isinstance(value, list) else value


WRITTEN = {
    "question",
    "title",
    "quote",
    "text",
    "cause",
    "reason",
    "before",
    "after",
    "section",
    "run_id",
    "writer",
}


def test_no_text_becomes_markup(record):
    page = report(spoilt(copy.deepcopy(record)))
    found = read(page)
    assert found.tags <= TAGS
    assert {name for name, _ in found.attributes} <= {
        *("charset", "http-equiv", "content", "name", "class", "id", "href", "lang")
    }
    assert all((value or "").startswith("#claim-") for name, value in found.attributes if name == "href")
    assert "\x00" not in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page


def test_a_run_that_failed_says_so(record):
    failed = {"run": {**record["run"], "outcome": "error"}, "events": record["events"][:1]}
    assert "ended without an answer" in report(failed)


@pytest.mark.parametrize(
    ("outcome", "statuses", "expected"),
    [
        ("answered", ["passed"], "passed"),
        ("answered", ["passed", "unknown"], "unknown"),
        ("partial", ["unknown", "failed"], "failed"),
        ("abstained", [], "skipped"),
    ],
)
def test_standing_is_that_of_the_worst_blocking_check(outcome, statuses, expected):
    checks = [{"severity": "block", "status": each} for each in statuses]
    assert (
        verification_status({"outcome": outcome, "checks": [*checks, {"severity": "warn", "status": "failed"}]})
        == expected
    )


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(-2, 45), st.integers(-2, 45)), max_size=5))
def test_highlighting_leaves_the_text_as_it_is(text, places):
    marks = [Highlight(start, end, "supported") for start, end in places if start >= 0]
    shown = element("p", *with_highlights(text, marks))
    assert "".join(shown.itertext()) == printable(text)
