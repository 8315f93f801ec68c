"""The official MCP client against the server: the tenant's own collections, and nothing without a key."""

from __future__ import annotations

from pathlib import Path

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from assay import open_engine
from assay.server.settings import ServerSettings
from support.served import serving

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level.\n"


async def test_an_agent_asks_the_collections_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "water.md").write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([tmp_path / "water.md"])
    with serving(ServerSettings(engine={"data_dir": tmp_path / "data"})) as server:
        async with Client(f"{server.address}/mcp") as client:
            listed = await client.call_tool("list_collections", {})
            answer = await client.call_tool("ask", {"question": "At how many degrees does water boil?"})
    assert listed.structured_content is not None
    assert [row["name"] for row in listed.structured_content["collections"]] == ["default"]
    assert answer.structured_content is not None
    assert "100 degrees" in answer.structured_content["text"]


async def test_an_agent_with_a_key_sees_the_collections_of_its_tenant(tmp_path: Path) -> None:
    (tmp_path / "water.md").write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([tmp_path / "water.md"])
    with serving(ServerSettings(engine={"data_dir": tmp_path / "data"})) as server:
        _, text = server.service.keys.create(name="agent", tenant="acme")
        headers = {"authorization": f"Bearer {text}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{server.address}/mcp", http_client=http)) as client,
        ):
            listed = await client.call_tool("list_collections", {})
        with server.client() as without:
            refused = without.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert listed.structured_content is not None
    assert listed.structured_content["collections"] == []
    assert refused.status_code == 401
