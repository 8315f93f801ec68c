"""Every route against every kind of caller. A route that is served and stands in no row fails the test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from assay import open_engine
from assay.server.api_key import Cost, Key
from assay.server.app import create_app
from assay.server.keys import FILE_NAME, KeysFile, KeyStore
from assay.server.main import application
from assay.server.service import Service
from assay.server.settings import ServerSettings
from support.asgi import Reply, exchange, http_scope

CHEAP = Cost(n=2, r=1, p=1)
CANARY = "CNRY-default-7"
WATER = f"# Water\n\nWater boils at 100 degrees Celsius at sea level. Its code is {CANARY}.\n"
OPEN = "open"
# What each route asks of its caller.
ROUTES = {
    "GET /": OPEN,
    "GET /static": OPEN,
    "GET /openapi.json": OPEN,
    "GET /healthz": OPEN,
    "GET /readyz": OPEN,
    "GET /metrics": "admin",
    "POST /api/v1/ask": "read",
    "POST /api/v1/answer-from": "read",
    "POST /api/v1/search": "read",
    "POST /api/v1/judge": "read",
    "POST /api/v1/check": "read",
    "POST /api/v1/fix": "read",
    "GET /api/v1/collections": "read",
    "DELETE /api/v1/collections/{name}": "admin",
    "GET /api/v1/documents": "read",
    "POST /api/v1/documents": "write",
    "GET /api/v1/documents/{document_id}": "read",
    "GET /api/v1/documents/{document_id}/view": "read",
    "GET /api/v1/documents/{document_id}/pages/{page}.png": "read",
    "GET /api/v1/documents/{document_id}/find": "read",
    "DELETE /api/v1/documents/{document_id}": "write",
    "GET /api/v1/jobs": "read",
    "GET /api/v1/jobs/{job_id}": "read",
    "GET /api/v1/jobs/{job_id}/events": "read",
    "GET /api/v1/runs": "read",
    "GET /api/v1/runs/{run_id}": "read",
    "DELETE /api/v1/runs/{run_id}": "write",
    "GET /api/v1/runs/{run_id}/events": "read",
    "GET /api/v1/runs/{run_id}/report": "read",
    "GET /api/v1/runs/{run_id}/sources": "read",
    "POST /api/v1/runs/{run_id}/replay": "write",
    "POST /api/v1/feedback": "write",
    "GET /api/v1/labels": "read",
    "POST /api/v1/labels": "write",
    "GET /api/v1/review": "read",
    "POST /api/v1/review/{run_id}": "write",
    "GET /api/v1/figures": "read",
    "GET /api/v1/rules": "read",
    "GET /api/v1/settings": "read",
    "GET /api/v1/doctor": "admin",
    "GET /api/v1/keys": "admin",
    "POST /api/v1/keys": "admin",
    "DELETE /api/v1/keys/{key_id}": "admin",
    "GET /v1/models": "read",
    "GET /v1/models/{model}": "read",
    "POST /v1/chat/completions": "read",
}
GUARDED = [route for route, needed in ROUTES.items() if needed != OPEN]
# Of the tenant default alone, whatever the scope.
DEFAULT_ONLY = {"GET /metrics", "GET /api/v1/doctor"}
HOLDS = {"read": ("read",), "write": ("read", "write"), "admin": ("read", "write", "admin")}
# What requests need to get past the validation of what they hold.
BODIES = {
    "POST /api/v1/ask": b'{"question": "At how many degrees does water boil?"}',
    "POST /api/v1/search": b'{"query": "At how many degrees does water boil?"}',
    "POST /api/v1/judge": b'{"question": "At how many degrees does water boil?", "collection": "default"}',
    "POST /v1/chat/completions": b'{"model": "default", "messages": [{"role": "user", "content": "When?"}]}',
    "POST /api/v1/feedback": b'{"run_id": "RUN", "good": true}',
    "POST /api/v1/labels": b'{"run_id": "RUN", "good": true}',
    "POST /api/v1/review/{run_id}": b'{"accepted": true}',
    "POST /api/v1/runs/{run_id}/replay": b'{"settings": {}}',
}


@dataclass(frozen=True)
class Tried:
    """A server over a collection of the tenant default, and what is in it."""

    folder: Path
    app: ASGIApp
    keys: KeyStore
    document_id: str
    run_id: str
    key: Key

    async def ask(
        self, route: str, text: str | None, *, real: bool = False, header: str = "authorization"
    ) -> Reply:
        """The reply to a request with this key; `real` names what is there, else ids that nothing has."""
        method, _, path = route.partition(" ")
        names = {
            "{document_id}": self.document_id,
            "{run_id}": self.run_id,
            "{key_id}": self.key.key_id,
            "{name}": "default",
            "{model}": "default",
        }
        for place, name in names.items():
            path = path.replace(place, name if real else "nothing")
        path = path.replace("{job_id}", "nothing").replace("/static", "/static/index.html").replace("{page}", "1")
        headers = {"content-type": "application/json"}
        if text is not None:
            headers[header] = f"Bearer {text}" if header == "authorization" else text
        # From an address of its own, since wrong keys of one address are slowed.
        scope = http_scope(path, headers, client=(f"203.0.113.{next(_NUMBERS) % 250}", 1), method=method)
        scope["query_string"] = b"q=tea" if path.endswith("/find") else b""
        body = BODIES.get(route, b"{}").replace(b"RUN", self.run_id.encode() if real else b"nothing")
        return await exchange(self.app, scope, [body])


_NUMBERS = count()


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    folder: Path = tmp_path_factory.mktemp("data")
    paper = folder / "water.md"
    paper.write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([paper])
        [document] = engine.documents()
        run_id = engine.ask("At how many degrees does water boil?").run_id
    keys = KeyStore(KeysFile(folder / FILE_NAME), cost=CHEAP)
    key, _ = keys.create(name=CANARY, scope="admin")
    service = Service.over(ServerSettings(engine={"data_dir": folder}, requests_per_minute=100_000))
    yield Tried(folder, application(service), keys, document.document_id, run_id, key)
    asyncio.run(service.close(1.0))


def test_every_route_has_a_row(tmp_path: Path):
    app = create_app(Service.over(ServerSettings(engine={"data_dir": tmp_path})))
    served = {
        f"{method.upper()} {path}" for path, operations in app.openapi()["paths"].items() for method in operations
    }
    # An agent's endpoint takes POST alone; test_mcp.py calls it with and without a key.
    served |= {f"GET {route.path}" for route in app.routes if isinstance(route, Route | Mount)} - {"GET /mcp"}
    assert served == set(ROUTES)


def test_every_guarded_route_says_so_in_openapi(tmp_path: Path):
    app = create_app(Service.over(ServerSettings(engine={"data_dir": tmp_path})))
    secured = {
        f"{method.upper()} {path}"
        for path, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
        if operation.get("security")
    }
    assert secured == set(GUARDED)


@pytest.mark.parametrize("route", ROUTES)
async def test_without_a_key_only_what_is_open(tried: Tried, route: str):
    reply = await tried.ask(route, None, real=True)
    assert reply.status == (200 if ROUTES[route] == OPEN else 401)
    assert CANARY.encode() not in reply.body


@pytest.fixture(scope="module")
def invalid(tried: Tried) -> dict[str, str]:
    """Texts of keys that are no good, by why."""
    key, text = tried.keys.create(name="good", scope="admin")
    revoked, revoked_text = tried.keys.create(name="revoked", scope="admin")
    tried.keys.revoke(revoked.key_id)
    past = KeyStore(KeysFile(tried.folder / FILE_NAME), cost=CHEAP, now=lambda: 1000.0)
    _, expired = past.create(name="expired", scope="admin", expires=2000.0)
    wrong = f"assay_{key.key_id}_{'a' * 43}"
    return {"wrong": wrong, "no key": "sk-nothing", "cut": text[:-1], "revoked": revoked_text, "expired": expired}


@pytest.mark.parametrize("why", ["wrong", "no key", "cut", "revoked", "expired"])
@pytest.mark.parametrize("route", ROUTES)
async def test_a_key_that_is_no_good_reaches_nothing(tried: Tried, invalid: dict[str, str], route: str, why: str):
    for header in ("authorization", "x-api-key"):
        reply = await tried.ask(route, invalid[why], real=True, header=header)
        assert reply.status == 401
        assert CANARY.encode() not in reply.body


@pytest.fixture(scope="module")
def texts(tried: Tried) -> dict[str, str]:
    return {scope: tried.keys.create(name=scope, scope=scope)[1] for scope in HOLDS}


@pytest.mark.parametrize("scope", HOLDS)
@pytest.mark.parametrize("route", GUARDED)
async def test_a_scope_reaches_what_it_includes(tried: Tried, texts: dict[str, str], route: str, scope: str):
    reply = await tried.ask(route, texts[scope])
    if ROUTES[route] in HOLDS[scope]:
        assert reply.status not in (401, 403)
        assert reply.status < 500
    else:
        assert reply.status == 403


@pytest.mark.parametrize("route", GUARDED)
async def test_another_tenant_s_admin_sees_nothing_of_it(tried: Tried, other: str, route: str):
    reply = await tried.ask(route, other, real=True)
    assert CANARY.encode() not in reply.body
    assert reply.status < 500
    if route in DEFAULT_ONLY:
        assert reply.status == 403
    elif "{" in route and "{job_id}" not in route:
        assert reply.status == 404
    known = {key.key_id: key.revoked for key in tried.keys.list("default")}
    assert known[tried.key.key_id] is None


@pytest.fixture(scope="module")
def other(tried: Tried) -> str:
    return tried.keys.create(name="other", tenant="other", scope="admin")[1]


async def test_what_the_other_tenant_was_refused_is_still_there(tried: Tried, other: str, texts: dict[str, str]):
    for route in GUARDED:
        await tried.ask(route, other, real=True)
    for route in ("GET /api/v1/documents", "GET /api/v1/runs/{run_id}", "GET /api/v1/runs"):
        reply = await tried.ask(route, texts["admin"], real=True)
        assert reply.status == 200
        assert "water" in reply.body.decode().lower()
