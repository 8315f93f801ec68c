"""No link reaches what it must not: not as it is, not by a redirect, not by a name that changes its address."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assay.core.tape import SystemClock
from assay.errors import EgressRefused, ProviderError, ProviderRefused
from assay.web.egress import EgressRules
from assay.web.guard import SsrfGuard
from assay.web.http import PageFetcher, PageLimits, PinnedHttpClient
from support.web import LocalWeb, Served
from support.web.forbidden_links import FORBIDDEN_LINKS, FORBIDDEN_NAMES

RUN = Path(__file__).parents[2] / "benchmarks" / "ssrf" / "run.py"
# What comes behind a # is no part of the host: this one leads to a public host.
PUBLIC = {"http://example.org#@127.0.0.1/"}


@pytest.fixture(scope="module")
def site() -> Iterator[LocalWeb]:
    with LocalWeb() as running:
        yield running


class Names:
    """A resolver with a script: each host's addresses, the last again and again; anything else is its own fault."""

    def __init__(self, **script: Sequence[Sequence[str]]) -> None:
        self._script = {host.replace("_", "."): list(answers) for host, answers in script.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        answers = self._script[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


def fetcher(names: Names, *named: str) -> PageFetcher:
    guard = SsrfGuard(EgressRules(enabled=True, named=named))
    return PageFetcher(PinnedHttpClient(guard, names), SystemClock(), PageLimits(seconds=15.0))


def can_have_a_network_of_its_own() -> bool:
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("ip")):
        return False
    return subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_have_a_network_of_its_own(), reason="needs root for a network of its own")
def test_no_forbidden_address_hears_anything_in_a_network_where_every_address_listens():
    done = subprocess.run(
        [sys.executable, RUN, "--print-only"], check=False, capture_output=True, text=True, timeout=300
    )
    result = json.loads(done.stdout)
    assert result["links"] >= 150
    assert result["reached"] == {}
    assert result["public_addresses_heard"] == 2, "the listeners must hear what is let through"
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("link", [each for each in FORBIDDEN_LINKS if each not in PUBLIC])
async def test_a_forbidden_link_is_refused_and_nobody_is_asked(link: str, site: LocalWeb):
    before = len(site.requests)
    # A resolver that answers like those that read numbers their own way.
    names = Names(example_org=[["127.0.0.1"]])
    with pytest.raises(EgressRefused) as refused:
        await fetcher(names).fetch(link.replace("{port}", str(site.port)))
    assert refused.value.hint
    assert len(site.requests) == before


@pytest.mark.parametrize(("host", "addresses"), FORBIDDEN_NAMES.items())
async def test_a_name_that_leads_to_a_forbidden_address_is_refused(host: str, addresses: Sequence[str]):
    names = Names(**{host.replace(".", "_"): [addresses]})
    with pytest.raises(EgressRefused, match="is at"):
        await fetcher(names).fetch(f"http://{host}/")
    assert names.asked == [host]


@pytest.mark.parametrize(
    "path", ["/to-file", "/to-gopher", "/to-metadata", "/to-private", "/to-userinfo", "/to-controls", "/to-nowhere"]
)
async def test_a_redirect_to_what_is_forbidden_is_refused(path: str, site: LocalWeb):
    with pytest.raises(EgressRefused):
        await fetcher(Names(), site.address).fetch(site.url + path)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_checked_like_the_first_link(status: int, site: LocalWeb):
    site.serve("/on", Served(b"", status, headers={"Location": f"http://other.example.org:{site.port}/plain"}))
    with pytest.raises(EgressRefused, match="port"):
        await fetcher(Names(), site.address).fetch(site.url + "/on")


async def test_a_site_that_leads_its_robots_txt_elsewhere_is_refused(site: LocalWeb):
    leads = Served(b"", 302, headers={"Location": "http://169.254.169.254/"})
    with LocalWeb(robots=leads) as other, pytest.raises(EgressRefused):
        await fetcher(Names(), other.address).fetch(other.url + "/plain")


