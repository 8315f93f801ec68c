"""A round outside goes on with what it has, whatever fails, and says what did."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from assay.core.tape import SystemClock
from assay.errors import ProviderFailed
from assay.ingest.load_html import HtmlLoader
from assay.ingest.sandbox import Sandbox
from assay.ingest.split import PassageSplitter
from assay.types import Evidence
from assay.web.egress import EgressRules
from assay.web.guard import SsrfGuard
from assay.web.http import PageFetcher, PageLimits, PinnedHttpClient
from assay.web.outside import OutsideLimits, OutsideRetriever
from assay.web.pages import SNIPPET, Reading
from assay.web.providers import SearxngSearch
from assay.web.sources import Page, SearchProvider, SearchResult
from support.web import FAULTS, LocalWeb, page
from support.web.server import Article

# Pages that a limit of time ends, which is short for them; a busy machine has plenty for all others.
SLOW_PAGES = ("/hang", "/drip")
SHORT = PageLimits(bytes=1024 * 1024, seconds=0.8, idle_seconds=0.4)
PLENTY = PageLimits(bytes=1024 * 1024, seconds=15.0, idle_seconds=15.0)
ARTICLES = (
    Article("/boiling", "Boiling tea", "Tea is brewed at 95 degrees.\nIt is drunk at 60 degrees.", "2021-05-03"),
    Article("/ice", "Ice", "Ice melts at 0 degrees."),
)
QUERY = "at how many degrees is tea drunk"


@pytest.fixture(scope="module")
def web() -> Iterator[LocalWeb]:
    with LocalWeb(ARTICLES) as running:
        yield running


class Scripted:
    """A search service with a script: results by query, or an error; anything unscripted is its own fault."""

    def __init__(self, name: str, **script: Any) -> None:
        self.name = name
        self.host = "scripted"
        self._script = script
        self.asked: list[str] = []

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        self.asked.append(query)
        answer = self._script["any"] if "any" in self._script else self._script[query]
        if isinstance(answer, Exception):
            raise answer
        return tuple(answer)[:k]


class PagesInTime:
    """Pages of the web, each within the limits that are meant for it."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._slow, self._others = (
            PageFetcher(PinnedHttpClient(guard), SystemClock(), each) for each in (SHORT, PLENTY)
        )

    async def fetch(self, link: str) -> Page:
        return await (self._slow if link.endswith(SLOW_PAGES) else self._others).fetch(link)


def outside(
    web: LocalWeb,
    *providers: SearchProvider,
    rules: EgressRules | None = None,
    limits: OutsideLimits | None = None,
    reader: Any = None,
) -> OutsideRetriever:
    guard = SsrfGuard(rules or EgressRules(enabled=True, named=(web.address,)))
    reading = Reading(reader or HtmlLoader(), PassageSplitter(lambda text: len(text.split())))
    asked = providers or (SearxngSearch(web.url, seconds=15.0),)
    return OutsideRetriever(asked, PagesInTime(guard), reading, guard, SystemClock(), limits=limits)


def found_at(*links: str) -> Scripted:
    return Scripted(
        "list", any=[SearchResult("Tea", link, "Tea is drunk at 60 degrees.", "2019-01") for link in links]
    )


def down(name: str = "down") -> Scripted:
    return Scripted(name, any=ProviderFailed("it broke", hint="wait", retryable=True))


async def test_passages_carry_where_they_come_from(web: LocalWeb):
    web.behave()
    evidence = await outside(web).retrieve((QUERY,))
    first = evidence.passages[0]
    assert "60 degrees" in first.text
    assert (first.origin.kind, first.origin.link) == ("web", web.url + "/boiling")
    assert (first.origin.date, first.origin.trust) == ("2021-05-03", "named")
    assert first.origin.fetched
    assert first.title == "Boiling tea"
    assert first.end - first.start == len(first.text)
    assert evidence.notes == ()
    assert [0 < hit.score <= 1 for hit in evidence.hits] == [True] * len(evidence.hits)


async def test_pages_go_through_the_sandbox(web: LocalWeb):
    web.behave()
    sandbox = Sandbox()
    try:
        evidence = await outside(web, reader=sandbox).retrieve((QUERY,))
    finally:
        sandbox.close()
    assert "60 degrees" in evidence.passages[0].text


@pytest.mark.parametrize("fault", FAULTS)
async def test_where_a_service_fails_the_next_is_asked_and_that_is_told(fault: str, web: LocalWeb):
    web.misbehave(fault)
    seconds = 0.5 if fault in {"hangs", "drips"} else 15.0
    providers = (SearxngSearch(web.url, seconds=seconds), found_at(web.url + "/boiling"))
    evidence = await outside(web, *providers).retrieve((QUERY,))
    assert "60 degrees" in evidence.passages[0].text
    assert [note for note in evidence.notes if note.startswith("searxng failed:")]


async def test_where_every_service_fails_there_is_no_evidence_and_all_is_told(web: LocalWeb):
    evidence = await outside(web, down("one"), down("two")).retrieve((QUERY,))
    assert evidence.hits == ()
    assert [note.split()[0] for note in evidence.notes] == ["one", "two"]


async def test_a_service_that_finds_nothing_is_told_of_and_the_next_is_asked(web: LocalWeb):
    evidence = await outside(web, Scripted("empty", any=[]), found_at(web.url + "/boiling")).retrieve((QUERY,))
    assert evidence.hits
    assert evidence.notes == ("empty found nothing",)


