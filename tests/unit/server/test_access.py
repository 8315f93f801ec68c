"""Who gets in: by a key that is valid, with a scope that suffices; guesses are slowed, and nothing fails open."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from fastapi import Depends, FastAPI
from starlette.types import Receive, Scope, Send

from assay.errors import UsageError
from assay.server.access import (
    ANONYMOUS,
    GUESSES,
    WAITING,
    Access,
    Authentication,
    Caller,
    RequireScope,
    refuse_open_bind,
    require,
)
from assay.server.api_key import Cost, scrypt_hash
from assay.server.keys import KeysFile, KeyStore
from assay.server.problems import add_problem_handlers
from support.asgi import Recorder, Reply, exchange, http_scope

CHEAP = Cost(n=2, r=1, p=1)
WRONG = f"assay_00000000_{'a' * 43}"
ELSEWHERE = ("203.0.113.5", 1)
needs_read, needs_write, needs_admin = (Depends(require(scope)) for scope in ("read", "write", "admin"))


@pytest.fixture
def keys(tmp_path: Path) -> KeyStore:
    return KeyStore(KeysFile(tmp_path / "keys.sqlite"), cost=CHEAP)


def application() -> FastAPI:
    """One route a scope, and one for everybody."""
    app = FastAPI()
    add_problem_handlers(app)

    @app.get("/open")
    async def open_to_all() -> str:
        return "open"

    @app.get("/read")
    async def read(caller: Caller = needs_read) -> dict[str, object]:
        return caller.to_dict()

    @app.get("/write")
    async def write(caller: Caller = needs_write) -> dict[str, object]:
        return caller.to_dict()

    @app.get("/admin")
    async def admin(caller: Caller = needs_admin) -> dict[str, object]:
        return caller.to_dict()

    app.mount("/mounted", RequireScope(mounted, "write"))
    return app


async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def guarded(keys: KeyStore) -> Authentication:
    return Authentication(application(), Access(keys, listening="127.0.0.1"))


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


async def statuses(app: Authentication, headers: dict[str, str]) -> list[int]:
    paths = ("/open", "/read", "/write", "/admin", "/mounted/")
    return [(await exchange(app, http_scope(path, headers))).status for path in paths]


async def test_each_caller_reaches_what_the_scope_includes(keys: KeyStore, guarded: Authentication):
    made = {scope: keys.create(name=scope, scope=scope)[1] for scope in ("read", "write", "admin")}
    assert await statuses(guarded, {}) == [200, 401, 401, 401, 401]
    assert await statuses(guarded, bearer(made["read"])) == [200, 200, 403, 403, 403]
    assert await statuses(guarded, bearer(made["write"])) == [200, 200, 200, 403, 200]
    assert await statuses(guarded, bearer(made["admin"])) == [200, 200, 200, 200, 200]
    assert await statuses(guarded, {"x-api-key": made["write"]}) == [200, 200, 200, 403, 200]
    assert await statuses(guarded, {"authorization": f"bearer  {made['read']} "}) == [200, 200, 403, 403, 403]


async def test_a_key_that_is_no_good_is_refused_on_every_path(keys: KeyStore, guarded: Authentication):
    revoked, text = keys.create(name="revoked", scope="admin")
    keys.revoke(revoked.key_id)
    assert await statuses(guarded, bearer(text)) == [401] * 5
    assert await statuses(guarded, {"x-api-key": "nonsense"}) == [401] * 5


@pytest.mark.parametrize(
    "headers",
    [{"authorization": "Basic YTpi"}, {"authorization": "Bearer"}, {"authorization": ""}, {"cookie": "key=x"}],
)
async def test_what_is_no_key_lets_nobody_in(keys: KeyStore, guarded: Authentication, headers: dict[str, str]):
    keys.create(name="any")
    assert (await exchange(guarded, http_scope("/read", headers))).status == 401


async def test_the_caller_is_the_key_s(keys: KeyStore, guarded: Authentication):
    key, text = keys.create(name="laptop", tenant="acme", scope="write")
    seen = await exchange(guarded, http_scope("/read", bearer(text)))
    assert seen.problem == {
        "tenant": "acme",
        "key_id": key.key_id,
        "name": "laptop",
        "scopes": ["read", "write"],
    }


async def test_refusals_say_what_is_needed(keys: KeyStore, guarded: Authentication):
    _, text = keys.create(name="reader")
    without = await exchange(guarded, http_scope("/read"))
    assert without.headers["www-authenticate"] == 'Bearer realm="assay"'
    assert without.problem["detail"] == "this needs an API key"
    wrong = await exchange(guarded, http_scope("/read", bearer(WRONG)))
    assert wrong.headers["www-authenticate"] == 'Bearer realm="assay", error="invalid_token"'
    assert WRONG not in wrong.body.decode()
    small = await exchange(guarded, http_scope("/admin", bearer(text)))
    assert small.headers["www-authenticate"] == ('Bearer realm="assay", error="insufficient_scope", scope="admin"')
    assert "scope admin; yours has read" in small.problem["detail"]
    for refused in (without, wrong, small):
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.problem["hint"]
    mounted_ = await exchange(guarded, http_scope("/mounted/", bearer(text)))
    assert mounted_.problem["detail"].startswith("this needs an API key with the scope write")


async def test_two_different_keys_are_none(keys: KeyStore, guarded: Authentication):
    _, one = keys.create(name="one")
    _, two = keys.create(name="two")
    both = {**bearer(one), "x-api-key": two}
    assert (await exchange(guarded, http_scope("/read", both))).status == 401
    assert (await exchange(guarded, http_scope("/read", {**bearer(one), "x-api-key": one}))).status == 200


async def test_below_guarded_paths_nobody_s_body_is_read(keys: KeyStore):
    keys.create(name="any")
    inner = Recorder()
    guarded = Authentication(inner, Access(keys, listening="127.0.0.1"))
    for path in ("/api/v1/documents", "/api", "/v1/chat/completions", "/mcp"):
        refused = await exchange(guarded, http_scope(path, method="POST"), [])
        assert (refused.status, refused.headers["www-authenticate"]) == (401, 'Bearer realm="assay"')
    assert not inner.scopes
    for path in ("/", "/static/x.js", "/healthz", "/apix"):
        assert (await exchange(guarded, http_scope(path))).status == 200


# --- without keys ----------------------------------------------------------------------------------


async def test_without_any_key_this_machine_is_admin_whatever_it_sends(guarded: Authentication):
    assert await statuses(guarded, {}) == [200] * 5
    assert await statuses(guarded, bearer("sk-none")) == [200] * 5
    seen = await exchange(guarded, http_scope("/admin"))
    assert seen.problem["tenant"] == "default"


async def test_without_any_key_others_are_nobody(guarded: Authentication):
    for scope in (
        http_scope("/read", client=ELSEWHERE),
        http_scope("/read", client=None),
        http_scope("/read", {"x-forwarded-for": "127.0.0.1"}),
    ):
        assert (await exchange(guarded, scope)).status == 401


async def test_where_others_reach_the_address_nobody_is_anonymous_unasked(keys: KeyStore):
    strict = Authentication(application(), Access(keys, listening="10.0.0.7"))
    assert (await exchange(strict, http_scope("/read"))).status == 401
    asked = Authentication(application(), Access(keys, listening="10.0.0.7", allow_anonymous=True))
    assert (await exchange(asked, http_scope("/admin", client=ELSEWHERE))).status == 200
    keys.create(name="first")
    assert (await exchange(asked, http_scope("/read", client=ELSEWHERE))).status == 401


async def test_the_first_key_ends_it_and_revoking_it_does_not_bring_it_back(
    keys: KeyStore, guarded: Authentication
):
    assert (await exchange(guarded, http_scope("/read"))).status == 200
    key, _ = keys.create(name="first")
    assert (await exchange(guarded, http_scope("/read"))).status == 401
    keys.revoke(key.key_id)
    assert (await exchange(guarded, http_scope("/read"))).status == 401


async def test_keys_that_cannot_be_read_let_nobody_in(tmp_path: Path, keys: KeyStore, guarded: Authentication):
    (tmp_path / "keys.sqlite").write_bytes(b"no database" * 1000)
    for headers in ({}, {}, bearer(WRONG)):
        refused = await exchange(guarded, http_scope("/open", headers))
        assert refused.status == 503
        assert refused.headers["retry-after"] == "5"
        assert str(tmp_path) not in refused.body.decode()


async def test_an_application_without_authentication_knows_nobody():
    assert (await exchange(application(), http_scope("/read"))).status == 401
    assert (await exchange(application(), http_scope("/mounted/"))).status == 401


# --- guesses ---------------------------------------------------------------------------------------


async def test_guesses_of_one_address_are_slowed_and_others_are_not(keys: KeyStore, guarded: Authentication):
    _, known = keys.create(name="known")
    _, unseen = keys.create(name="unseen")
    assert (await exchange(guarded, http_scope("/read", bearer(known)))).status == 200
    for _ in range(GUESSES):
        assert (await exchange(guarded, http_scope("/read", bearer(WRONG)))).status == 401
    refused = await exchange(guarded, http_scope("/read", bearer(WRONG)))
    assert refused.status == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    # What might be a lucky guess is not told apart from a wrong one, and a key in use goes on.
    assert (await exchange(guarded, http_scope("/read", bearer(unseen)))).status == 429
    assert (await exchange(guarded, http_scope("/read", bearer(known)))).status == 200
    assert (await exchange(guarded, http_scope("/read", bearer(unseen), client=ELSEWHERE))).status == 200


async def test_only_so_many_new_keys_wait_to_be_tested(tmp_path: Path):
    gate = threading.Event()

    def held(text: str, salt: bytes, cost: Cost) -> bytes:
        gate.wait()
        return scrypt_hash(text, salt, cost)

    path = tmp_path / "keys.sqlite"
    _, text = KeyStore(KeysFile(path), cost=CHEAP).create(name="known")
    guarded = Authentication(
        application(), Access(KeyStore(KeysFile(path), cost=CHEAP, hasher=held), listening="127.0.0.1")
    )

    def ask(number: int) -> asyncio.Task[Reply]:
        client = (f"10.0.0.{number}", 1)
        return asyncio.create_task(exchange(guarded, http_scope("/read", bearer(text), client=client)))

    waiting = [ask(number) for number in range(WAITING)]
    await asyncio.sleep(0)
    refused = await ask(WAITING)
    gate.set()
    assert refused.status == 503
    assert refused.headers["retry-after"] == "2"
    assert [(await reply).status for reply in waiting] == [200] * WAITING


# --- where to listen -------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "assay.example", "localhost.example", ""])  # noqa: S104
def test_an_open_address_needs_a_key_or_a_word(host: str):
    with pytest.raises(UsageError, match="everybody who reaches this machine"):
        refuse_open_bind(host, has_keys=False, allow_anonymous=False)
    refuse_open_bind(host, has_keys=True, allow_anonymous=False)
    refuse_open_bind(host, has_keys=False, allow_anonymous=True)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.2", "::1"])
def test_this_machine_s_own_addresses_need_none(host: str):
    refuse_open_bind(host, has_keys=False, allow_anonymous=False)


def test_anonymous_callers_are_admins_of_the_default_tenant():
    assert ANONYMOUS.is_admin
    assert ANONYMOUS.tenant == "default"


def test_openapi_names_the_scheme():
    schemes = application().openapi()["components"]["securitySchemes"]
    assert [scheme["scheme"] for scheme in schemes.values()] == ["bearer"]
