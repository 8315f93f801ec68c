"""Chromium on real servers: one that quotes, one whose scripted model writes; and a page that watches itself.

These tests need Debian's chromium and take a while, so `make page` runs them and `make check` does not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from assay import open_engine
from assay.server.settings import ServerSettings
from support.served import PATIENCE, Served, serving

CHROMIUM = Path("/usr/bin/chromium")
AXE = Path(".make/axe/node_modules/axe-core/axe.min.js")
SHOTS = Path(".make/page")
LIBRARY = Path("examples/library")

DOCUMENTS = {
    "fees-2019.md": "# Fees, from 1 March 2019\n\nDate: 2019-03-01\n\nThe fee for a late book is 30 cents a day, "
    "at most 10 euros an item.\n",
    "fees-2025.md": "# Fees, from 1 January 2025\n\nDate: 2025-01-01\n\nThe fee for a late book is 20 cents a day, "
    "at most 8 euros an item.\n",
    "branches.csv": "Branch,Street,Opened,Seats\nLinden Street,Linden Street 4,1934,220\nHarbour,Quay 11,1972,64\n",
    "notice.txt": "NOTICE TO READERS\n\nThe lift in the east wing is out of service from 3 to 14 March.\n"
    "Readers who cannot climb stairs ring the bell at the north entrance.\n",
    "programme.html": "<html><head><title>Autumn programme</title></head><body><h1>Autumn programme</h1>"
    "<p>The reading circle meets on the first Thursday of each month at 18:30 in the seminar room.</p>"
    "<script>document.title = 'owned'</script><img src='http://evil.example/pixel.png' onerror='owned()'>"
    "<a href='http://evil.example/'>More</a></body></html>",
}
# A draft with a wrong number, and a claim that no source bears out.
SCRIPT = [
    {
        "role": "writer",
        "reply": "Books and audio books are lent for four weeks, films and games for two weeks [1]. "
        "The library was voted the best in the country in 2021 [1]. "
        "A loan can be renewed twice, each time for its original period [1].",
        "pieces": 60,
        "delay": 0.06,
        "usage": {"prompt_tokens": 812, "completion_tokens": 64},
    },
    {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}},
    {"reply": "Nothing to change."},
]
PAGES_OF_REPORT = 300
# What a page may load: the servers of these tests, and what it holds itself.
OWN = ("http://127.0.0.1:", "blob:", "data:")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs Chromium unless `make page` asks for it."""
    here = Path(__file__).parent
    if "ASSAY_TEST_PAGE" in os.environ and CHROMIUM.exists():
        return
    reason = "run by `make page`" if CHROMIUM.exists() else "needs /usr/bin/chromium; `make page` installs it"
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report(chromium: Browser) -> bytes:
    """A PDF of 300 pages; page 150 alone names a bequest."""
    page = chromium.new_page()
    pages = (
        f"<h1>Part {number}</h1><p>Loans of part {number} were counted by hand.</p>"
        + ("<p>The bequest of Ada Lindqvist was 41,000 euros.</p>" if number == 150 else "")
        for number in range(1, PAGES_OF_REPORT + 1)
    )
    page.set_content(
        "<title>Annual report</title>" + "".join(f'<div style="break-after: page">{part}</div>' for part in pages)
    )
    data = page.pdf(format="A5")
    page.close()
    return data


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory, report: bytes) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for file in LIBRARY.glob("*.md"):
        (folder / file.name).write_bytes(file.read_bytes())
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "annual-report.pdf").write_bytes(report)
    return folder


def _data(folder: Path, documents: Path) -> Path:
    with open_engine(data_dir=folder) as engine:
        engine.add([documents])
    return folder


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, documents: Path) -> Iterator[Served]:
    """A server without a model: its answers are quotes."""
    folder = _data(tmp_path_factory.mktemp("data"), documents)
    with serving(ServerSettings(engine={"data_dir": folder})) as server:
        yield server


@pytest.fixture(scope="session")
def writing(tmp_path_factory: pytest.TempPathFactory, documents: Path) -> Iterator[Served]:
    """A server whose model writes `SCRIPT`, slowly."""
    folder = _data(tmp_path_factory.mktemp("writing"), documents)
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    engine: dict[str, Any] = {"data_dir": folder, "model": f"fake:{script}", "profile": "balanced"}
    with serving(ServerSettings(engine=engine)) as server:
        yield server


@dataclass
class Watched:
    """A page, and what it did that no page may do."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def open(self, server: Served, path: str = "") -> Page:
        """The page at a path of the server, once it shows what it has to show."""
        self.page.goto(f"{server.address}/{path}")
        self.page.locator("main h1").first.wait_for(state="attached")
        return self.page


OpenPage = Callable[..., Watched]


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Make pages; each may only load from this machine and must not complain. A fault fails the test at its end."""
    made: list[Watched] = []
    contexts = []

    def make(*, width: int = 1360, height: int = 900, dark: bool = False, expects: str = "") -> Watched:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        watched = Watched(context.new_page())

        def complain(text: str) -> None:
            if not (expects and expects in text):
                watched.faults.append(text)

        watched.page.on("console", lambda said: complain(said.text) if said.type in ("error", "warning") else None)
        watched.page.on("pageerror", lambda error: complain(str(error)))
        watched.page.on("dialog", lambda dialog: (complain(f"dialog: {dialog.message}"), dialog.dismiss()))
        watched.page.on(
            "request", lambda asked: None if asked.url.startswith(OWN) else complain(f"request: {asked.url}")
        )
        contexts.append(context)
        made.append(watched)
        return watched

    yield make
    faults = [fault for watched in made for fault in watched.faults]
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def shoot() -> Callable[[Page, str], None]:
    """Keep a picture of a page, for people to look at."""
    SHOTS.mkdir(parents=True, exist_ok=True)

    def take(page: Page, name: str) -> None:
        page.screenshot(path=SHOTS / f"{name}.png")

    return take
