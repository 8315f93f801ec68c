"""The files of the page: small, complete, and nothing in them that its content security policy refuses."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import assay

PAGE = Path(assay.__file__).parent / "server" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
MOST_BYTES = 200_000
# The names of SVG's and HTML's namespaces are no addresses that anything loads.
_ADDRESS = re.compile(r"""(?:https?:)?//(?!www\.w3\.org/)[\w-]+\.[\w.-]+""")
_COMMENT = re.compile(r"^\s*(?://|/?\*).*$", re.MULTILINE)
_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""")
# What runs text as code or parses it as markup in the page.
_FORBIDDEN = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|eval\(|new Function|document\.write|setHTMLUnsafe|srcdoc)"
)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.inline: list[str] = []
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if self._tag in ("script", "style") and data.strip():
            self.inline.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""


@pytest.fixture
def index() -> _Tags:
    tags = _Tags()
    tags.feed((PAGE / "index.html").read_text(encoding="utf-8"))
    return tags


def test_all_files_are_under_200_kilobytes() -> None:
    assert 0 < sum(path.stat().st_size for path in FILES) < MOST_BYTES


def test_the_index_has_no_inline_script_or_style(index: _Tags) -> None:
    assert index.inline == []
    assert [name for _, name, _ in index.attributes if name == "style" or name.startswith("on")] == []


def test_what_the_index_loads_is_there(index: _Tags) -> None:
    loaded = [
        value
        for tag, name, value in index.attributes
        if (tag, name) in (("script", "src"), ("link", "href"), ("img", "src"))
    ]
    assert loaded
    for address in loaded:
        assert address.startswith("/static/"), address
        assert (PAGE / address.removeprefix("/static/")).is_file(), address


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_names_another_host(path: Path) -> None:
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    assert _ADDRESS.findall(text) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_every_import_is_a_file_of_the_page(path: Path) -> None:
    for name in _IMPORT.findall(_COMMENT.sub("", path.read_text(encoding="utf-8"))):
        assert name.startswith("./"), name
        assert (path.parent / name).is_file(), name


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_parses_markup_or_code(path: Path) -> None:
    assert _FORBIDDEN.findall(path.read_text(encoding="utf-8")) == []


def test_every_script_is_used() -> None:
    texts = "\n".join(path.read_text(encoding="utf-8") for path in FILES if path.suffix in (".js", ".html"))
    # A view is loaded by its name in the list of views.
    views = re.search(r"^const VIEWS = (\[.*\]);$", texts, re.MULTILINE)
    assert views
    used = {f"{name}.js" for name in json.loads(views[1])}
    assert [path.name for path in SCRIPTS if f"/{path.name}" not in texts and path.name not in used] == []
