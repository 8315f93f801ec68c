"""The tools at /mcp of a FastAPI app: a real uvicorn on loopback, the official client, and callers who mean ill."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from assay import Engine, open_engine
from assay.mcp_server.tools import Collections
from assay.server.mcp import LOOPBACK, McpEndpoint
from support.collections import EndlessModel, HeldCollections

BOIL = "At how many degrees does water boil?"
TEXTS = {
    "ann": "# Water\n\nWater boils at 100 degrees Celsius at sea level.\n",
    "bob": "# Tower\n\nThe tower was opened on 3 May 1932.\n",
}
ACCEPT = {"Accept": "application/json, text/event-stream"}
LEGACY = {**ACCEPT, "MCP-Protocol-Version": "2025-11-25"}


@dataclass(frozen=True, slots=True)
class Tenants:
    """Puts the tenant whose key a request has into the request's state; anybody else is refused."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            tenant = Request(scope).headers.get("authorization", "").removeprefix("Bearer key of ")
            if tenant not in TEXTS:
                await send({"type": "http.response.start", "status": 401, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            scope.setdefault("state", {})["tenant"] = tenant
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class Served:
    """A running app."""

    url: str

    def key(self, tenant: str) -> dict[str, str]:
        return {"Authorization": f"Bearer key of {tenant}"}

    @asynccontextmanager
    async def client(self, tenant: str, mode: str = "auto") -> AsyncIterator[Client]:
        """The official client with a tenant's key."""
        async with (
            httpx2.AsyncClient(headers=self.key(tenant)) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client

    async def post(self, body: Any, tenant: str = "ann", **headers: str) -> httpx2.Response:
        """One request by hand."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Content-Type": "application/json", **LEGACY, **self.key(tenant), **named}
        async with httpx2.AsyncClient() as http:
            return await http.post(f"{self.url}/mcp", content=content, headers=sent)


@contextmanager
def served(
    tenants: Mapping[str, HeldCollections], security: TransportSecuritySettings = LOOPBACK
) -> Iterator[Served]:
    def collections_of(request: Request | None) -> Collections:
        assert request is not None
        return tenants[request.state.tenant]

    endpoint = McpEndpoint(collections_of, security=security)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    app = FastAPI(lifespan=lifespan)
    app.router.routes.append(Route("/mcp", endpoint=endpoint))
    app.add_middleware(Tenants)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)  # a client may come before the server runs
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Engine]]:
    folder = tmp_path_factory.mktemp("tenants")
    opened = {}
    for tenant, text in TEXTS.items():
        (folder / f"{tenant}.md").write_text(text, encoding="utf-8")
        opened[tenant] = open_engine(data_dir=folder / tenant)
        opened[tenant].add([folder / f"{tenant}.md"])
    yield opened
    for engine in opened.values():
        engine.close()


@pytest.fixture(scope="module")
def server(engines: dict[str, Engine]) -> Iterator[Served]:
    with served({tenant: HeldCollections({"default": engine}) for tenant, engine in engines.items()}) as running:
        yield running


def call(tool: str, request_id: int = 1, **arguments: Any) -> dict[str, Any]:
    parameters = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": parameters}


def result_of(response: httpx2.Response) -> dict[str, Any]:
    """The reply in a stream of events."""
    assert response.status_code == 200, response.text
    (data,) = [line[6:] for line in response.text.splitlines() if line.startswith("data: {")][-1:]
    message: dict[str, Any] = json.loads(data)
    return message


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_each_tenant_is_answered_from_their_own_documents(server: Served, mode: str):
    async with server.client("ann", mode) as ann, server.client("bob", mode) as bob:
        for client, outcome in ((ann, "answered"), (bob, "abstained"), (ann, "answered")):
            answer = (await client.call_tool("ask", {"question": BOIL})).structured_content
            assert answer is not None
            assert answer["outcome"] == outcome
        found = (await bob.call_tool("search", {"query": "water boils"})).structured_content
        assert found is not None
        assert "Water" not in json.dumps(found)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_comes_while_the_answer_is_made(server: Served, mode: str):
    messages: list[str | None] = []

    async def report(_progress: float, _total: float | None, message: str | None) -> None:
        messages.append(message)

    async with server.client("ann", mode) as client:
        await client.call_tool("ask", {"question": BOIL}, progress_callback=report)
    assert "retrieve" in messages


async def test_a_request_without_a_key_is_not_reached(server: Served):
    response = await server.post(call("list_collections"), Authorization="Bearer key of nobody")
    assert response.status_code == 401


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Host": "127.0.0.1:80", "Origin": "http://evil.example"}, 403),
        ({"Host": "127.0.0.1:80", "Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Host": "127.0.0.1:80", "Origin": "null"}, 403),
        ({"Host": "localhost", "Origin": "http://localhost:3000"}, 200),
        ({"Host": "[::1]:80", "Origin": "http://[::1]"}, 200),
    ],
)
async def test_a_rebound_name_or_a_foreign_page_is_refused(
    server: Served, version: str, headers: dict[str, str], status: int
):
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    if version == "2026-07-28":
        stamp = "io.modelcontextprotocol/"
        asked["params"] = {"_meta": {f"{stamp}protocolVersion": version, f"{stamp}clientCapabilities": {}}}
        headers = {**headers, "Mcp-Method": "tools/list"}
    response = await server.post(asked, **headers, MCP_Protocol_Version=version)
    assert response.status_code == status, response.text
    if status == 200:
        assert "list_collections" in response.text


async def test_the_server_says_which_hosts_it_accepts(engines: dict[str, Engine]):
    own = TransportSecuritySettings(allowed_hosts=["assay.example"], allowed_origins=["https://assay.example"])
    with served({"ann": HeldCollections({"default": engines["ann"]})}, own) as running:
        for headers, status in (
            ({"Host": "assay.example", "Origin": "https://assay.example"}, 200),
            ({"Host": "assay.example", "Origin": "http://assay.example"}, 403),
            ({"Host": "localhost"}, 421),
        ):
            assert (await running.post(call("list_collections"), **headers)).status_code == status


async def test_bad_requests_are_refused_and_the_next_is_answered(server: Served):
    async def status(body: Any, **headers: str) -> int:
        return (await server.post(body, **headers)).status_code

    assert await status(b"") == 400
    assert await status(b"{") == 400
    assert await status(b"[" * 100_000) == 400
    assert await status([call("list_collections")]) == 400
    assert await status({"id": 1, "method": "tools/list"}) == 400
    assert await status(b"x" * (5 << 20)) == 413
    assert await status(call("list_collections"), Content_Type="text/plain") == 400
    assert await status(call("list_collections"), Accept="text/html") == 406
    assert await status(call("list_collections"), MCP_Protocol_Version="1999-01-01") == 400
    unknown = result_of(await server.post(call("delete")))
    assert unknown["error"]["code"] == -32602
    for wrong in ({}, {"question": ""}, {"question": 7}, {"question": "why " * 10_000}):
        told = result_of(await server.post(call("ask", **wrong)))["result"]
        assert told["isError"] is True
        assert told["structuredContent"]["error"]["hint"]
    async with httpx2.AsyncClient(headers={**LEGACY, **server.key("ann")}) as http:
        for method in ("GET", "DELETE", "PUT"):
            assert (await http.request(method, f"{server.url}/mcp")).status_code == 405
    assert "result" in result_of(await server.post(call("list_collections")))


@contextmanager
def endless(folder: Path) -> Iterator[tuple[Served, EndlessModel]]:
    """A server whose answers never end."""
    model = EndlessModel()
    (folder / "water.md").write_text(TEXTS["ann"], encoding="utf-8")
    with open_engine(data_dir=folder / "data", llm=model, deadline=3600) as engine:
        engine.add([folder / "water.md"])
        held = HeldCollections({"default": engine})
        with served({"ann": held, "bob": held}) as running:
            yield running, model


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_cancelled_call_ends_its_run(mode: str, tmp_path: Path):
    with endless(tmp_path) as (running, model):
        async with running.client("ann", mode) as client:
            asked = asyncio.create_task(client.call_tool("ask", {"question": BOIL}))
            assert await asyncio.to_thread(model.asked.wait, 60)
            asked.cancel()
            assert await asyncio.to_thread(model.ended.wait, 60)
            with pytest.raises(asyncio.CancelledError):
                await asked
            assert not (await client.call_tool("search", {"query": "water"})).is_error


async def test_a_client_that_goes_away_ends_its_run(tmp_path: Path):
    with endless(tmp_path) as (running, model):
        asked = asyncio.create_task(running.post(call("ask", question=BOIL)))
        assert await asyncio.to_thread(model.asked.wait, 60)
        asked.cancel()
        assert await asyncio.to_thread(model.ended.wait, 60)
        await asyncio.gather(asked, return_exceptions=True)


async def test_nobody_cancels_the_call_of_another(tmp_path: Path):
    with endless(tmp_path) as (running, model):
        session = "a session of ann"
        asked = asyncio.create_task(running.post(call("ask", 7, question=BOIL), Mcp_Session_Id=session))
        assert await asyncio.to_thread(model.asked.wait, 60)

        async def cancel(request_id: Any, tenant: str = "ann", **headers: str) -> None:
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}
            assert (await running.post(note, tenant, **headers)).status_code == 202

        await cancel(7)
        await cancel(7, Mcp_Session_Id="another session")
        await cancel(7, "bob", Mcp_Session_Id=session)
        for wrong in (8, "7", None, [7], {"id": 7}):
            await cancel(wrong, Mcp_Session_Id=session)
        assert "result" in result_of(await running.post(call("list_collections", 8), Mcp_Session_Id=session))
        assert not model.ended.is_set()
        await cancel(7, Mcp_Session_Id=session)
        assert await asyncio.to_thread(model.ended.wait, 60)
        assert result_of(await asked)["error"]["code"] == -32800


async def test_each_client_gets_a_session_of_its_own(server: Served):
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    async with httpx2.AsyncClient(headers={**ACCEPT, **server.key("ann")}) as http:
        begun = [await http.post(f"{server.url}/mcp", json=begin) for _ in range(2)]
    sessions = {response.headers["mcp-session-id"] for response in begun}
    assert len(sessions) == 2
    assert all(len(session) == 32 for session in sessions)
    # Later requests say which version they speak, and are given none.
    assert "mcp-session-id" not in (await server.post(call("list_collections"))).headers
