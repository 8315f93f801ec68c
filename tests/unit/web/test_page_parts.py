"""The small parts of fetching: robots.txt, a page's date, an answer's rows, the ranking of passages."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.types import EmbeddingModel, Origin, Passage
from assay.web.outside import Ranking
from assay.web.pages import page_date
from assay.web.providers import result
from assay.web.robots import read

# 2026-01-01 00:00 UTC.
NOW = 1_767_225_600.0


def html(head: str, body: str = "") -> bytes:
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


@pytest.mark.parametrize(
    ("data", "day"),
    [
        (html('<meta property="article:published_time" content="2021-05-03T10:00:00+02:00">'), "2021-05-03"),
        (html("<meta content='2021-05-03' name=DC.date>"), "2021-05-03"),
        (html('<meta name="citation_publication_date" content="2019/05">'), "2019-05"),
        (html('<meta name="date" content="2018">'), "2018"),
        (html('<meta property="article:modified_time" content="2021-05-03">'), "2021-05-03"),
        (html('<script type="application/ld+json">{"datePublished": "2020-02-02"}</script>'), "2020-02-02"),
        (
            html('<script type="application/ld+json">{"@graph": [{"dateModified": "2020-02-02"}]}</script>'),
            "2020-02-02",
        ),
        (html("", '<time datetime="2017-07-07">7 July</time>'), "2017-07-07"),
        (
            html('<meta name="date" content="2018-01-01"><meta name="last-modified" content="2020-01-01">'),
            "2018-01-01",
        ),
        # Not sure enough:
        (html("", '<time datetime="2017-07-07">a</time><time datetime="2018-08-08">b</time>'), None),
        (html('<meta name="date" content="3 May 2021">'), None),
        (html('<meta name="date" content="05/03/2021">'), None),
        (html('<meta name="date" content="2021-13-40">'), None),
        (html('<meta name="date" content="2031-01-01">'), None),
        (html('<meta name="date" content="1900-01-01">'), None),
        (html('<meta name="copyright" content="2021-05-03">'), None),
        (html('<script type="application/ld+json">{"comment": [{"datePublished": "2020-02-02"}]}</script>'), None),
        (html('<script type="application/ld+json">{not json</script>'), None),
        (html("", "It was written on 2020-02-02."), None),
        (b"\xff\xfe\x00", None),
    ],
)
def test_a_pages_date_is_its_own_word_or_none(data: bytes, day: str | None):
    assert page_date(data, "text/html", None, NOW) == day


def test_the_servers_date_is_taken_where_it_is_not_todays():
    assert page_date(b"%PDF", "application/pdf", "Mon, 03 May 2021 10:00:00 GMT", NOW) == "2021-05-03"
    assert page_date(b"%PDF", "application/pdf", "Thu, 01 Jan 2026 00:00:00 GMT", NOW) is None
    assert page_date(b"x", "text/plain", "yesterday", NOW) is None
    own = html('<meta name="date" content="2018-01-01">')
    assert page_date(own, "text/html", "Mon, 03 May 2021 10:00:00 GMT", NOW) == "2018-01-01"


@pytest.mark.parametrize(
    "piece",
    [
        "<meta ",
        "<meta content='",
        '<script type="application/ld+json">',
        "<time ",
        "<time datetime=",
        "[",
        "{",
        "<",
    ],
)
def test_no_page_takes_long_to_date(piece: str):
    began = time.process_time()
    page_date((piece * 300_000).encode(), "text/html", None, NOW)
    page_date(html(f'<script type="application/ld+json">{"[" * 100_000}</script>'), "text/html", None, NOW)
    # A generous bound: looking back over the whole page again and again takes minutes.
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("lines", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: ASSAY\nDisallow: /\n\nUser-agent: *\nAllow: /", "/x", False),
        ("User-agent: assay/2.0\nAllow: /\n\nUser-agent: *\nDisallow: /", "/x", True),
        ("User-agent: a\nUser-agent: *\nDisallow: /x", "/x/y", False),
        ("User-agent: assay/1\nDisallow: /x\n\nUser-agent: assay/2\nDisallow: /y", "/x", False),
        ("User-agent: as\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y", "/y", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdfx", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False),
        ("User-agent: *\nDisallow: /tea%20pot", "/tea pot", False),
        ("User-agent: *\nDisallow: /x # why\nCrawl-delay: 9", "/x", False),
        ("\ufeffUser-Agent:*\r\nDISALLOW:/x\r\n", "/x", False),
        ("Disallow: /x", "/x", True),
        ("<!doctype html><h1>Hello</h1>", "/x", True),
    ],
)
def test_robots_txt_is_read_as_its_standard_says(lines: str, path: str, allowed: bool):
    assert read(lines).allows(path) is allowed


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_robots_txt_gives_an_answer(lines: str, path: str):
    assert read(lines).allows(f"/{path}") in (True, False)


@pytest.mark.parametrize(
    "lines",
    [
        "User-agent: *\nDisallow: /" + "*a" * 5000 + "b",
        "User-agent: x\n" * 20_000 + "Disallow: /\n" * 20_000,
        "".join(f"User-agent: {n}\n" for n in range(20_000)) + "Disallow: /\n" * 20_000,
    ],
)
def test_no_robots_txt_takes_long(lines: str):
    began = time.process_time()
    read(lines).allows("/" + "a" * 4000)
    assert time.process_time() - began < 20


@pytest.mark.parametrize("link", ["javascript:alert(1)", "file:///etc/passwd", 7, None, "data:text/html,x"])
def test_a_result_keeps_no_link_that_is_none_of_the_web(link: object):
    found = result("Tea", link, "Tea is hot.")
    assert found is not None
    assert found.link == ""
    assert result("Tea", link, "") is None


# --- ranking -------------------------------------------------------------------------------------


def passage(text: str, date: str | None = None, trust: str = "open") -> Passage:
    origin = Origin("web", "https://x.example/", 0.0, date, trust)  # type: ignore[arg-type]
    return Passage(f"{text}{date}{trust}", "d", "r", 0, len(text), text, origin=origin)


class Vectors:
    """An embedder with a script: each text's vector."""

    model = EmbeddingModel("scripted", 2, "")

    def __init__(self, **vectors: tuple[float, float]) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._vectors[text] for text in texts], np.float32)

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_passages_that_share_the_words_come_first_and_others_stay_out():
    passages = [passage("Ice is cold."), passage("Tea is hot, hot tea."), passage("Tea grows.")]
    hits = await Ranking().rank(["how hot is tea"], passages, 5)
    assert [hit.passage.text for hit in hits] == ["Tea is hot, hot tea.", "Tea grows."]
    assert [hit.scores.dense for hit in hits] == [None, None]
    assert hits[0].score == 1.0
    assert await Ranking().rank(["zebra"], passages, 5) == ()
    assert await Ranking().rank(["zebra"], [], 5) == ()
    assert await Ranking().rank([], passages, 5) == ()


async def test_each_query_has_its_best_passage():
    passages = [passage("Tea is hot."), passage("Tea is very hot tea."), passage("Ice is cold.")]
    hits = await Ranking().rank(["hot tea", "cold ice"], passages, 2)
    assert {"Ice is cold."} <= {hit.passage.text for hit in hits}


async def test_vectors_speak_for_passages_without_the_words():
    vectors = Vectors(warm=(1, 0), beta=(0.9, 0.1), gamma=(-1, 0))
    hits = await Ranking(vectors).rank(["warm"], [passage("gamma"), passage("beta")], 5)
    assert [hit.passage.text for hit in hits] == ["beta"]
    assert hits[0].scores.dense == pytest.approx(0.9)


async def test_first_hand_and_newer_sources_win_ties():
    same = "Tea is hot."
    old, new, named = passage(same, "2010"), passage(same, "2020-05"), passage(same, "2001", "named")
    undated = passage(same)
    hits = await Ranking().rank(["hot tea"], [undated, old, new, named], 4)
    assert [hit.passage for hit in hits] == [named, new, old, undated]
