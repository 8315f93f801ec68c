"""doctor and the sources outside: off, on and answering, and what keeps one from it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from support.web import mcp_server
from support.web.server import Article, LocalWeb

from .conftest import call


def examined(*arguments: object) -> tuple[int, dict[str, str]]:
    looked = call("doctor", "--json", *arguments)
    found = [each for each in looked.object["examined"] if each["name"].startswith("outside")]
    return looked.code, {each["name"]: f"{each['status']}: {each['detail']}" for each in found}


def test_that_nothing_is_asked_outside_is_said(filled: Path):
    code, found = examined("--data-dir", filled)
    assert code == 0
    assert found == {"outside": "skipped: off: no search leaves this machine; turn on a source with --outside"}


def test_a_source_is_searched_once_and_its_host_is_named(filled: Path):
    with LocalWeb([Article("/water", "Water", "Water is wet.")]) as site:
        code, found = examined(
            *("--data-dir", filled, "--outside", "searxng", "--searxng-url", site.url, "--offline"),
            *("--domains", "docs.example", "--denied-domains", "evil.example"),
        )
        asked = [(each.path, each.query) for each in site.requests]
    assert code == 0, found
    assert found["outside"] == "passed: on; pages are read from docs.example only; none from evil.example"
    assert found["outside searxng"].startswith("passed: → 127.0.0.1, answers with 1 result, ")
    assert asked == [("/search", "water")]


def test_a_source_that_fails_is_told_with_its_fix(filled: Path):
    with LocalWeb() as site:
        site.misbehave("403")
        code, found = examined("--data-dir", filled, "--outside", "searxng", "--searxng-url", site.url)
    assert code == 5
    assert found["outside searxng"].startswith("failed: → 127.0.0.1: ")
    assert "search.formats" in found["outside searxng"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (
            ("--outside", "tavily"),
            "failed: tavily is named, but tavily_api_key is not set (set TAVILY_API_KEY)",
        ),
        (("--outside", "wikipedia", "--offline"), "failed: offline mode refuses en.wikipedia.org"),
        (("--outside", "searxng", "--searxng-url", "http://127.0.0.1:9"), "failed: → 127.0.0.1: no connection to"),
    ],
)
def test_a_source_that_cannot_be_asked_says_what_is_missing(
    filled: Path, flags: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    code, found = examined("--data-dir", filled, *flags)
    assert code == 5
    assert found[f"outside {flags[1]}"].startswith(told)


def test_a_key_is_named_by_where_it_came_from_and_never_shown(filled: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BRAVE_API_KEY", "canary-0123456789")
    looked = call("doctor", "--data-dir", filled, "--outside", "brave", "--offline")
    assert "canary" not in looked.out + looked.err


def test_an_mcp_server_is_started_and_searched(filled: Path):
    server = shlex.join([sys.executable, mcp_server.__file__])
    for _ in range(3):  # the limit for a search cannot be set, and a busy machine may take longer to start a server
        code, found = examined("--data-dir", filled, "--outside", "mcp", "--mcp-server", server)
        if code == 0:
            break
    assert code == 0, found
    assert "answers with 2 results" in found["outside mcp"]
