"""What is taken out of a query before it leaves, what stays in, and whom the rules mean."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.web.egress import EgressRules, Redacted, redacted

PRIVATE = [
    ("write to alice.b+c@mail.example.org now", "alice.b+c@mail.example.org", "e-mail addresses"),
    ("who is bob＠example.org", "example.org", "e-mail addresses"),
    ("call +49 30 901820 today", "901820", "telephone numbers"),
    ("call (212) 555-0187 today", "0187", "telephone numbers"),
    ("call 0030 21 0123 4567 today", "4567", "telephone numbers"),
    ("call 030-901-820-12 today", "901", "telephone numbers"),
    ("call ٠٣٠ ٩٠١ ٨٢٠ ١٢ today", "901", "telephone numbers"),
    ("card 4111 1111 1111 1111 declined", "1111", "card numbers"),
    ("card 4111-1111-1111-1111 declined", "1111", "card numbers"),
    ("card 4111\u200b111111111111 declined", "1111", "card numbers"),
    ("amex 378282246310005 fee", "3782", "card numbers"),
    ("pay DE89 3704 0044 0532 0130 00 today", "3704", "account numbers"),
    ("pay GB29NWBK60161331926819 today", "NWBK", "account numbers"),
    ("why is sk-proj-abcdefgh12345678 refused", "abcdefgh", "keys"),
    ("is AKIAIOSFODNN7EXAMPLE valid", "IOSFODNN", "keys"),
    ("is ghp_16C7e42F292c6912E7710c838347Ae178B4a valid", "16C7", "keys"),
    ("decode eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc please", "eyJ", "keys"),
    ("hash 5f4dcc3b5aa765d61d8327deb882cf99 of what", "5f4dcc", "keys"),
    ("my password is hunter2 why", "hunter2", "secrets"),
    ("login with token: abcdef please", "abcdef", "secrets"),
    ("PIN=4921 not accepted", "4921", "secrets"),
    ("why is 192.168.178.1 slow", "192.168", "network addresses"),
    ("why is fe80::1ff:fe23:4567:890a slow", "fe23", "network addresses"),
    ("why is [2001:db8::1] slow", "2001", "network addresses"),
    ("what is at https://bob:pw@host.example/x here", "host.example", "private addresses of pages"),
    ("open https://h.example/a?b=1&token=s3cr3t now", "s3cr3t", "private addresses of pages"),
    ("passport 123456789 lost", "123456789", "telephone numbers"),
    ("order 12345678901234567890 lost", "123456", "long numbers"),
]
HARMLESS = [
    "how hot is tea?",
    "population of Germany in 2021",
    "battle of 1815-06-18",
    "from 1914-1918 or 1939 – 1945",
    "the budget of $1,250,000,000 in 2020",
    "is 3.14159265 the value of pi",
    "version 1.2.3 of RFC 9110",
    "ISBN and DOI 10.1000/182",
    "what is at https://en.wikipedia.org/wiki/Tea?action=raw",
    "C++17 or E=mc2",
    "COVID-19 and H5N1",
    "room 101, 12:30 to 14:45",
    "what is a password manager",
    "token ring networks",
    "the secret of Monkey Island",
    "水素爆弾 2021年5月",
    "65536 times 4096",
    "flight LH 2030 on 2021-05-03",
    "pneumonoultramicroscopicsilicovolcanoconiosis causes",
    "how long is the border at 8,891 km",
]


@pytest.mark.parametrize(("query", "gone", "kind"), PRIVATE)
def test_what_is_private_is_left_out_and_counted(query: str, gone: str, kind: str):
    left = redacted(query)
    assert gone not in left.text
    assert left.removed == {kind: 1}
    assert str(left).startswith("1 ")
    assert str(left) != f"1 {kind}", "one of a kind is told as one"
    assert str(Redacted("", {kind: 2})) == f"2 {kind}"
    assert left.text.split()[0] == query.split()[0] or query.startswith("PIN")


@pytest.mark.parametrize("query", HARMLESS)
def test_what_is_harmless_stays(query: str):
    assert redacted(query).text == query
    assert redacted(query).removed == {}


def test_several_are_counted_by_kind():
    left = redacted("a@b.example c@d.example 4111111111111111")
    assert left.text == ""
    assert left.removed == {"e-mail addresses": 2, "card numbers": 1}


@given(st.text(max_size=300))
def test_redacting_twice_changes_nothing_and_nothing_is_added(text: str):
    once = redacted(text).text
    assert len(once) <= len(text)
    assert redacted(once).text == once or redacted(once).removed


@given(
    st.from_regex(r"[a-z]{1,10}@[a-z]{1,10}\.(com|org|de)", fullmatch=True),
    st.text(alphabet="abc ,.?", max_size=40),
    st.text(alphabet="abc ,.?", max_size=40),
)
def test_no_e_mail_address_survives(address: str, before: str, after: str):
    assert address not in redacted(f"{before} {address} {after}").text


@pytest.mark.parametrize(
    "text",
    [
        piece * (100_000 // len(piece))
        for piece in (
            "1",
            "a",
            "a@",
            "1 ",
            "::",
            "a=",
            "http://",
            "eyJ",
            "-----BEGIN ",
            "password ",
            "de12 ",
            "a1+/",
        )
    ],
)
def test_no_text_takes_long(text: str):
    began = time.process_time()
    redacted(text)
    # A generous bound: a rule that looks back over the whole text again and again takes minutes.
    assert time.process_time() - began < 20


def test_rules_name_domains_with_what_is_below_them():
    rules = EgressRules(denied=("evil.example",), domains=("*.good.example", "ok.example"))
    assert [rules.is_denied(each) for each in ("evil.example", "a.evil.example", "other.example")] == [True] * 3
    assert [rules.is_denied(each) for each in ("good.example", "a.good.example", "ok.example")] == [False] * 3
    assert rules.is_denied("notok.example")
    assert rules.trusts("a.good.example", 443)
    assert not rules.trusts("other.example", 443)


def test_rules_name_hosts_with_their_ports():
    rules = EgressRules(named=("wiki.lan", "box:8080", "[fd00::1]:81"))
    assert rules.is_named("wiki.lan", 80)
    assert rules.is_named("wiki.lan", 443)
    assert rules.is_named("box", 8080)
    assert rules.is_named("fd00::1", 81)
    assert not rules.is_named("wiki.lan", 8080)
    assert not rules.is_named("box", 80)
    assert not rules.is_named("a.wiki.lan", 80)
