"""Every response has an id and strict headers, and an id that a client chose cannot do harm."""

from __future__ import annotations

from contextlib import suppress

import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from assay.server.perimeter import CONTENT_SECURITY_POLICY, ResponseHeaders
from assay.server.problems import add_problem_handlers
from support.asgi import Recorder, exchange, http_scope


async def test_every_response_has_the_strict_headers():
    headers = (await exchange(ResponseHeaders(Recorder()), http_scope())).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]


async def test_a_response_may_have_its_own_policy_and_caching_but_not_drop_the_rest():
    own = [(b"content-security-policy", b"default-src 'none'"), (b"cache-control", b"max-age=60"),
           (b"x-content-type-options", b"sniff"), (b"x-request-id", b"forged")]  # fmt: skip
    headers = (await exchange(ResponseHeaders(Recorder(headers=own)), http_scope())).headers
    assert headers.getlist("content-security-policy") == ["default-src 'none'"]
    assert headers.getlist("cache-control") == ["max-age=60"]
    assert headers.getlist("x-content-type-options") == ["nosniff"]
    assert headers.getlist("x-request-id") != ["forged"]


@pytest.mark.parametrize("chosen", ["a", "0192-abc_DEF.7", "x" * 64])
async def test_a_sane_id_of_the_client_is_kept(chosen: str):
    inner = Recorder()
    reply = await exchange(ResponseHeaders(inner), http_scope(headers={"x-request-id": chosen}))
    assert reply.headers["x-request-id"] == chosen == inner.scopes[0]["state"]["request_id"]


@pytest.mark.parametrize("chosen", ["", " ", "x" * 65, "a b", "a\nb", "\x1b[31m", "é", "a;b", "<script>", "a/../b"])
async def test_any_other_id_is_replaced(chosen: str):
    app = ResponseHeaders(Recorder())
    ids = [
        (await exchange(app, http_scope(headers={"x-request-id": chosen}))).headers["x-request-id"] for _ in "ab"
    ]
    assert len(set(ids)) == 2
    assert all(made.isalnum() for made in ids)


async def test_errors_of_the_application_have_them_too():
    app = FastAPI()
    add_problem_handlers(app)

    @app.get("/bug")
    async def bug() -> None:
        raise RuntimeError("a bug")

    async def logged(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(RuntimeError):  # uvicorn logs what is raised once the response has been sent
            await app(scope, receive, send)

    for path, status in (("/bug", 500), ("/nothing", 404)):
        reply = await exchange(ResponseHeaders(logged), http_scope(path))
        assert reply.status == reply.problem["status"] == status
        assert reply.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert reply.problem["request_id"] == reply.headers["x-request-id"]
