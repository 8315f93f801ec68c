"""What sites let a reader fetch: each site is asked once for its rules, however many of its pages are wanted."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from assay.act.guard import Link
from assay.act.robots import Robots
from assay.stages import Clock

# How many sites' rules are kept, and for how many seconds (RFC 9309, 2.4: at most a day).
_SITES = 1000
_SITE_SECONDS = 12 * 3600.0

_Place = tuple[asyncio.AbstractEventLoop, str]


class SiteRules:
    """The sites' rules as `ask` reads them, kept for half a day.

    Whoever wants a page while its site is being asked waits for that answer. What raises is told to all who wait,
    and not kept.
    """

    def __init__(self, ask: Callable[[Link], Awaitable[Robots]], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Robots]] = OrderedDict()
        # A loop cannot wait for what another one does.
        self._asking: dict[_Place, asyncio.Future[Robots]] = {}

    async def of(self, link: Link) -> Robots:
        """The rules of a link's site. Raises what `ask` raises."""
        loop = asyncio.get_running_loop()
        place = (loop, link.origin)
        while True:
            kept = self._kept.get(link.origin)
            if kept is not None and kept[0] >= self._clock.monotonic():
                return kept[1]
            asking = self._asking.get(place)
            if asking is None:
                return await self._asked(link, place)
            await asyncio.wait([asking])
            if not asking.cancelled():  # else who asked has given up: it is somebody else's turn
                return asking.result()

    async def _asked(self, link: Link, place: _Place) -> Robots:
        """The rules from the site itself, told to all who wait for them."""
        asking = self._asking[place] = place[0].create_future()
        try:
            robots = await self._ask(link)
        except Exception as error:
            asking.set_exception(error)
            asking.exception()  # perhaps nobody waits
            raise
        else:
            asking.set_result(robots)
            self._keep(link.origin, robots)
            return robots
        finally:
            asking.cancel()  # nothing happens where it has ended
            del self._asking[place]

    def _keep(self, origin: str, robots: Robots) -> None:
        self._kept[origin] = (self._clock.monotonic() + _SITE_SECONDS, robots)
        if len(self._kept) > _SITES:
            self._kept.popitem(last=False)
