"""Fetching pages from a real server: what is read, what is refused, and how much of it."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assay.core.tape import SystemClock
from assay.errors import EgressRefused, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.web.egress import EgressRules
from assay.web.guard import SsrfGuard
from assay.web.http import USER_AGENT, PageFetcher, PageLimits, PinnedHttpClient
from assay.web.pages import PageCache
from assay.web.sources import Page
from support.web import LocalWeb, Served, page

# A busy machine has plenty of time; what only a limit of time ends is given less.
LIMITS = PageLimits(bytes=1024 * 1024, seconds=20.0, idle_seconds=20.0)


@pytest.fixture(scope="module")
def site() -> Iterator[LocalWeb]:
    with LocalWeb() as running:
        yield running


def fetcher(site: LocalWeb, limits: PageLimits = LIMITS, **rules: Sequence[str]) -> PageFetcher:
    guard = SsrfGuard(EgressRules(enabled=True, named=(site.address,), **rules))
    return PageFetcher(PinnedHttpClient(guard), SystemClock(), limits)


@pytest.mark.parametrize("path", ["/plain", "/packed", "/deflated", "/hops/3", "/moved/307", "/cookie"])
async def test_a_page_is_its_bytes_unpacked_with_their_hash(path: str, site: LocalWeb):
    found = await fetcher(site).fetch(site.url + path)
    assert b"best drunk at 60 degrees" in found.data
    assert found.sha256 == hashlib.sha256(found.data).hexdigest()
    assert found.content_type == "text/html"
    assert found.asked == site.url + path


@pytest.mark.parametrize("path", ["/text", "/json"])
async def test_other_kinds_that_loaders_read_are_fetched(path: str, site: LocalWeb):
    assert b"60 degrees" in (await fetcher(site).fetch(site.url + path)).data


async def test_a_request_is_a_plain_get_that_says_who_asks(site: LocalWeb):
    asking = fetcher(site)
    await asking.fetch(site.url + "/cookie")
    await asking.fetch(site.url + "/cookie")
    last = site.requests[-1]
    assert last.method == "GET"
    assert last.headers["user-agent"] == USER_AGENT
    assert USER_AGENT.startswith("assay/")
    assert not {"cookie", "authorization", "referer"} & last.headers.keys()


@pytest.mark.parametrize("path", ["/picture", "/program", "/film", "/no-type"])
async def test_what_no_loader_reads_is_refused_unread(path: str, site: LocalWeb):
    with pytest.raises(ProviderRefused, match="not read"):
        await fetcher(site).fetch(site.url + path)


@pytest.mark.parametrize(
    ("path", "kind", "retryable", "wait"),
    [
        ("/missing", ProviderRefused, False, None),
        ("/gone", ProviderRefused, False, None),
        ("/secret", ProviderRefused, False, None),
        ("/busy", ProviderRefused, True, 7.0),
        ("/broken", ProviderFailed, True, None),
        ("/closed", ProviderFailed, True, 120.0),
        ("/no-content", ProviderRefused, False, None),
        ("/part", ProviderRefused, False, None),
        ("/redirect-without-place", ProviderRefused, False, None),
        ("/circle", ProviderRefused, False, None),
    ],
)
async def test_a_status_is_an_error_by_name(
    path: str, kind: type[ProviderRefused], retryable: bool, wait: float | None, site: LocalWeb
):
    with pytest.raises(kind) as error:
        await fetcher(site).fetch(site.url + path)
    assert type(error.value) is kind
    assert (error.value.retryable, error.value.retry_after) == (retryable, wait)
    assert error.value.hint


@pytest.mark.parametrize("path", ["/huge", "/gzip-bomb", "/deflate-bomb"])
async def test_a_body_that_is_too_long_is_given_up(path: str, site: LocalWeb):
    with pytest.raises(ProviderFailed, match="more than 1 MiB"):
        await fetcher(site).fetch(site.url + path)


@pytest.mark.parametrize("path", ["/brotli", "/zstd", "/gzip-bomb-in-gzip"])
async def test_a_packing_that_was_not_asked_for_is_refused(path: str, site: LocalWeb):
    with pytest.raises(ProviderFailed, match="not asked for"):
        await fetcher(site).fetch(site.url + path)


@pytest.mark.parametrize("path", ["/damaged-gzip", "/cut", "/promises-huge"])
async def test_half_a_page_is_no_page(path: str, site: LocalWeb):
    with pytest.raises(ProviderFailed):
        await fetcher(site).fetch(site.url + path)


@pytest.mark.parametrize(
    ("path", "limits"),
    [("/hang", replace(LIMITS, idle_seconds=0.4)), ("/drip", replace(LIMITS, seconds=0.5))],
    ids=["says nothing", "drips"],
)
async def test_a_slow_page_is_given_up(path: str, limits: PageLimits, site: LocalWeb):
    with pytest.raises(ProviderUnreachable, match="within") as error:
        await fetcher(site, limits).fetch(site.url + path)
    assert error.value.retryable


async def test_a_closed_port_is_unreachable():
    with LocalWeb() as gone:
        asking = fetcher(gone)
    with pytest.raises(ProviderUnreachable, match="nothing listens"):
        await asking.fetch(gone.url + "/plain")


async def test_a_secure_connection_names_the_host_that_was_asked_for():
    named: list[str | None] = []
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.sni_callback = lambda _, name, __: named.append(name)

    async def nobody(*_: object) -> None:
        raise AssertionError("a server without a certificate is spoken to")

    async def here(host: str) -> Sequence[str]:
        return ("127.0.0.1",)

    server = await asyncio.start_server(nobody, "127.0.0.1", 0, ssl=theirs)
    async with server:
        place = f"tea.example:{server.sockets[0].getsockname()[1]}"
        guard = SsrfGuard(EgressRules(enabled=True, named=(place,)))
        with pytest.raises(ProviderUnreachable):
            await PageFetcher(PinnedHttpClient(guard, here), SystemClock(), LIMITS).fetch(f"https://{place}/")
    assert named == ["tea.example"]


# --- robots.txt ----------------------------------------------------------------------------------


@asynccontextmanager
async def robots(served: Served) -> AsyncIterator[tuple[LocalWeb, PageFetcher]]:
    with LocalWeb(robots=served) as running:
        yield running, fetcher(running)


async def test_a_site_says_what_may_be_read_and_is_asked_once():
    rules = b"User-agent: *\nDisallow: /secret\nAllow: /"
    async with robots(Served(rules, content_type="text/plain")) as (site, asking):
        site.serve("/secret/tea", page("Tea", "Tea."))
        for _ in range(2):
            assert (await asking.fetch(site.url + "/plain")).data
        with pytest.raises(ProviderRefused, match=r"robots\.txt"):
            await asking.fetch(site.url + "/secret/tea")
        assert [each.path for each in site.requests] == ["/robots.txt", "/plain", "/plain"]


async def test_a_site_is_asked_once_for_pages_that_are_wanted_together():
    async with robots(Served(b"User-agent: *\nAllow: /", content_type="text/plain", pause=0.05)) as (site, asking):
        pages = await asyncio.gather(*(asking.fetch(f"{site.url}/plain?{n}") for n in range(5)))
        assert all(each.data for each in pages)
        assert [each.path for each in site.requests] == ["/robots.txt", *(["/plain"] * 5)]


async def test_a_site_that_cannot_say_is_asked_once_by_all_who_wait():
    async with robots(Served(b"no", 503, pause=0.05)) as (site, asking):
        wanted = (asking.fetch(f"{site.url}/plain?{n}") for n in range(3))
        errors = await asyncio.gather(*wanted, return_exceptions=True)
        assert [type(each) for each in errors] == [ProviderFailed] * 3
        assert [each.path for each in site.requests] == ["/robots.txt"]


@pytest.mark.parametrize("status", [404, 410, 401, 403])
async def test_a_site_without_the_file_forbids_nothing(status: int):
    async with robots(Served(b"no", status)) as (site, asking):
        assert (await asking.fetch(site.url + "/plain")).data


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_site_that_cannot_say_is_left_alone(status: int):
    async with robots(Served(b"no", status)) as (site, asking):
        with pytest.raises((ProviderFailed, ProviderRefused), match="says what may be read"):
            await asking.fetch(site.url + "/plain")
        assert [each.path for each in site.requests] == ["/robots.txt"]


async def test_a_robots_txt_that_never_ends_is_given_up():
    async with robots(Served(b"#" * 65536, content_type="text/plain", repeat=64)) as (site, asking):
        with pytest.raises(ProviderFailed, match="more than"):
            await asking.fetch(site.url + "/plain")


# --- pages that are kept --------------------------------------------------------------------------


@dataclass
class SetClock:
    """A clock that stands where it is put."""

    now: float = 1_700_000_000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing sleeps here")


class Counted:
    """Pages that are made up, each time another."""

    def __init__(self, clock: SetClock) -> None:
        self.clock = clock
        self.asked: list[str] = []

    async def fetch(self, link: str) -> Page:
        self.asked.append(link)
        data = f"page {len(self.asked)}".encode()
        return Page(link, link, data, "text/plain", self.clock.now, hashlib.sha256(data).hexdigest(), "2020-01-02")


LINK = "https://tea.example/a"


def kept(folder: Path, clock: SetClock, pages: Counted, **rules: Sequence[str]) -> PageCache:
    return PageCache(pages, SsrfGuard(EgressRules(enabled=True, **rules)), folder, clock, max_age=100.0)


async def test_a_page_is_fetched_once_until_it_is_too_old(tmp_path: Path):
    clock = SetClock()
    pages = Counted(clock)
    first = await kept(tmp_path / "pages", clock, pages).fetch(LINK)
    clock.now += 100
    assert await kept(tmp_path / "pages", clock, pages).fetch(LINK) == first
    clock.now += 1
    assert (await kept(tmp_path / "pages", clock, pages).fetch(LINK)).data == b"page 2"
    assert pages.asked == [LINK, LINK]


async def test_a_kept_page_belongs_to_its_owner_only(tmp_path: Path):
    clock = SetClock()
    await kept(tmp_path / "pages", clock, Counted(clock)).fetch(LINK)
    files = list((tmp_path / "pages").iterdir())
    assert len(files) == 1
    assert {each.stat().st_mode & 0o077 for each in [*files, tmp_path / "pages"]} == {0}


@pytest.mark.parametrize("damage", [b"", b"{", b'{"data": 1}\nx', b"null\n", b"\xff\xfe\n"])
async def test_a_damaged_file_counts_as_absent(damage: bytes, tmp_path: Path):
    clock = SetClock()
    pages = Counted(clock)
    await kept(tmp_path, clock, pages).fetch(LINK)
    file = next(tmp_path.iterdir())
    file.write_bytes(damage or file.read_bytes()[:-1] + b"?")
    assert (await kept(tmp_path, clock, pages).fetch(LINK)).data == b"page 2"


async def test_a_kept_page_stays_hidden_where_its_domain_was_denied_since(tmp_path: Path):
    clock = SetClock()
    pages = Counted(clock)
    await kept(tmp_path, clock, pages).fetch(LINK)
    with pytest.raises(EgressRefused):
        await kept(tmp_path, clock, pages, denied=("tea.example",)).fetch(LINK)


async def test_a_folder_that_cannot_be_written_costs_no_page(tmp_path: Path):
    clock = SetClock()
    (tmp_path / "pages").write_text("a file where the folder should be")
    assert (await kept(tmp_path / "pages", clock, Counted(clock)).fetch(LINK)).data == b"page 1"


async def test_the_oldest_pages_go_where_there_are_too_many(tmp_path: Path):
    clock = SetClock()
    pages = Counted(clock)
    guard = SsrfGuard(EgressRules(enabled=True))
    keeping = PageCache(pages, guard, tmp_path, clock, max_age=1e12, largest=2_000)
    for n in range(66):
        await keeping.fetch(f"https://tea.example/{n}")
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) <= 2_000 + 1_000
