"""Connections of clients that send or take too slowly, which no application can see, are closed."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class _Timer:
    """Cuts a connection unless it is stopped in time; starting it while it runs changes nothing."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float, transport: asyncio.Transport) -> None:
        if self._handle is None:
            self._handle = self._loop.call_later(seconds, transport.abort)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class TimedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with limits on waiting: for a request's head, the rest of a refused body, and the client.

    Give it to uvicorn as `http`. A client has `head_seconds` to send a whole head, from when it connected or was
    answered; as long to send what is left of a body whose response has gone already; and must take something of
    what is written within `taking_seconds`.
    """

    # Chosen: a head fits into one packet, and a laptop that sleeps may reconnect.
    head_seconds: ClassVar[float] = 15.0
    taking_seconds: ClassVar[float] = 60.0

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._sending = _Timer(self.loop)
        self._taking = _Timer(self.loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first head."""
        super().connection_made(transport)
        self._watch_sending()

    def data_received(self, data: bytes) -> None:
        """Take data in, and see what is waited for next."""
        super().data_received(data)
        self._watch_sending()

    def on_response_complete(self) -> None:
        """Wait for the next head, or for the rest of a body that nobody read."""
        super().on_response_complete()
        self._watch_sending()

    def pause_writing(self) -> None:
        """Start waiting for the client to take what was written."""
        super().pause_writing()
        self._taking.start(self.taking_seconds, self.transport)

    def resume_writing(self) -> None:
        """Note that the client took something."""
        self._taking.stop()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._sending.stop()
        self._taking.stop()
        super().connection_lost(exc)

    def _watch_sending(self) -> None:
        theirs, ours = self.conn.their_state, self.conn.our_state
        before_head = theirs is h11.IDLE
        body_is_refused = theirs is h11.SEND_BODY and ours not in (h11.SEND_RESPONSE, h11.SEND_BODY)
        if not (before_head or body_is_refused) or self.transport.is_closing():
            self._sending.stop()
        else:
            self._sending.start(self.head_seconds, self.transport)
