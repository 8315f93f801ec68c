"""A wire format, and the pieces of HTTP that all of them share."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Protocol

from assay.testing.provider.nouns import Asked, Reply, ServerEvent, Wire


class WireFormat(Protocol):
    """Read what is asked and write what is said, as one vendor does."""

    @property
    def name(self) -> Wire:
        """The vendor."""
        ...

    def asked(self, path: str, body: Mapping[str, Any]) -> Asked | None:
        """What a request asks; None where it is for no reply of this vendor's."""
        ...

    def body(self, asked: Asked, reply: Reply) -> dict[str, Any]:
        """The whole reply as JSON."""
        ...

    def events(self, asked: Asked, reply: Reply) -> list[ServerEvent]:
        """The reply as a stream: the opening, one event a piece of text, then the ending."""
        ...

    def stray(self, text: str) -> ServerEvent:
        """A piece of text that belongs to another choice than the one asked for."""
        ...

    def error(self, status: int, message: str, code: str) -> dict[str, Any]:
        """The body of a refusal."""
        ...

    def broken(self, message: str) -> ServerEvent:
        """The event that says, in the middle of a stream, that the service failed."""
        ...

    def ping(self) -> ServerEvent:
        """The event that keeps a stream open and says nothing; a comment where the format has none."""
        ...


def pieces(text: str) -> list[str]:
    """A text cut before each word.

    >>> pieces("Tea is hot.")
    ['Tea', ' is', ' hot.']
    """
    return re.findall(r"\s*\S+|\s+$", text)


def encoded(event: ServerEvent) -> bytes:
    """An event as server-sent bytes; one without data is a comment.

    >>> encoded(ServerEvent({"a": 1}, "delta"))
    b'event: delta\\ndata: {"a": 1}\\n\\n'
    """
    if event.data is None:
        return f": {event.name}\n\n".encode()
    data = event.data if isinstance(event.data, str) else json.dumps(event.data, ensure_ascii=False)
    name = f"event: {event.name}\n" if event.name else ""
    return f"{name}data: {data}\n\n".encode()


def text_of(content: Any) -> str:
    """A message's content as text, be it a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))
