"""The links of a page that lead around in a manual: ways to the next page, and tables of contents.

They are told by what the page says of its links: their relation to it, and where in it or beside it they lead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Relations of links that lead through a manual: HTML 4.01, section 6.12, and what generators write beside.
_WAYS = frozenset("next prev previous up parent top home start first last begin end contents toc index".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset("ul ol dl".split())
_HELD = frozenset("div p table center ul ol dl".split())
# The number of a section before its words.
_NUMBER = re.compile(r"\A(?:[\W\d_]|[A-Z]\.)+")
_SCHEME = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
# The share of characters in links of a row of ways and of contents, and the most characters of such a row. The
# first is that of load_html.py, where its source is; the others are chosen.
_WAY_SHARE, _CONTENTS_SHARE, _LONGEST_ROW = 0.333, 0.8, 400
# Links and levels from which a list of other pages is a tree of contents: chosen. A flat one may be an answer.
_LEAST_TREE, _LEAST_LEVELS = 5, 2
# The longest words that introduce contents ("Topics covered here:"): chosen.
_LONGEST_LEAD = 80


@dataclass(slots=True)
class ElementCounts:
    """Counts of an element: characters without white space, those in links, and links by where they lead."""

    characters: int = 0
    linked: int = 0
    links: int = 0
    ways: int = 0
    said_ways: int = 0
    within: int = 0
    repeated: int = 0
    near: int = 0
    headings: int = 0
    levels: int = 0

    def add(self, inner: ElementCounts) -> None:
        """Add what an element inside holds."""
        self.characters += inner.characters
        self.linked += inner.linked
        self.links += inner.links
        self.ways += inner.ways
        self.said_ways += inner.said_ways
        self.within += inner.within
        self.repeated += inner.repeated
        self.near += inner.near
        self.headings += inner.headings
        self.levels = max(self.levels, inner.levels)

    @property
    def link_share(self) -> float:
        """The share of its characters in links; 0 if it has none."""
        return self.linked / self.characters if self.characters else 0.0

    @property
    def is_row_of_ways(self) -> bool:
        """Tell whether it holds links to the next page, the one above and the like, and little else."""
        if not self.links or self.links != self.ways or self.headings or self.characters > _LONGEST_ROW:
            return False
        # One link that only leads to the next page may stand in a sentence.
        is_said = self.said_ways == self.links or self.links > 1
        return is_said and self.linked >= _WAY_SHARE * self.characters

    @property
    def is_contents(self) -> bool:
        """Tell whether it is a list of links alone, to headings of the page or, as a tree, to pages beside it."""
        if self.headings or not self.levels or self.linked < _CONTENTS_SHARE * self.characters:
            return False
        if self.links > 1 and self.within == self.links and self.repeated >= _CONTENTS_SHARE * self.links:
            return True
        return self.links >= _LEAST_TREE and self.near == self.links and self.levels >= _LEAST_LEVELS


def count_elements(root: Any) -> dict[Any, ElementCounts]:
    """Count what each element at and below `root` holds, in one walk.

    >>> from lxml.html import fromstring
    >>> page = fromstring('<p>See <a href="2">tea</a></p>')
    >>> count_elements(page)[page].characters, count_elements(page)[page].link_share
    (6, 0.5)
    """
    from lxml import etree

    page = _Page(root)
    found: dict[Any, ElementCounts] = {}
    open_counts: list[ElementCounts] = []
    in_link = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            counts = ElementCounts()
            in_link += element.tag == "a" and bool(element.get("href"))
            open_counts.append(counts)
            _count(counts, element.text, in_link)
            continue
        counts = found[element] = open_counts.pop()
        if element.tag == "a" and element.get("href"):
            in_link -= 1
            page.count_link(counts, element)
        counts.headings += element.tag in _HEADINGS
        counts.levels += element.tag in _LISTS
        if open_counts:
            open_counts[-1].add(counts)
            _count(open_counts[-1], element.tail, in_link)
    return found


def navigation_of(root: Any, counted: Mapping[Any, ElementCounts]) -> frozenset[Any]:
    """The elements below `root` that hold only ways through the manual or a table of contents.

    >>> from lxml.html import fromstring
    >>> page = fromstring('<div><p><a rel="next" href="2">Next</a></p><p>See <a href="2">tea</a>.</p></div>')
    >>> [element.text_content() for element in navigation_of(page, count_elements(page))]
    ['Next']
    """
    found: set[Any] = set()
    for element, counts in counted.items():
        if element.tag not in _HELD or element is root:
            continue
        if counts.is_contents:
            found.update((element, *_lead_in(element)))
        elif counts.is_row_of_ways:
            found.add(element)
    return frozenset(found)


class _Page:
    """Facts that classify the links of a page: its headings, the names in it, and its relations to others."""

    def __init__(self, root: Any) -> None:
        top = root.getroottree().getroot()
        self._ways = {
            link.get("href") for link in top.iter("link") if link.get("href") and _relations(link) & _WAYS
        }
        self._names = {name for element in top.iter() for name in (element.get("id"), element.get("name")) if name}
        self._titles = {_title(heading) for heading in top.iter(*_HEADINGS)}

    def count_link(self, counts: ElementCounts, link: Any) -> None:
        """Count a link by where it leads."""
        href = (link.get("href") or "").strip()
        is_said = bool(_relations(link) & _WAYS)
        _, _, name = href.partition("#")
        is_within = bool(name) and name in self._names
        counts.links += 1
        counts.said_ways += is_said
        counts.ways += is_said or href in self._ways
        counts.within += is_within
        counts.near += is_within or not _SCHEME.match(href)
        counts.repeated += is_within and _title(link) in self._titles


def _relations(link: Any) -> frozenset[str]:
    return frozenset((link.get("rel") or "").lower().split())


def _title(element: Any) -> str:
    """The words of a heading or a link, without the number and the signs before them and the signs after them."""
    words = " ".join("".join(element.itertext()).split())
    return (_NUMBER.sub("", words) or words).rstrip("¶# ").casefold()


def _count(counts: ElementCounts, text: str | None, in_link: int) -> None:
    characters = sum(map(len, text.split())) if text else 0
    counts.characters += characters
    counts.linked += characters if in_link else 0


def _lead_in(contents: Any) -> Iterator[Any]:
    """The paragraph before a table of contents that ends in a colon."""
    before = contents.getprevious()
    if before is not None and before.tag == "p":
        words = "".join(before.itertext()).strip()
        if len(words) <= _LONGEST_LEAD and words.endswith((":", "：")):
            yield before
