"""The address of the server, and the signing of requests."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

import httpx2

from assay.client.calls import Call
from assay.client.uploads import OpenFile
from assay.errors import UsageError

# The address of `assay serve` if nothing else is set.
_LOCAL = "http://127.0.0.1:8000"
_PREFIX = "/api/v1"
# Seconds to make a connection: a server that takes longer is not there. Chosen.
_CONNECT = 5.0
# Three heartbeats of a stream.
_SILENCE = 30.0
_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Connection:
    """The address of a server without a path, the key that signs requests, and seconds to wait for a reply."""

    url: str
    api_key: str | None = field(repr=False)
    timeout: float

    @classmethod
    def to(cls, url: str | None, api_key: str | None, timeout: float) -> Connection:
        """The connection to an address with a key; None takes ASSAY_URL and ASSAY_API_KEY. Raises UsageError."""
        address = url or os.environ.get("ASSAY_URL") or _LOCAL
        key = api_key or os.environ.get("ASSAY_API_KEY") or None
        _refuse_bad_address(address)
        if key is not None and _KEY.fullmatch(key) is None:
            raise UsageError(
                "the API key contains a space or a character that no key has",
                hint="set ASSAY_API_KEY again, without quotes and line ends",
            )
        return cls(address.rstrip("/"), key, timeout)

    @property
    def silence(self) -> float:
        """Seconds without a byte after which a stream counts as broken."""
        return min(_SILENCE, self.timeout)

    def request(self, call: Call[Any], seconds: float) -> httpx2.Request:
        """The request of a call that waits these seconds for the server. Raises UsageError."""
        headers = {"Accept": call.accept, "User-Agent": "assay-client", **call.headers}
        if self.api_key is not None:
            headers["Authorization"] = f"Bearer {self.api_key}"
        content = call.content
        if content is not None:
            headers["Content-Type"] = "application/json"
        files = [("files", (file.name, cast(BinaryIO, OpenFile(file)))) for file in call.files]
        return httpx2.Request(
            call.method,
            f"{self.url}{_PREFIX}{call.url_path}",
            params=call.query or None,
            headers=headers,
            content=content,
            files=files or None,
            extensions={"timeout": httpx2.Timeout(seconds, connect=min(_CONNECT, seconds)).as_dict()},
        )


def _refuse_bad_address(address: str) -> None:
    """Raise UsageError for what is not the address of a server, without showing a password in it."""
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, an IPv6 address without its bracket
        fits = False
    if not fits or parts.query or parts.fragment:
        raise UsageError(
            f"{address.rpartition('@')[2][:200]!r} is not the address of a server",
            hint="set ASSAY_URL to one such as http://127.0.0.1:8000",
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the address of the server holds a user or a password",
            hint="leave them out of ASSAY_URL; the key goes into ASSAY_API_KEY",
        )
