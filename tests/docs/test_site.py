"""The documentation site: each page of docs/ is in its navigation, and every link of the sources leads to a file.

`make site` builds it, and checks what was built with deploy/check_site.py.
"""

from __future__ import annotations

import doctest
import importlib.util
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def load(name: str) -> Iterator[ModuleType]:
    """A program of deploy/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "deploy" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[name]


@pytest.fixture(scope="module")
def site_source() -> Iterator[ModuleType]:
    yield from load("site_source")


@pytest.fixture(scope="module")
def check_site() -> Iterator[ModuleType]:
    yield from load("check_site")


@pytest.fixture(scope="module")
def source(site_source: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the site is built from."""
    folder: Path = tmp_path_factory.mktemp("site") / "source"
    site_source.write_source(folder)
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A built site of two pages that link to one another."""
    (tmp_path / "style.css").write_text("body { background: url(paper.png) }", encoding="utf-8")
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "index.html").write_text(
        '<h1 id="start">Guide</h1><a href="../">home</a>', encoding="utf-8"
    )
    page(tmp_path, '<a href="guide/#start">guide</a> <a href="https://example.org/">elsewhere</a>')
    return tmp_path


def page(site: Path, body: str) -> None:
    text = f'<html><head><link rel="stylesheet" href="style.css"></head><body>{body}</body></html>'
    (site / "index.html").write_text(text, encoding="utf-8")


def prose(text: str) -> str:
    """A page without its code."""
    return _CODE.sub("", text)


def places(text: str) -> set[str]:
    """The fragments that headings can be linked by."""
    plain = (re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in _HEADING.findall(text))
    return {re.sub(r"[\s-]+", "-", heading) for heading in plain}


def test_every_page_is_in_the_navigation_once(site_source: ModuleType):
    pages = [entry for _, entry in site_source.sections_of(site_source.navigation())]
    assert len(pages) == len(set(pages))
    docs = ROOT / "docs"
    written = {str(file.relative_to(docs)) for file in docs.rglob("*.md") if file.parent.name != "decisions"}
    made = {*site_source.PAGES.values(), site_source.DECISIONS}
    assert set(pages) == written | made


def test_every_decision_is_listed(source: Path):
    records = {file.name for file in (ROOT / "docs" / "decisions").glob("*.md")}
    assert {target for target, _ in _LINK.findall((source / "decisions" / "index.md").read_text())} == records


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_of_the_repository_lead_to_files(file: str):
    targets = {target for target, _ in _LINK.findall(prose((ROOT / file).read_text(encoding="utf-8")))}
    assert not [target for target in targets if target and ":" not in target and not (ROOT / target).is_file()]


def test_links_of_the_site_lead_to_pages_and_headings(source: Path):
    broken = []
    texts = {file: file.read_text(encoding="utf-8") for file in source.rglob("*.md")}
    for file, text in texts.items():
        for target, place in _LINK.findall(prose(text)):
            if ":" in target:
                continue
            leads = (file.parent / target).resolve() if target else file
            if not leads.is_file() or (place and place not in places(texts[leads])):
                broken.append(f"{file.relative_to(source)}: {target}#{place}")
    assert broken == []


def test_the_home_page_is_the_readme_with_links_that_lead_within_the_site(source: Path):
    home = (source / "index.md").read_text(encoding="utf-8")
    assert "](quickstart.md)" in home
    assert "](project/changelog.md)" in home
    assert "](docs/" not in home
    assert "](../quickstart.md)" not in home
    assert "<!--" not in home


def test_language_models_find_each_page_with_its_first_sentence(source: Path):
    index = (source / "llms.txt").read_text(encoding="utf-8")
    assert index.startswith("# assay\n\n> ")
    assert (
        "\n## How to: Run a service\n\n- [Serve your documents](how-to/serve/): `assay serve` answers over HTTP"
        in index
    )
    assert all(line.partition("): ")[2] for line in index.splitlines() if line.startswith("- "))
    assert "# Serve your documents\n" in (source / "llms-full.txt").read_text(encoding="utf-8")


def test_a_site_of_its_own_pages_is_right(check_site: ModuleType, site: Path):
    assert list(check_site.faults_of(site)) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            '<script src="https://cdn.example/a.js"></script>',
            "index.html: asks another host: https://cdn.example/a.js",
        ),
        ('<img srcset="a.png 1x, //img.example/b.png 2x">', "index.html: asks another host: //img.example/b.png"),
        ('<p style="background: url(http://a.example/b)">', "index.html: asks another host: http://a.example/b"),
        ("<style>@import 'https://a.example/b'</style>", "index.html: asks another host: https://a.example/b"),
        ('<pre class="mermaid">graph</pre>', "index.html: fetches from another host for: mermaid"),
        ('<a href="gone/">gone</a>', "index.html: leads nowhere: gone/"),
        ('<img src="gone.png">', "index.html: leads nowhere: gone.png"),
        ('<a href="guide/#end">end</a>', "index.html: has no such place: guide/#end"),
        ('<a href="#end">end</a>', "index.html: has no such place: #end"),
    ],
)
def test_each_fault_of_a_site_is_named(check_site: ModuleType, site: Path, body: str, fault: str):
    page(site, body)
    assert fault in list(check_site.faults_of(site))


def test_a_font_of_another_host_is_found_in_a_style(check_site: ModuleType, site: Path):
    (site / "style.css").write_text("@font-face { src: url('https://fonts.example/a.woff2') }", encoding="utf-8")
    assert list(check_site.faults_of(site)) == ["style.css: asks another host: https://fonts.example/a.woff2"]


def test_an_empty_folder_is_no_site(check_site: ModuleType, tmp_path: Path):
    assert list(check_site.faults_of(tmp_path)) == [f"{tmp_path}: there is no page"]


def test_the_pictures_ask_no_other_host(check_site: ModuleType, site: Path):
    shutil.copytree(ROOT / "docs" / "assets", site / "assets")
    assert list((site / "assets").glob("*.svg"))
    assert list(check_site.faults_of(site)) == []
    (site / "assets" / "own.svg").write_text(
        "<svg><style>@import url(//a.example/b)</style></svg>", encoding="utf-8"
    )
    assert list(check_site.faults_of(site)) == ["assets/own.svg: asks another host: //a.example/b"]


def test_the_examples_of_the_programs_are_true(site_source: ModuleType, check_site: ModuleType):
    for module in (site_source, check_site):
        result = doctest.testmod(module)
        assert result.attempted
        assert not result.failed
