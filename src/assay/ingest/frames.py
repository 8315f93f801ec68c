"""The sandbox's wire protocol: length-prefixed JSON, never pickles."""

from __future__ import annotations

import json
import socket
import struct
from dataclasses import dataclass
from typing import Any

from assay.types import Loaded, Location, Region

_LENGTH = struct.Struct(">Q")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits for reading one document: bytes of address space and text, seconds of CPU and wall clock."""

    memory: int = 1 << 30
    cpu_seconds: int = 60
    wall_seconds: float = 120.0
    text: int = 64 << 20


def send(end: socket.socket, *parts: bytes) -> None:
    """Send parts, each prefixed with its length."""
    for part in parts:
        end.sendall(_LENGTH.pack(len(part)) + part if len(part) < _CHUNK else _LENGTH.pack(len(part)))
        if len(part) >= _CHUNK:
            end.sendall(part)


def receive(end: socket.socket) -> bytes:
    """Receive the next part; raises EOFError if the connection is closed."""
    (length,) = _LENGTH.unpack(_exactly(end, _LENGTH.size))
    return _exactly(end, length)


def _exactly(end: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        chunk = end.recv(min(_CHUNK, length - len(received)))
        if not chunk:
            raise EOFError("the other end closed the connection")
        received += chunk
    return bytes(received)


def write_loaded(loaded: Loaded) -> bytes:
    """Encode a normalised result as a reply."""
    regions = [[region.start, region.end, region.kind, *_places(region.location)] for region in loaded.regions]
    fields = {
        "format": loaded.format,  # first, where the helper looks for it
        "text": loaded.text,
        "title": loaded.title,
        "regions": regions,
        "metadata": dict(loaded.metadata),
        "warnings": list(loaded.warnings),
    }
    return json.dumps(fields, ensure_ascii=False).encode("utf-8")


def _places(location: Location) -> list[Any]:
    return [location.page, location.slide, location.sheet, location.row, location.section]


def read_loaded(reply: dict[str, Any]) -> Loaded:
    """Decode the result in a reply; raises KeyError, TypeError or ValueError if it is malformed."""
    return Loaded(
        text=str(reply["text"]),
        format=str(reply["format"]),
        title=str(reply["title"]),
        regions=tuple(
            Region(int(start), int(end), Location(*places), kind) for start, end, kind, *places in reply["regions"]
        ),
        metadata=dict(reply["metadata"]),
        warnings=tuple(map(str, reply["warnings"])),
    )


def write_error(kind: str, message: str, hint: str) -> bytes:
    """Encode an error of the class named `kind` as a reply."""
    return json.dumps({"error": kind, "message": message, "hint": hint}).encode("utf-8", errors="replace")
