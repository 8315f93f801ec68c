"""A response's body within limits: in pieces, decompressed as far as the limit and no further."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable

from assay.errors import ProviderFailed

# The encodings that this file undoes, as a request asks for them.
ENCODINGS = "gzip, deflate"


async def read_body(pieces: AsyncIterator[bytes], encoding: str, largest: int, who: str) -> bytes:
    """The whole body, decompressed. Raises ProviderFailed beyond `largest` bytes, packed or unpacked.

    `encoding` is the response's Content-Encoding, empty for none.
    """
    unpack = _unpacker(encoding.strip().lower(), who)
    parts: list[bytes] = []
    packed = size = 0
    async for piece in pieces:
        packed += len(piece)
        part = unpack(piece, largest - size + 1)
        size += len(part)
        if max(size, packed) > largest:
            hint = "nothing that long is read; look for a shorter page"
            raise ProviderFailed(f"{who} sent more than {largest >> 20} MiB", hint=hint)
        parts.append(part)
    return b"".join(parts)


def _unpacker(encoding: str, who: str) -> Callable[[bytes, int], bytes]:
    """What unpacks one piece after the other, each time at most so many bytes."""
    if encoding in ("", "identity"):
        return lambda piece, _: piece
    if encoding not in ("gzip", "x-gzip", "deflate"):
        hint = "it ignores what was asked for; look for another page"
        raise ProviderFailed(f"{who} packed its answer as {encoding[:40]}, which was not asked for", hint=hint)
    # 47 stands for the largest window and for a gzip or zlib header, whichever comes (zlib's manual).
    unpacker = zlib.decompressobj(wbits=47)

    def unpack(piece: bytes, room: int) -> bytes:
        try:
            # What is left over when the room is full is never asked for: the caller gives up then.
            return unpacker.decompress(piece, max_length=room)
        except zlib.error as error:
            hint = "try again; else look for another page"
            raise ProviderFailed(f"{who} sent a damaged answer: {error}", hint=hint, retryable=True) from None

    return unpack
