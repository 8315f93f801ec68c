"""Host and Origin: a page of another site reaches nothing, by whatever name; and whose address counts."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.types import Message, Scope

from assay.errors import UsageError
from assay.server.hosts import HostAndOrigin, behind_proxies, client_of, is_direct_and_local
from support.asgi import Recorder, exchange, http_scope

# Names that a browser may have been led to this machine by, or that are meant to pass for one that is allowed.
REBOUND = (
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io:8000",
    "evil.example@localhost",
    "localhost@evil.example",
    "localhost.",
    "xn--lcalhost-54a",
    "0.0.0.0",  # noqa: S104 - nothing listens
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "169.254.169.254",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[fe80::1]",
    "sub.assay.example",
)
# What no client sends.
MALFORMED = (
    "",
    " ",
    "localhost:",
    "localhost:80:80",
    "[::1",
    "::1",
    "localhost/",
    "localhost#",
    "[1::2::3]",
    "lo cal",
)


async def status(app: Any, *pairs: tuple[str, str]) -> int:
    return (await exchange(app, http_scope(headers=pairs))).status


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8000", "LocalHost:8000", "127.0.0.1", "[::1]:8000", "[0:0:0:0:0:0:0:1]"]
)
async def test_the_machine_s_own_names_are_let_in(host: str):
    app = HostAndOrigin(Recorder(), listening="127.0.0.1")
    assert await status(app, ("host", host)) == 200


@pytest.mark.parametrize("host", REBOUND)
async def test_a_rebound_name_is_misdirected(host: str):
    inner = Recorder()
    app = HostAndOrigin(inner, listening="127.0.0.1", allowed_hosts=["assay.example"])
    refused = await exchange(app, http_scope(headers=[("host", host)]))
    assert refused.status in (400, 421)
    assert not inner.scopes
    assert "hint" in refused.problem


@pytest.mark.parametrize("host", MALFORMED)
async def test_a_malformed_host_is_a_bad_request(host: str):
    app = HostAndOrigin(Recorder(), listening="127.0.0.1")
    assert await status(app, ("host", host)) == 400


async def test_no_host_and_two_hosts_are_bad_requests():
    app = HostAndOrigin(Recorder(), listening="127.0.0.1")
    assert await status(app) == 400
    assert await status(app, ("host", "localhost"), ("host", "localhost")) == 400


async def test_the_address_listened_on_and_allowed_names_are_let_in():
    app = HostAndOrigin(Recorder(), listening="10.0.0.7", allowed_hosts=["Assay.example"])
    for host, wanted in (
        ("10.0.0.7:8000", 200),
        ("assay.example", 200),
        ("localhost", 200),
        ("10.0.0.8", 421),
        ("evil.example", 421),
    ):
        assert await status(app, ("host", host)) == wanted
    six = HostAndOrigin(Recorder(), listening="2001:db8::7")
    assert await status(six, ("host", "[2001:db8:0::7]:8000")) == 200


@pytest.mark.parametrize("listening", ["0.0.0.0", "::"])  # noqa: S104 - nothing listens
async def test_on_every_address_any_address_is_a_name_but_no_other_name(listening: str):
    app = HostAndOrigin(Recorder(), listening=listening)
    for host, wanted in (
        ("10.0.0.8:8000", 200),
        ("[2001:db8::7]", 200),
        ("evil.example", 421),
        ("2130706433", 421),
    ):
        assert await status(app, ("host", host)) == wanted


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8000", "http://localhost:8000"),
        ("LOCALHOST:8000", "http://localhost:8000"),
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("localhost", "https://localhost"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("localhost", "https://assay.example"),
    ],
)
async def test_the_page_itself_and_allowed_origins_are_let_in(host: str, origin: str):
    app = HostAndOrigin(Recorder(), listening="127.0.0.1", allowed_origins=["https://Assay.example"])
    assert await status(app, ("host", host), ("origin", origin)) == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://localhost:3000",
        "https://localhost:8000/",
        "http://localhost:8000@evil.example",
        "http://127.0.0.1:8000",
        "file://",
        "chrome-extension://abc",
        "http://localhost:8000.evil.example",
        "https://assay.example:444",
        "http://assay.example",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
async def test_another_origin_is_refused(origin: str, method: str):
    inner = Recorder()
    app = HostAndOrigin(inner, listening="127.0.0.1", allowed_origins=["https://assay.example"])
    headers = [("host", "localhost:8000"), ("origin", origin)]
    assert (await exchange(app, http_scope(headers=headers, method=method))).status == 403
    assert not inner.scopes


async def test_one_foreign_origin_of_two_is_enough():
    app = HostAndOrigin(Recorder(), listening="127.0.0.1")
    same, foreign = ("origin", "http://localhost"), ("origin", "http://evil.example")
    assert await status(app, ("host", "localhost"), same, foreign) == 403


async def test_web_sockets_are_closed():
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def never() -> Message:
        raise AssertionError

    inner = Recorder()
    await HostAndOrigin(inner, listening="127.0.0.1")({"type": "websocket", "headers": []}, never, send)
    assert [message["type"] for message in sent] == ["websocket.close"]
    assert not inner.scopes


@pytest.mark.parametrize("host", ["*", "*.example.org", "assay.example:80", "http://assay.example", "", "a b"])
def test_a_host_that_cannot_be_one_is_refused_at_start(host: str):
    with pytest.raises(UsageError, match="is not the name of a host"):
        HostAndOrigin(Recorder(), listening="127.0.0.1", allowed_hosts=[host])


@pytest.mark.parametrize("origin", ["*", "assay.example", "https://assay.example/", "ftp://assay.example", "null"])
def test_an_origin_that_cannot_be_one_is_refused_at_start(origin: str):
    with pytest.raises(UsageError, match="is not a web origin"):
        HostAndOrigin(Recorder(), listening="127.0.0.1", allowed_origins=[origin])


# --- where a request comes from ------------------------------------------------------------------


async def seen_from(proxies: list[str], client: tuple[str, int], forwarded: str) -> str:
    inner = Recorder()
    await exchange(
        behind_proxies(inner, proxies), http_scope(headers={"x-forwarded-for": forwarded}, client=client)
    )
    return client_of(inner.scopes[0])


async def test_a_forwarded_address_counts_only_where_a_trusted_proxy_says_it():
    proxy, other = ("10.0.0.7", 1), ("10.9.9.9", 1)
    assert await seen_from(["10.0.0.7"], proxy, "203.0.113.5") == "203.0.113.5"
    assert await seen_from(["10.0.0.0/24"], proxy, "198.51.100.1, 203.0.113.5, 10.0.0.8") == "203.0.113.5"
    assert await seen_from(["10.0.0.7"], other, "203.0.113.5") == "10.9.9.9"
    assert await seen_from([], proxy, "203.0.113.5") == "10.0.0.7"


@pytest.mark.parametrize("proxy", ["*", "proxy.example", "10.0.0.0/99", ""])
def test_a_proxy_is_an_address_or_a_network(proxy: str):
    with pytest.raises(UsageError, match="is not the address of a proxy"):
        behind_proxies(Recorder(), [proxy])


@pytest.mark.parametrize("client", [None, ("", 0), ("testclient", 1), ("x" * 1000, 1)])
def test_clients_without_an_address_count_as_one(client: Any):
    assert client_of({"client": client}) == "unknown"


def test_of_ipv6_the_network_counts():
    assert client_of({"client": ("2001:db8::1:2", 1)}) == client_of({"client": ("2001:db8::ffff:2", 1)})
    assert client_of({"client": ("2001:db8:0:1::1", 1)}) != client_of({"client": ("2001:db8:0:2::1", 1)})


def local(client: Any, **headers: str) -> bool:
    scope: Scope = http_scope(
        headers={name.replace("_", "-"): value for name, value in headers.items()}, client=client
    )
    return is_direct_and_local(scope)


def test_who_comes_through_a_proxy_is_not_local():
    assert local(("127.0.0.1", 1))
    assert local(("::1", 1))
    assert not local(("10.0.0.7", 1))
    assert not local(None)
    assert not local(("127.0.0.1", 1), x_forwarded_for="127.0.0.1")
    assert not local(("127.0.0.1", 1), forwarded="for=127.0.0.1")
