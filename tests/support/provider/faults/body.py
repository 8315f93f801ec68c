"""Faults of a response with status 200: its bytes, and what they say of the reply."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from functools import cache

from support.provider.exchange import EVENTS, JSON, Exchange
from support.provider.faults.fault import fault, structured
from support.provider.rules import ServerEvent, Tokens
from support.provider.wire import encoded

_MEGABYTE = 1_000_000
_WORD = b"again "
# A character that UTF-8 and Latin-1 write differently, for faults of the encoding.
ACCENT = "é"
_HOLE = "@@@"


def _kind(exchange: Exchange) -> str:
    return EVENTS if exchange.asked.stream else JSON


def _bytes(exchange: Exchange) -> bytes:
    """The bytes of the honest reply, whole or as a stream."""
    if exchange.asked.stream:
        return b"".join(map(encoded, exchange.events()))
    return exchange.body()


@fault("body-empty", "body")
async def empty(exchange: Exchange) -> None:
    """No bytes at all."""
    await exchange.line.whole(200, b"", _kind(exchange))


@fault("body-truncated", "body")
async def truncated(exchange: Exchange) -> None:
    """JSON that ends in its middle, in a response that ends well."""
    whole = _bytes(exchange)
    await exchange.line.whole(200, whole[: len(whole) // 2], _kind(exchange))


@fault("body-html", "body")
async def html(exchange: Exchange) -> None:
    """A page of HTML, as a captive portal gives."""
    await exchange.line.whole(200, b"<!doctype html><html><p>Please log in.</p></html>", "text/html")


@fault("body-50-mb", "body")
async def fifty_megabytes(exchange: Exchange) -> None:
    """A reply of 50 MB of text."""
    if exchange.asked.stream:
        await _flood(exchange)
        return
    before, after = exchange.body(replace(exchange.reply, text=_HOLE)).split(_HOLE.encode())
    count = 50 * _MEGABYTE // len(_WORD)
    await exchange.line.head(200, length=len(before) + count * len(_WORD) + len(after))
    await exchange.line.write(before, _WORD * count, after)


async def _flood(exchange: Exchange) -> None:
    events = exchange.wire.events(exchange.asked, replace(exchange.reply, text=_HOLE, finish="stop"))
    place = next(n for n, event in enumerate(events) if event.text)
    piece = encoded(events[place]).replace(_HOLE.encode(), _WORD * 10_000)
    await exchange.stream(events[:place], end=False)
    for _ in range(50 * _MEGABYTE // len(piece)):
        await exchange.line.chunk(piece)
    await exchange.send(events[place + 1 :])
    await exchange.line.end()


@fault("body-wrong-charset", "body")
async def wrong_charset(exchange: Exchange) -> None:
    """Latin-1 bytes that call themselves UTF-8."""
    exchange.asked = replace(exchange.asked, model=f"{exchange.asked.model}-{ACCENT}")
    if not structured(exchange.asked):
        exchange.reply = replace(exchange.reply, text=exchange.reply.text.replace("e", ACCENT))
    body = _bytes(exchange).decode().encode("latin-1", "replace")
    await exchange.line.whole(200, body, f"{_kind(exchange).partition(';')[0]}; charset=utf-8")


@fault("body-gzip-bomb", "body")
async def gzip_bomb(exchange: Exchange) -> None:
    """A small gzip body that grows to 100 MB."""
    await exchange.line.whole(200, _bomb(), _kind(exchange), {"Content-Encoding": "gzip"})


@cache
def _bomb() -> bytes:
    """gzip (RFC 1952) of 100 MB of spaces, made of one compressed megabyte again and again."""
    space, count = b" " * _MEGABYTE, 100
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    # A full flush ends on a byte and forgets what came before, so that its output can be repeated.
    one = squeeze.compress(space) + squeeze.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(count):
        check = zlib.crc32(space, check)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    return head + one * count + squeeze.flush() + struct.pack("<II", check, count * _MEGABYTE)


@fault("content-empty", "body")
async def no_content(exchange: Exchange) -> None:
    """A reply that ends well and holds no text."""
    await exchange.answer(replace(exchange.reply, text=""))


@fault("refusal", "body")
async def refusal(exchange: Exchange) -> None:
    """The model refuses, in the vendor's field for it."""
    await exchange.answer(replace(exchange.reply, text="I cannot help with that.", finish="refused"))


@fault("finish-length", "body")
async def cut_at_the_limit(exchange: Exchange) -> None:
    """The first half of the reply, ended by the limit of tokens."""
    text = exchange.reply.text
    await exchange.answer(replace(exchange.reply, text=text[: len(text) // 2], finish="length"))


@fault("content-filter", "body")
async def filtered(exchange: Exchange) -> None:
    """The first half of the reply, ended by the provider's content filter."""
    text = exchange.reply.text
    await exchange.answer(replace(exchange.reply, text=text[: len(text) // 2], finish="blocked"))


@fault("usage-missing", "body")
async def no_usage(exchange: Exchange) -> None:
    """A good reply that does not say what it cost."""
    await exchange.answer(replace(exchange.reply, usage=None))


@fault("usage-negative", "body")
async def negative_usage(exchange: Exchange) -> None:
    """A good reply that cost less than nothing."""
    await exchange.answer(replace(exchange.reply, usage=Tokens(-5, -7)))


@fault("unknown-fields", "body")
async def unknown_fields(exchange: Exchange) -> None:
    """A good reply among fields that nobody has heard of."""
    if not exchange.asked.stream:
        body = exchange.wire.body(exchange.asked, exchange.reply)
        await exchange.line.whole(200, encoded(ServerEvent(_strange(body)))[6:].strip())
        return
    await exchange.stream([replace(event, data=_strange(event.data)) for event in exchange.events()])


def _strange(data: object) -> object:
    """JSON with an unknown field in every object of it."""
    if isinstance(data, dict):
        return {"assay_unknown": {"x": [1, None]}, **{key: _strange(each) for key, each in data.items()}}
    return [_strange(each) for each in data] if isinstance(data, list) else data


@fault("tool-call", "body")
async def tool_call(exchange: Exchange) -> None:
    """The call of a tool that nobody offered, in the place of text."""
    await exchange.answer(replace(exchange.reply, text="", finish="tool", tools=("lookup",)))
