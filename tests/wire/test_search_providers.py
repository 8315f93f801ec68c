"""Every search service against a server of its shape: what it finds, and each way that it fails, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from assay.errors import (
    EgressRefused,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
)
from assay.web.providers import BraveSearch, DuckDuckGoSearch, SearxngSearch, TavilySearch, WikipediaSearch
from assay.web.sources import SearchProvider
from support.web import FAULTS, LocalWeb, Served
from support.web.server import Article

KEY = "tvly-0123456789abcdef"
ARTICLES = (
    Article("/tea", "Tea & milk", "Tea is best drunk at <60> degrees.", "2021-05-03"),
    Article("/ice", "Ice", "Ice melts at 0 degrees."),
    Article("/tea-houses", "Tea houses", "A tea house serves tea."),
)
SERVICES: Mapping[str, Callable[[str, float], SearchProvider]] = {
    "searxng": lambda url, seconds: SearxngSearch(url, seconds=seconds),
    "brave": lambda url, seconds: BraveSearch(KEY, url, seconds=seconds),
    "tavily": lambda url, seconds: TavilySearch(KEY, url, seconds=seconds),
    "wikipedia": lambda url, seconds: WikipediaSearch(url=url, seconds=seconds),
}
# Faults that a limit of time ends, which is short for them; a busy machine has plenty for all others.
SLOW = {"hangs", "drips"}
SHORT, PLENTY = 0.5, 20.0
# What each fault is told as; "again" where the same search may work later.
OUTCOMES: Mapping[str, tuple[type[ProviderError], bool]] = {
    "hangs": (ProviderUnreachable, True),
    "drips": (ProviderUnreachable, True),
    "400": (ProviderRefused, False),
    "401": (ProviderRefused, False),
    "402": (ProviderRefused, False),
    "403": (ProviderRefused, False),
    "404": (ProviderRefused, False),
    "408": (ProviderFailed, True),
    "422": (ProviderRefused, False),
    "429": (ProviderRefused, True),
    "432": (ProviderRefused, False),
    "500": (ProviderFailed, True),
    "502": (ProviderFailed, True),
    "503": (ProviderFailed, True),
    "redirects": (ProviderRefused, False),
    "says nothing": (ProviderFailed, True),
    "shows a page": (ProviderFailed, True),
    "says null": (ProviderFailed, True),
    "says a list": (ProviderFailed, True),
    "says an empty object": (ProviderFailed, True),
    "says other types": (ProviderFailed, True),
    "says rows of nothing": (ProviderFailed, True),
    "nests too deeply": (ProviderFailed, True),
    "breaks off": (ProviderFailed, True),
    "is not text": (ProviderFailed, True),
    "is huge": (ProviderFailed, False),
    "is a gzip bomb": (ProviderFailed, False),
    "drops the connection": (ProviderFailed, True),
}


@pytest.fixture(scope="module")
def web() -> Iterator[LocalWeb]:
    with LocalWeb(ARTICLES) as running:
        yield running


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, web: LocalWeb) -> SearchProvider:
    web.behave()
    made: SearchProvider = SERVICES[request.param](web.url, PLENTY)
    assert made.name == request.param
    return made


async def test_results_are_typed_and_plain(service: SearchProvider, web: LocalWeb):
    found = await service.search("hot tea degrees", 5)
    first = found[0]
    assert (first.title, first.link, first.snippet) == (
        "Tea & milk",
        web.url + "/tea",
        "Tea is best drunk at <60> degrees.",
    )
    if service.name != "tavily":
        assert first.date == "2021-05-03"
    assert {each.link for each in found} == {web.url + each.path for each in ARTICLES}
    assert web.requests[-1].query == "hot tea degrees"
    assert len(await service.search("hot tea degrees", 1)) == 1


async def test_nothing_found_is_an_empty_list_only_where_the_service_says_so(service: SearchProvider):
    assert await service.search("zebra", 5) == ()


def test_every_fault_has_an_outcome():
    assert OUTCOMES.keys() == FAULTS.keys()


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_an_error_by_name_and_never_an_empty_list(fault: str, name: str):
    with LocalWeb(ARTICLES) as web:
        web.misbehave(fault)
        service = SERVICES[name](web.url, SHORT if fault in SLOW else PLENTY)
        with pytest.raises(ProviderError) as error:
            await service.search("tea", 5)
        asked = len(web.requests)
    kind, again = OUTCOMES[fault]
    assert (type(error.value), error.value.retryable) == (kind, again)
    assert service.name in str(error.value)
    assert error.value.hint
    assert KEY not in f"{error.value} {error.value.hint}"
    # Asked once: nothing is retried, nothing followed. A short limit may pass before the request is there.
    assert asked in ({0, 1} if fault in SLOW else {1})


async def test_a_service_says_how_long_to_wait(service: SearchProvider, web: LocalWeb):
    for fault, seconds in (("429", 3.0), ("503", 60.0)):
        web.misbehave(fault)
        with pytest.raises(ProviderError) as error:
            await service.search("tea", 5)
        assert error.value.retry_after == seconds


@pytest.mark.parametrize("name", SERVICES)
async def test_a_service_that_is_down_is_unreachable(name: str):
    with LocalWeb() as gone:
        service = SERVICES[name](gone.url, PLENTY)
    with pytest.raises(ProviderUnreachable, match="nothing listens") as error:
        await service.search("tea", 5)
    assert error.value.retryable


@pytest.mark.parametrize("name", SERVICES)
async def test_a_host_without_an_address_is_unreachable(name: str):
    with pytest.raises(ProviderUnreachable):
        await SERVICES[name]("http://assay-search.invalid", PLENTY).search("tea", 5)


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize(
    "url",
    ["", "localhost:8888", "ftp://localhost/", "http://u:p@localhost/", "http://169.254.169.254/", "http://[x"],
)
def test_an_address_that_is_none_is_refused_at_once(name: str, url: str):
    if name == "wikipedia" and not url:
        url = "http://"
    with pytest.raises(EgressRefused):
        SERVICES[name](url, PLENTY)


async def test_keys_are_sent_as_each_service_wants_them_and_shown_nowhere(web: LocalWeb):
    web.behave()
    for service, header, value in (
        (BraveSearch(KEY, web.url), "x-subscription-token", KEY),
        (TavilySearch(KEY, web.url), "authorization", f"Bearer {KEY}"),
    ):
        await service.search("tea", 5)
        assert web.requests[-1].headers[header] == value
        assert KEY not in repr(service)
    with pytest.raises(UsageError, match="a space"):
        BraveSearch("two words")


async def test_long_queries_are_cut_to_what_a_service_takes(web: LocalWeb):
    web.behave()
    long = "tea " * 500
    await BraveSearch(KEY, web.url).search(long, 5)
    assert web.requests[-1].query == " ".join(["tea"] * 50)
    await TavilySearch(KEY, web.url).search(long, 5)
    assert len(web.requests[-1].query) <= 400


async def test_engines_that_are_silent_are_a_failure_of_searxng(web: LocalWeb):
    silent = b'{"results": [], "unresponsive_engines": [["google", "timeout"]]}'
    web.misbehave(Served(silent, content_type="application/json"))
    with pytest.raises(ProviderFailed, match="google"):
        await SearxngSearch(web.url).search("tea", 5)


async def test_an_error_that_wikipedia_says_with_status_200_is_an_error(web: LocalWeb):
    for code, kind, again in (
        ("ratelimited", ProviderRefused, True),
        ("internal_api_error", ProviderFailed, False),
    ):
        body = f'{{"error": {{"code": "{code}", "info": "no"}}}}'.encode()
        web.misbehave(Served(body, content_type="application/json"))
        with pytest.raises(kind) as error:
            await WikipediaSearch(url=web.url).search("tea", 5)
        assert error.value.retryable is again


def test_wikipedia_has_languages():
    assert WikipediaSearch("de").host == "de.wikipedia.org"
    with pytest.raises(UsageError):
        WikipediaSearch("de.evil.example/")


# --- DuckDuckGo, whose package does the asking ----------------------------------------------------


def scripted(result: Sequence[Mapping[str, Any]] | Exception) -> Callable[[str, int], Sequence[Mapping[str, Any]]]:
    def ask(query: str, k: int) -> Sequence[Mapping[str, Any]]:
        assert (query, k) == ("tea", 5)
        if isinstance(result, Exception):
            raise result
        return result

    return ask


async def test_duckduckgo_gives_typed_results():
    rows = [{"title": "Tea", "href": "https://tea.example/", "body": "Hot <b>tea</b>"}]
    found = await DuckDuckGoSearch(ask=scripted(rows)).search("tea", 5)
    assert [(each.title, each.link, each.snippet) for each in found] == [("Tea", "https://tea.example/", "Hot tea")]


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (DDGSException("No results found."), ProviderFailed),
        (DDGSException("ConnectError: refused"), ProviderUnreachable),
        (TimeoutException("timed out"), ProviderUnreachable),
        (RatelimitException("202"), ProviderRefused),
    ],
)
async def test_duckduckgos_failures_are_errors_by_name(raised: Exception, kind: type[ProviderError]):
    with pytest.raises(kind) as error:
        await DuckDuckGoSearch(ask=scripted(raised)).search("tea", 5)
    assert error.value.retryable


@pytest.mark.parametrize("rows", ["a page", [1], [{"x": 1}]])
async def test_duckduckgos_nonsense_is_a_failure(rows: Any):
    with pytest.raises(ProviderFailed):
        await DuckDuckGoSearch(ask=scripted(rows)).search("tea", 5)


async def test_the_package_itself_fails_by_name_where_its_way_out_is_closed():
    with LocalWeb() as gone:
        proxy = gone.url
    with pytest.raises(ProviderUnreachable):
        await DuckDuckGoSearch(seconds=2.0, proxy=proxy).search("tea", 5)
