"""Which addresses are public, beside what the standard library says of them."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import EgressRefused
from assay.web.egress import EgressRules, forbidden, never
from assay.web.guard import SsrfGuard


@pytest.mark.parametrize(
    "text",
    ["93.184.215.14", "1.1.1.1", "8.8.8.8", "142.250.74.78", "2a00:1450:4001:81b::200e", "2606:4700::1111"],
)
def test_public_addresses_may_be_reached(text: str):
    assert forbidden(ip_address(text)) is None


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_is_forbidden(address: IPv4Address):
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert forbidden(address)


@given(st.ip_addresses(v=6))
def test_what_python_calls_private_is_forbidden_in_ipv6_too(address: IPv6Address):
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert forbidden(address)


@given(st.ip_addresses(v=4))
def test_no_ipv4_address_is_reached_inside_an_ipv6_one(address: IPv4Address):
    number = int(address)
    for text in (
        f"::ffff:{address}",
        f"64:ff9b::{address}",
        f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1",
        f"2a00::5efe:{address}",
        f"2a00::200:5efe:{address}",
        f"2001:0:{number >> 16:x}:{number & 0xFFFF:x}::",
    ):
        assert never(ip_address(text)), text


@given(st.text(max_size=60))
def test_a_link_is_refused_or_spelled_in_a_way_that_is_read_the_same_again(text: str):
    guard = SsrfGuard(EgressRules(enabled=True))
    spelled: list[str] = []
    for asked in (text, f"http://{text}", f"https://example.org/{text}"):
        with suppress(EgressRefused):
            link = str(guard.link(asked))
            assert link.isascii()
            spelled.append(link)
    assert [str(guard.link(link)) for link in spelled] == spelled


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/a/../b?c=d#e", "http://example.org/a/../b?c=d"),
        ("https://example.org.:443/", "https://example.org/"),
        ("https://münchen.example/straße?q=ü", "https://xn--mnchen-3ya.example/stra%C3%9Fe?q=%C3%BC"),
        ("http://93.184.215.14/x", "http://93.184.215.14/x"),
        ("http://[2A00:1450:0:0::1]/", "http://[2a00:1450::1]/"),
        ("http://example.org?x", "http://example.org/?x"),
    ],
)
def test_a_link_has_one_spelling(text: str, spelled: str):
    assert str(SsrfGuard(EgressRules(enabled=True)).link(text)) == spelled