FAILING = """/hang /drip /huge /promises-huge /gzip-bomb /gzip-bomb-in-gzip /deflate-bomb /brotli /zstd
/damaged-gzip /cut /picture /program /film /no-type /missing /gone /secret /busy /broken /closed /no-content /part
/redirect-without-place /empty /circle /hops/6 /hops/7""".split()


@pytest.mark.parametrize("path", FAILING)
async def test_a_page_that_cannot_be_read_leaves_the_search_results_own_text(path: str, web: LocalWeb):
    evidence = await outside(web, found_at(web.url + path)).retrieve((QUERY,))
    (only,) = evidence.passages
    assert (only.text, only.location.section) == ("Tea is drunk at 60 degrees.", SNIPPET)
    assert (only.origin.link, only.origin.date) == (web.url + path, "2019-01")
    (note,) = evidence.notes
    assert path in note
    assert "own text is used instead" in note


@pytest.mark.parametrize("path", ["/to-metadata", "/to-private", "/to-file"])
async def test_what_must_not_be_fetched_is_not_quoted_from_elsewhere(path: str, web: LocalWeb):
    evidence = await outside(web, found_at(web.url + path, "http://10.0.0.1/")).retrieve((QUERY,))
    assert evidence.hits == ()
    assert len(evidence.notes) == 2


async def test_one_bad_page_costs_no_other(web: LocalWeb):
    links = [web.url + path for path in ("/hang", "/boiling", "/broken", "/ice")]
    evidence = await outside(web, found_at(*links)).retrieve((QUERY,))
    read = {each.origin.link for each in evidence.passages if each.location.section != SNIPPET}
    assert web.url + "/boiling" in read
    assert len(evidence.notes) == 2


async def test_the_time_of_a_round_is_bounded(web: LocalWeb):
    class Slow(Scripted):
        async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
            await asyncio.sleep(3600)
            raise AssertionError("nobody waits that long")

    limits = OutsideLimits(seconds=0.3)
    asking = outside(web, Slow("slow"), found_at(web.url + "/boiling"), limits=limits).retrieve((QUERY,))
    assert (await asyncio.wait_for(asking, 30)).notes == ("slow did not answer in time",)
    asking = outside(web, found_at(web.url + "/drip"), limits=limits).retrieve((QUERY,))
    evidence = await asyncio.wait_for(asking, 30)
    assert "before the time was up" in evidence.notes[0]
    assert [each.location.section for each in evidence.passages] == [SNIPPET]


async def test_nothing_is_searched_where_nothing_may_leave(web: LocalWeb):
    asked = found_at(web.url + "/boiling")
    before = len(web.requests)
    evidence = await outside(web, asked, rules=EgressRules(named=(web.address,))).retrieve((QUERY,))
    assert evidence == Evidence(notes=("nothing was searched outside: the settings do not allow it",))
    assert (asked.asked, len(web.requests)) == ([], before)


async def test_a_query_leaves_without_what_is_private_and_that_is_told(web: LocalWeb):
    asked = found_at(web.url + "/boiling")
    evidence = await outside(web, asked).retrieve((f"{QUERY} alice@example.org", "bob@example.org"))
    assert asked.asked == [QUERY]
    assert evidence.notes == (
        "left out of the query before it was sent: 1 e-mail address",
        "a query was not sent, because nothing was left of it",
    )


async def test_queries_take_turns_and_a_page_is_read_once(web: LocalWeb):
    web.serve("/other", page("Coffee", "Coffee is drunk at 70 degrees."))
    one = [SearchResult("a", web.url + path, "") for path in ("/boiling", "/ice", "/plain")]
    two = [SearchResult("b", web.url + path, "") for path in ("/other", "/boiling#top")]
    before = len(web.requests)
    provider = Scripted("list", tea=one, coffee=two)
    await outside(web, provider, limits=OutsideLimits(results=3)).retrieve(("tea", "coffee", "tea"))
    assert sorted(each.path for each in web.requests[before:] if each.path != "/robots.txt") == [
        "/boiling",
        "/ice",
        "/other",
    ]


async def test_a_result_without_a_link_is_quoted_as_it_is(web: LocalWeb):
    text = "Tea is drunk at 60 degrees."
    evidence = await outside(web, Scripted("mcp", any=[SearchResult("search", "", text)])).retrieve((QUERY,))
    (only,) = evidence.passages
    assert (only.text, only.origin.kind, only.origin.link) == (text, "mcp", None)


async def test_a_mistake_of_ours_is_not_hidden(web: LocalWeb):
    with pytest.raises(KeyError):
        await outside(web, Scripted("unscripted")).retrieve((QUERY,))


async def test_the_end_of_a_very_long_page_is_left_out_and_spans_stay_true(web: LocalWeb):
    web.serve(
        "/long", page("Tea", "Tea is drunk at 60 degrees, and it goes on for ever, and longer than that.\n" * 3000)
    )
    evidence = await outside(web, found_at(web.url + "/long"), limits=OutsideLimits(k=2000)).retrieve(("tea",))
    assert max(each.end for each in evidence.passages) <= 200_000
    assert all(len(each.text) == each.end - each.start for each in evidence.passages)


def test_evidence_with_notes_and_origins_is_json(web: LocalWeb):
    web.behave()
    evidence = asyncio.run(outside(web, down(), found_at(web.url + "/boiling")).retrieve((QUERY,)))
    body = json.loads(json.dumps(evidence.to_dict()))
    assert body["notes"]
    assert body["hits"][0]["passage"]["origin"]["kind"] == "web"
