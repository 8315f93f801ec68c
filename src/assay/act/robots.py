"""robots.txt (RFC 9309): what a site lets a reader fetch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from assay.types import Value

# What the site is asked for by, and the least that must be read of a file (RFC 9309, 2.5).
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
        """Whether a path with its query may be fetched: the longest shape that fits decides, at a tie for it.

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
    groups: dict[str, list[Rule]] = {}
    agents: list[str] = []
    naming = False
    for name, value in _lines(text):
        if name == "user-agent":
            agents = [*agents, value.lower()] if naming else [value.lower()]
            groups.setdefault(value.lower(), [])
            naming = True
        elif name in ("allow", "disallow"):
            naming = False
            # An empty rule forbids nothing.
            for agent in agents if value else ():
                groups[agent].append(Rule(name == "allow", value))
    mine = next((each for each in groups if re.split(r"[/\s]", each)[0] == AGENT), "*")
    return Robots(tuple(groups.get(mine, ())))


def _lines(text: str) -> list[tuple[str, str]]:
    """The names, in lower case, and values of a file's lines."""
    matches = (_LINE.match(line) for line in text.removeprefix("\ufeff").splitlines())
    return [(match[1].lower(), match[2].strip()) for match in matches if match]


def _fits(shape: str, path: str) -> bool:
    """Whether a path begins like a shape; `*` stands for anything, a `$` at the end for the path's end.

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