async def test_a_page_is_asked_for_at_the_address_that_was_checked(site: LocalWeb):
    # The name points to the site once, then elsewhere: each request finds its addresses once, and keeps to them.
    names = Names(tea_example=[["127.0.0.1"], ["127.0.0.1"], ["127.0.0.9"]])
    page = await fetcher(names, f"tea.example:{site.port}").fetch(f"http://tea.example:{site.port}/plain")
    assert b"60 degrees" in page.data
    assert names.asked == ["tea.example"] * 2, "once for robots.txt, once for the page"
    assert site.requests[-1].headers["host"] == f"tea.example:{site.port}"


async def test_a_name_that_turns_to_a_forbidden_address_is_refused_when_it_is_asked_again(site: LocalWeb):
    names = Names(tea_example=[["127.0.0.1"], ["169.254.169.254"]])
    before = len(site.requests)
    with pytest.raises(EgressRefused, match=r"169\.254"):
        await fetcher(names, f"tea.example:{site.port}").fetch(f"http://tea.example:{site.port}/plain")
    assert [each.path for each in site.requests[before:]] == ["/robots.txt"]


@pytest.mark.parametrize(
    "link", ["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/"]
)
async def test_no_list_allows_a_clouds_metadata(link: str):
    named = ("169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal", "wiki.example")
    with pytest.raises(EgressRefused, match="metadata"):
        await fetcher(Names(), *named).fetch(link)
    with pytest.raises(EgressRefused, match="metadata"):
        await fetcher(Names(wiki_example=[["169.254.169.254"]]), *named).fetch("http://wiki.example/")


async def test_a_named_host_is_reached_on_its_own_port_only(site: LocalWeb):
    assert (await fetcher(Names(), site.address).fetch(site.url + "/plain")).data
    for link in (f"http://127.0.0.1:{site.port + 1}/", "http://127.0.0.1/", f"http://127.0.0.2:{site.port}/"):
        with pytest.raises(EgressRefused):
            await fetcher(Names(), site.address).fetch(link)


@pytest.mark.parametrize(("hops", "reached"), [(1, True), (5, True), (6, False)])
async def test_five_redirects_are_followed_and_no_more(hops: int, reached: bool, site: LocalWeb):
    asking = fetcher(Names(), site.address).fetch(f"{site.url}/hops/{hops}")
    if reached:
        page = await asking
        assert (page.link, page.asked) == (f"{site.url}/hops/0", f"{site.url}/hops/{hops}")
    else:
        with pytest.raises(ProviderRefused, match="more than 5 times"):
            await asking


@pytest.mark.parametrize("path", ["/refresh", "/meta-refresh"])
async def test_a_page_cannot_send_its_reader_on(path: str, site: LocalWeb):
    page = await fetcher(Names(), site.address).fetch(site.url + path)
    assert page.link == site.url + path
    assert page.data


async def test_nothing_is_asked_where_nothing_may_leave(site: LocalWeb):
    before = len(site.requests)
    guard = SsrfGuard(EgressRules(named=(site.address,)))
    with pytest.raises(EgressRefused, match="nothing may leave"):
        await PageFetcher(PinnedHttpClient(guard), SystemClock()).fetch(site.url + "/plain")
    assert len(site.requests) == before


async def test_domains_can_be_denied_and_be_the_only_ones(site: LocalWeb):
    for rules in (
        EgressRules(enabled=True, denied=("example.org",)),
        EgressRules(enabled=True, domains=("example.net",)),
    ):
        names = Names()
        with pytest.raises(EgressRefused, match="rules deny"):
            await PageFetcher(PinnedHttpClient(SsrfGuard(rules), names), SystemClock()).fetch(
                "https://www.example.org/"
            )
        assert names.asked == []


async def test_a_public_name_without_an_address_is_an_error_of_the_network():
    async def nowhere(host: str) -> Sequence[str]:
        raise OSError("no such host")

    guard = SsrfGuard(EgressRules(enabled=True))
    with pytest.raises(ProviderError) as error:
        await PageFetcher(PinnedHttpClient(guard, nowhere), SystemClock()).fetch("http://example.org/")
    assert not isinstance(error.value, EgressRefused)
