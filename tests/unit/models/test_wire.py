"""Events out of bytes, and limits."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ProviderFailed
from assay.models.provider import Service
from assay.models.wire import LARGEST_BODY, LARGEST_EVENT, PerLoop, bounded, events

SERVICE = Service("openai", "m", "http://h/v1", None, "OPENAI_API_KEY", "OPENAI_BASE_URL")


async def given_in(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def found(*chunks: bytes) -> list[bytes]:
    async def collected() -> list[bytes]:
        return [event async for event in events(SERVICE, given_in(chunks))]

    return asyncio.run(collected())


@pytest.mark.parametrize(
    ("sent", "data"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\n\ndata:  b\n\n", [b"a", b" b"]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", [b"a", b"b", b"c"]),
        (b"event: x\nid: 1\ndata: a\nretry: 5\n\n", [b"a"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b": ping\n\ndata\n\ndata:\n\nevent: x\n\n", []),
        (b"database: a\n\n", []),
        (b"data: cut off", []),
        (b"data: cut off\n", []),
        (b"", []),
    ],
)
def test_events_are_read_as_the_standard_says(sent: bytes, data: list[bytes]):
    assert found(sent) == data


LINES = st.sampled_from([b"data: \xc3\xa9", b"data: {}", b"data:", b": ping", b"event: x", b"", b"", b"id"])
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(LINES, ENDS), max_size=12), st.data())
def test_where_the_bytes_are_cut_makes_no_difference(lines: list[tuple[bytes, bytes]], data: st.DataObject):
    sent = b"".join(line + end for line, end in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=6)))
    edges = [0, *cuts, len(sent)]
    parts = [sent[start:end] for start, end in pairwise(edges)]
    # A last CR may yet become CR LF, so what it ends is not known to have ended.
    assert found(*parts, b"\n\n") == found(sent, b"\n\n")


def test_signs_of_life_never_add_up():
    assert found(*[b": ping\n\n" * 1000] * 200) == []


@pytest.mark.parametrize(
    "chunk", [b"x" * 10_000, b"data: " + b"x" * 9_000 + b"\n", b": " + b"x" * 9_000 + b"\n"], ids=range(3)
)
def test_an_event_beyond_the_limit_ends_the_call(chunk: bytes):
    most = LARGEST_EVENT // len(chunk)
    assert found(*[chunk] * (most - 1)) == []
    with pytest.raises(ProviderFailed):
        found(*[chunk] * (most + 2))


def test_a_body_beyond_the_limit_ends_the_call():
    async def size(chunks: list[bytes]) -> int:
        return sum([len(chunk) async for chunk in bounded(SERVICE, given_in(chunks))])

    half = b"x" * (LARGEST_BODY // 2)
    assert asyncio.run(size([half, half])) == LARGEST_BODY
    with pytest.raises(ProviderFailed):
        asyncio.run(size([half, half, b"x"]))


def test_a_loop_has_one_client_until_it_is_closed():
    opened: list[object] = []
    closed: list[object] = []

    def open_one() -> object:
        opened.append(object())
        return opened[-1]

    async def close(client: object) -> None:
        closed.append(client)

    clients = PerLoop(open_one, close)

    async def used() -> None:
        assert clients.get() is clients.get()
        await clients.aclose()
        await clients.aclose()

    asyncio.run(used())
    asyncio.run(used())
    assert closed == opened
    assert len(opened) == 2
