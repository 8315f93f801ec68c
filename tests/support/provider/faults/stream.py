"""Faults of a reply on its way; those that a whole response can have too befall both."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from support.provider.exchange import EVENTS, JSON, Exchange
from support.provider.faults.fault import fault, streamed
from support.provider.rules import ServerEvent
from support.provider.wire import encoded

_PADDING = "x" * 10_000_000
# What no reader of the reply may ever see: words of a choice that was not asked for.
STRAY = " STRAY-WORDS"


def _middle(events: list[ServerEvent]) -> int:
    """Where the middle of a stream's text is: behind at least one piece."""
    places = [n for n, event in enumerate(events) if event.text]
    return places[len(places) // 2] + (len(places) == 1)


async def _half(exchange: Exchange) -> list[ServerEvent]:
    """Send the first half of a stream and leave it open; returns the other half."""
    events = exchange.events()
    middle = _middle(events)
    await exchange.stream(events[:middle], end=False)
    return events[middle:]


@fault("stream-cut", "stream")
async def cut(exchange: Exchange) -> None:
    """RST in the middle of the reply."""
    if exchange.asked.stream:
        await _half(exchange)
    else:
        body = exchange.body()
        await exchange.line.head(200, length=len(body))
        await exchange.line.write(body[: len(body) // 2])
    await exchange.line.reset()


@fault("stream-no-finish", "stream")
async def no_finish(exchange: Exchange) -> None:
    """A clean end in the middle of the reply, without a finish reason or [DONE]."""
    if exchange.asked.stream:
        await _half(exchange)
        await exchange.line.end()
    else:
        await exchange.answer(replace(exchange.reply, finish="incomplete"))


@fault("stream-pings", "stream")
async def pings(exchange: Exchange) -> None:
    """Signs of life once a second, and nothing else, without an end."""
    await exchange.line.head(200, EVENTS if exchange.asked.stream else JSON)
    sign = encoded(exchange.wire.ping()) if exchange.asked.stream else b"\n"
    while True:
        await exchange.line.chunk(sign)
        await exchange.line.wait(1.0)


@fault("stream-drip", "stream")
async def drip(exchange: Exchange) -> None:
    """One byte a second; what follows the reply's text never ends."""
    if exchange.asked.stream:
        events = exchange.events()
        filler = max(events, key=lambda event: len(event.text))
        await exchange.stream(events[: _middle(events)], end=False)
        await _dripping(exchange, encoded(filler))
    await exchange.line.head(200, JSON)
    await _dripping(exchange, exchange.body()[:-1] + b" ")


async def _dripping(exchange: Exchange, sent: bytes) -> None:
    for n in count():
        await exchange.line.chunk(sent[n % len(sent) :][:1])
        await exchange.line.wait(1.0)


@fault("stream-duplicate", "stream", fits=streamed)
async def duplicate(exchange: Exchange) -> None:
    """One piece comes twice."""
    events = exchange.events()
    piece = next(n for n, event in enumerate(events) if event.text)
    await exchange.stream([*events[: piece + 1], *events[piece:]])


@fault("stream-out-of-order", "stream", fits=streamed)
async def out_of_order(exchange: Exchange) -> None:
    """A piece of another choice or block comes in the middle."""
    events = exchange.events()
    middle = _middle(events)
    await exchange.stream([*events[:middle], exchange.wire.stray(STRAY), *events[middle:]])


@fault("stream-error-event", "stream")
async def error_event(exchange: Exchange) -> None:
    """The service says in the middle of the reply that it failed; without a stream, with status 200."""
    if exchange.asked.stream:
        await _half(exchange)
        await exchange.send([exchange.wire.broken("The server had an error while answering.")])
        await exchange.line.end()
    else:
        broken = exchange.wire.error(500, "The server had an error while answering.", "server_error")
        await exchange.line.whole(200, encoded(ServerEvent(broken))[6:].strip())


@fault("stream-split-utf8", "stream")
async def split_utf8(exchange: Exchange) -> None:
    """A good reply whose bytes come one by one, so that characters arrive in parts."""
    if exchange.asked.stream:
        body, kind = b"".join(map(encoded, exchange.events())), EVENTS
    else:
        body, kind = exchange.body(), JSON
    await exchange.line.head(200, kind)
    await exchange.line.chunk(*(body[n : n + 1] for n in range(len(body))))
    await exchange.line.end()


@fault("stream-done-twice", "stream", fits=streamed)
async def done_twice(exchange: Exchange) -> None:
    """The last event of a good stream comes twice."""
    events = exchange.events()
    await exchange.stream([*events, events[-1]])


@fault("stream-10-mb-event", "stream")
async def long_event(exchange: Exchange) -> None:
    """One event, or the one body, has a field of 10 MB that nobody asked for."""
    if not exchange.asked.stream:
        padded = {**exchange.wire.body(exchange.asked, exchange.reply), "assay_padding": _PADDING}
        await exchange.line.whole(200, encoded(ServerEvent(padded))[6:].strip())
        return
    events = exchange.events()
    place = next(n for n, event in enumerate(events) if event.text)
    events[place] = replace(events[place], data={**events[place].data, "assay_padding": _PADDING})
    await exchange.stream(events)
