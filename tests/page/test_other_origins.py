"""A page of another web origin in Chromium: it reads the API where it is allowed, and nothing where it is not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from assay import open_engine
from assay.server.settings import ServerSettings
from support.served import serving

ASK = """async ([address, key]) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const call = (path, more) => fetch(`${address}/api/v1/${path}`, { headers, ...more });
    const body = JSON.stringify({ question: "At how many degrees does water boil?" });
    const events = { ...headers, accept: "text/event-stream" };
    const stream = await call("ask", { method: "POST", headers: events, body });
    const refused = await call("collections", { headers: { authorization: "Bearer wrong" } });
    const removed = await call("documents/none", { method: "DELETE" });
    return [stream.headers.get("x-request-id"), await stream.text(), (await refused.json()).hint, removed.status];
}"""


@contextmanager
def other_origin(folder: Path) -> Iterator[str]:
    """The origin of a server with one page."""
    (folder / "index.html").write_text("<title>Another page</title><link rel=icon href=data:,>", encoding="utf-8")

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    paper = tmp_path / "water.md"
    paper.write_text("# Water\n\nWater boils at 100 degrees Celsius at sea level.\n", encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([paper])
    return tmp_path / "data"


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "other").mkdir()
    with other_origin(tmp_path / "other") as origin:
        yield origin


def answers(chromium: Browser, data: Path, origin: str, allowed: str) -> Any:
    """What a page of an origin gets of a server that allows one; the name of the error where it gets nothing."""
    with serving(ServerSettings(engine={"data_dir": data}, allowed_origins=(allowed,))) as server:
        _, key = server.service.keys.create(name="app", scope="write")
        page = chromium.new_page()
        page.goto(f"{origin}/index.html")
        found = page.evaluate(f"(given) => ({ASK})(given).catch((error) => error.name)", [server.address, key])
        page.close()
        return found


def test_a_page_of_an_allowed_origin_reads_replies_errors_and_events(
    chromium: Browser, data: Path, origin: str
) -> None:
    request_id, events, hint, removed = answers(chromium, data, origin, allowed=origin)
    assert request_id
    assert "event: done" in events
    assert "Authorization" in hint
    assert removed == 404


def test_a_page_of_any_other_origin_reads_nothing(chromium: Browser, data: Path, origin: str) -> None:
    assert answers(chromium, data, origin, allowed="https://app.example.org") == "TypeError"
