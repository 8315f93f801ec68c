"""robots.txt (RFC 9309): what a site lets a reader fetch."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote

from assay.core.stages import Clock
from assay.types import Value
from assay.web.guard import Link

# The name under which a site is asked, and the least that must be read of a file (RFC 9309, 2.5).
AGENT = "assay"
LARGEST = 512 * 1024
_LINE = re.compile(r"\s*([A-Za-z-]{1,40})\s*:\s*([^#]*)")


@dataclass(frozen=True, slots=True)
class Rule(Value):
    """One line of a robots.txt: paths of this shape may be fetched, or may not."""

    allow: bool
    shape: str


@dataclass(frozen=True, slots=True)
class Robots(Value):
    """The rules for this reader; none means that all may be fetched."""

    rules: tuple[Rule, ...] = ()

    def allows(self, target: str) -> bool:
        """True if a path with its query may be fetched: the longest shape that fits decides, at a tie for it.

        >>> robots = read("User-agent: *\\nDisallow: /private\\nAllow: /private/tea")
        >>> robots.allows("/private/x"), robots.allows("/private/tea"), robots.allows("/")
        (False, True, True)
        """
        path = unquote(target)
        fitting = [(len(rule.shape), rule.allow) for rule in self.rules if _fits(unquote(rule.shape), path)]
        return max(fitting)[1] if fitting else True


def read(text: str) -> Robots:
    """The rules that a robots.txt has for assay, else for everybody.

    >>> read("User-agent: assay\\nDisallow: /\\n\\nUser-agent: *\\nDisallow:").allows("/tea")
    False
    """
    # Rules of other readers' groups are not stored: a file may have thousands of readers with thousands of rules.
    rules: dict[str, list[Rule]] = {}
    agents: set[str] = set()
    in_heading = False
    for name, value in _lines(text):
        if name == "user-agent":
            if not in_heading:
                agents = set()
            agent = re.split(r"[/\s]", value.lower(), maxsplit=1)[0]
            if agent in (AGENT, "*"):
                agents.add(agent)
                rules.setdefault(agent, [])
            in_heading = True
        elif name in ("allow", "disallow"):
            in_heading = False
            # An empty rule forbids nothing.
            for agent in agents if value else ():
                rules[agent].append(Rule(name == "allow", value))
    return Robots(tuple(rules.get(AGENT, rules.get("*", ()))))


def _lines(text: str) -> list[tuple[str, str]]:
    """The names, in lower case, and values of a file's lines."""
    matches = (_LINE.match(line) for line in text.removeprefix("\ufeff").splitlines())
    return [(match[1].lower(), match[2].strip()) for match in matches if match]


def _fits(shape: str, path: str) -> bool:
    """True if a path begins like a shape; `*` stands for anything, a `$` at the end for the path's end.

    It looks for piece after piece, so that no shape takes long.

    >>> _fits("/*.pdf$", "/a/b.pdf"), _fits("/*.pdf$", "/a/b.pdf?x"), _fits("/tea", "/teapot")
    (True, False, True)
    """
    ends = shape.endswith("$")
    first, *rest = shape.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    last = rest.pop() if ends and rest else None
    for piece in rest:
        found = path.find(piece, at)
        if found == -1:
            return False
        at = found + len(piece)
    if last is not None:
        return len(path) - at >= len(last) and path.endswith(last)
    return not ends or at == len(path)


# Sites' rules on what may be fetched; each site is asked once, however many of its pages are wanted.


# The most sites whose rules are kept, and for how many seconds (RFC 9309, 2.4: at most a day).
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
        """The rules from the site itself, for all who wait for them."""
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
