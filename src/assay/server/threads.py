"""Blocking calls of the server, in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Params = ParamSpec("Params")


async def in_thread(call: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
    """The result of a blocking call, made in a thread; if this is cancelled, the call ends before it raises.

    So what the call uses may be closed afterwards, and its effects are never later than the cancelling.
    """
    running = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
