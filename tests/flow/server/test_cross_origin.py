"""Pages of other web origins: those that are allowed read every reply, all others none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from assay import open_engine
from assay.server.api_key import Cost
from assay.server.keys import FILE_NAME, KeysFile, KeyStore
from assay.server.settings import ServerSettings
from support.served import Served, events_of, serving

ALLOWED = "https://app.example.org"
OTHER = "https://evil.example"
QUESTION = {"question": "At how many degrees does water boil?"}
ORIGIN, CREDENTIALS = "access-control-allow-origin", "access-control-allow-credentials"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    paper = folder / "water.md"
    paper.write_text("# Water\n\nWater boils at 100 degrees Celsius at sea level.\n", encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([paper])
    return folder


@pytest.fixture(scope="module")
def key(folder: Path) -> str:
    return KeyStore(KeysFile(folder / FILE_NAME), cost=Cost(n=2, r=1, p=1)).create(name="app")[1]


@pytest.fixture(scope="module")
def served(folder: Path, key: str) -> Iterator[Served]:
    origins = ("HTTPS://App.example.org:443", "http://localhost:3000")
    with serving(ServerSettings(engine={"data_dir": folder}, allowed_origins=origins)) as server:
        yield server


def preflight(served: Served, origin: str, method: str = "POST", headers: str = "") -> httpx2.Response:
    asked = {"origin": origin, "access-control-request-method": method}
    if headers:
        asked["access-control-request-headers"] = headers
    with served.client() as client:
        return client.options("/api/v1/ask", headers=asked)


@pytest.mark.parametrize("origin", [ALLOWED, "http://localhost:3000"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_preflight_of_an_allowed_origin_needs_no_key(served: Served, origin: str, method: str):
    headers = "authorization,content-type,idempotency-key,last-event-id"
    reply = preflight(served, origin, method, headers)
    assert reply.status_code == 200
    assert reply.headers[ORIGIN] == origin
    assert method in reply.headers["access-control-allow-methods"]
    allowed = reply.headers["access-control-allow-headers"].lower().split(", ")
    assert set(headers.split(",")) <= set(allowed)
    assert "Origin" in reply.headers["vary"]
    assert CREDENTIALS not in reply.headers


@pytest.mark.parametrize("headers", ["mcp-protocol-version", "x-stainless-lang,x-stainless-retry-count,x-api-key"])
def test_agents_and_openai_s_package_may_call_from_a_browser(served: Served, headers: str):
    assert preflight(served, ALLOWED, headers=headers).status_code == 200


@pytest.mark.parametrize(("method", "headers"), [("PUT", ""), ("POST", "x-forwarded-for")])
def test_what_no_client_needs_is_not_allowed(served: Served, method: str, headers: str):
    assert preflight(served, ALLOWED, method, headers).status_code == 400


@pytest.mark.parametrize(
    "origin", [OTHER, "null", "https://app.example.org.evil.example", "http://app.example.org"]
)
def test_another_origin_gets_no_cors_header(served: Served, key: str, origin: str):
    with served.client(headers={"origin": origin, "authorization": f"Bearer {key}"}) as client:
        replies = (client.get("/api/v1/collections"), preflight(served, origin))
    for reply in replies:
        assert reply.status_code == 403
        assert not [name for name in reply.headers if name.startswith("access-control-")]


def test_an_allowed_origin_reads_replies_errors_and_streams(served: Served, key: str):
    own = {"origin": ALLOWED, "authorization": f"Bearer {key}"}
    with served.client() as client:
        listed = client.get("/api/v1/collections", headers=own)
        streamed = client.post("/api/v1/ask", json=QUESTION, headers={**own, "accept": "text/event-stream"})
        refused = client.get("/api/v1/collections", headers={"origin": ALLOWED})
        missing = client.get("/api/v1/runs/none", headers=own)
        models = client.get("/v1/models", headers=own)
    replies = (listed, streamed, refused, missing, models)
    assert [reply.status_code for reply in replies] == [200, 200, 401, 404, 200]
    assert events_of(streamed.text)[-1]["kind"] == "done"
    for reply in replies:
        assert reply.headers[ORIGIN] == ALLOWED
        exposed = reply.headers["access-control-expose-headers"].lower().split(", ")
        assert {"x-request-id", "retry-after", "location"} <= set(exposed)
        assert CREDENTIALS not in reply.headers


def test_the_server_s_own_page_and_programs_need_none_of_it(served: Served, key: str):
    with served.client(headers={"authorization": f"Bearer {key}"}) as client:
        for headers in ({}, {"origin": served.address}):
            reply = client.get("/api/v1/collections", headers=headers)
            assert reply.status_code == 200
            assert ORIGIN not in reply.headers


def test_without_allowed_origins_there_are_no_cors_headers(tmp_path: Path):
    with serving(ServerSettings(engine={"data_dir": tmp_path})) as server, server.client() as client:
        reply = client.get("/api/v1/collections", headers={"origin": server.address})
        assert not [name for name in reply.headers if name.startswith("access-control-")]
        assert preflight(server, ALLOWED).status_code == 403
