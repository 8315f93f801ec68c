"""Check the built documentation site: every link leads somewhere, and no page asks another host for anything.

    python deploy/check_site.py .make/docs/html

Ends with 1, and says which page has what wrong. Links to other sites are not followed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself. `a` leads elsewhere only where somebody follows it.
_LOADS = {
    "audio": ("src",), "embed": ("src",), "iframe": ("src",), "image": ("href", "xlink:href"),
    "img": ("src", "srcset"), "input": ("src",), "link": ("href",), "object": ("data",), "script": ("src",),
    "source": ("src", "srcset"), "track": ("src",), "use": ("href", "xlink:href"), "video": ("src", "poster"),
}  # fmt: skip
_STYLE = re.compile(r"(?:@import\s+(?:url\()?|url\()\s*[\"']?([^\"')\s]+)", re.IGNORECASE)
# The theme's script fetches a renderer from another host for a page that has such an element.
_FETCHING = {"mermaid", "glightbox", "pyodide"}


@dataclass
class Page(HTMLParser):
    """What one page loads, links to, and can be linked at."""

    loads: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    fetching: set[str] = field(default_factory=set)
    _in_style: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.loads += [
            address for name in _LOADS.get(tag, ()) if name in given for address in addresses(given[name])
        ]
        self.loads += _STYLE.findall(given.get("style", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.fetching |= _FETCHING & set(given.get("class", "").split())
        self._in_style = tag == "style"

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loads += _STYLE.findall(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False


def addresses(value: str) -> list[str]:
    """The addresses of a `src` or a `srcset`.

    >>> addresses("a.png 1x, b.png 2x")
    ['a.png', 'b.png']
    """
    return [part.split()[0] for part in value.split(",") if part.strip()] if " " in value.strip() else [value]


def is_elsewhere(address: str) -> bool:
    """Whether the address is on another host; data and fragments are not.

    >>> [is_elsewhere(address) for address in ("//fonts.example/a.woff2", "data:image/png;base64,AA==", "../a.css")]
    [True, False, False]
    """
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "ws", "wss")


def faults_of(folder: Path) -> Iterator[str]:
    """What is wrong in the site, a line each."""
    pages = {path: parsed(path) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        yield f"{folder}: there is no page"
    for path, page in pages.items():
        name = path.relative_to(folder)
        yield from (f"{name}: asks another host: {address}" for address in page.loads if is_elsewhere(address))
        yield from (f"{name}: fetches from another host for: {kind}" for kind in sorted(page.fetching))
        # The page for a missing address is sent in the place of any, so that its own links lead from the root.
        if name.name != "404.html":
            yield from (f"{name}: {fault}" for fault in broken(path, page, pages, folder))
    for style in sorted([*folder.rglob("*.css"), *folder.rglob("*.svg")]):
        found = _STYLE.findall(style.read_text(encoding="utf-8"))
        yield from (
            f"{style.relative_to(folder)}: asks another host: {each}" for each in found if is_elsewhere(each)
        )


def parsed(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken(path: Path, page: Page, pages: dict[Path, Page], folder: Path) -> Iterator[str]:
    """The links of a page that lead to no file, or to a place that the page there does not have."""
    for link in page.links + page.loads:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        start = folder if parts.path.startswith("/") else path.parent
        target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            yield f"leads nowhere: {link}"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"has no such place: {link}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python deploy/check_site.py FOLDER")
    faults = list(faults_of(Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or "every link leads somewhere, and no page asks another host for anything")
    sys.exit(1 if faults else 0)
