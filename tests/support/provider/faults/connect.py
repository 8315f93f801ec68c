"""Faults of the connection; `LocalProvider` commits those that let no request through."""

from __future__ import annotations

from support.provider.exchange import Exchange
from support.provider.faults.fault import Fault, fault, register

register(Fault("refused", "connect", "Nobody listens at the port.", None, place="port"))
register(Fault("dns-fail", "connect", "The host has no address.", None, place="address"))
register(Fault("tls-bad", "connect", "The TLS handshake ends with an alert.", None, place="address"))


@fault("reset-after-headers", "connect")
async def reset_after_headers(exchange: Exchange) -> None:
    """The headers of a good response, then RST."""
    await exchange.line.head(200, length=1_000)
    await exchange.line.reset()


@fault("accept-and-hang", "connect")
async def accept_and_hang(exchange: Exchange) -> None:
    """Takes the request and says nothing."""
    await exchange.line.hang()
