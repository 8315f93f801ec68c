"""A reply as it comes in: pieces, how it ended, and what the provider says it used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from assay.models.ending import ending
from assay.models.provider import FURTHER, Service, late, nonsense, too_large
from assay.types import Finish, ModelReply, Usage

# A reply of more characters than this is no reply.
LARGEST_TEXT = 8 * 1024 * 1024
# A count above this is a mistake: no context window comes near it.
_MOST_TOKENS = 100_000_000
_NOT_SAID = Usage(None, None, None, None, calls=1, cost=None)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event of a stream, or a whole reply, said.

    `thinking` marks tokens that are not part of the text; `finish` and `usage` are None where it said nothing.
    """

    text: str = ""
    thinking: bool = False
    finish: Finish | None = None
    usage: Usage | None = None
    model: str | None = None


@dataclass(slots=True)
class Reading:
    """The pieces of one reply, put together."""

    service: Service
    texts: list[str] = field(default_factory=list)
    characters: int = 0
    finish: Finish | None = None
    usage: Usage = _NOT_SAID
    model: str | None = None

    def take(self, piece: Piece) -> str:
        """Add a piece and return its text. Raises ProviderFailed for text after the end, and for too much."""
        if piece.text and self.finish is not None:
            raise nonsense(self.service, "text after the end of the reply")
        self.texts.append(piece.text)
        self.characters += len(piece.text)
        if self.characters > LARGEST_TEXT:
            raise too_large(self.service, f"a reply of more than {LARGEST_TEXT} characters")
        # Of two endings the one that is not a whole reply holds.
        if self.finish in (None, "stop"):
            self.finish = piece.finish or self.finish
        self.usage = piece.usage or self.usage
        self.model = piece.model or self.model
        return piece.text

    def reply(self) -> ModelReply:
        """The reply so far; without an ending it is incomplete."""
        text = "".join(self.texts)
        return ModelReply(text, ending(text, self.finish), self.usage, self.model or self.service.model)


def whole(service: Service, piece: Piece) -> ModelReply:
    """The reply that came in one piece."""
    reading = Reading(service)
    reading.take(piece)
    return reading.reply()


async def relayed(service: Service, pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[str | ModelReply, None]:
    """The pieces' texts as they come, then the reply; the pieces' connection is closed in any case.

    Only time spent waiting counts. Before the first token a provider may take all its `seconds`, as a model
    that thinks first does; from then on each token must follow within `idle_seconds`. Events without a token
    are no sign of life.
    """
    reading = Reading(service)
    left, idle, begun = service.seconds, service.idle_seconds, False
    clock = asyncio.get_running_loop().time
    try:
        while True:
            started = clock()
            try:
                async with asyncio.timeout(min(left, idle) if begun else left):
                    piece = await anext(pieces, None)
            except TimeoutError:
                raise (
                    late(service, service.idle_seconds, FURTHER)
                    if begun and idle < left
                    else late(service, service.seconds, "whole reply")
                ) from None
            if piece is None:
                break
            waited = clock() - started
            left -= waited
            alive = bool(piece.text) or piece.thinking
            begun = begun or alive
            idle = service.idle_seconds if alive else idle - waited
            if reading.take(piece):
                yield piece.text
    finally:
        await pieces.aclose()
    yield reading.reply()


# --- usage ---------------------------------------------------------------------------------------


def usage(prompt: object, completion: object, total: object, cached: object) -> Usage:
    """One call's usage as the provider counted it; what it did not say, or cannot be, is None.

    A total that it did not say is the sum where both parts are known.

    >>> usage(100, 20, None, 300)
    Usage(prompt_tokens=100, completion_tokens=20, total_tokens=120, cached_tokens=None, calls=1, cost=None)
    """
    # A prompt has tokens: servers that do not count say 0.
    given, written, both = tokens(prompt) or None, tokens(completion), tokens(total) or None
    if both is None and given is not None and written is not None:
        both = given + written
    kept = tokens(cached)
    if kept is not None and (given is None or kept > given):
        kept = None
    return Usage(given, written, both, kept, calls=1, cost=None)


def tokens(count: object) -> int | None:
    """A count of tokens, None for what cannot be one.

    >>> tokens(7), tokens(-1), tokens("7"), tokens(True)
    (7, None, None, None)
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST_TOKENS:
        return None
    return count


def known(reasons: dict[str, Finish]) -> Mapping[str, Finish]:
    """A vendor's finish reasons, read-only."""
    return MappingProxyType(reasons)


def sendable(text: str) -> str:
    """`text` as JSON can carry it: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
