"""A question back offers its choices on every surface."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest
from mcp.client import Client as McpClient

from assay import open_engine
from assay.client import Client
from assay.server.settings import ServerSettings
from support.served import Served, events_of, serving

MANUALS = {
    "x200.md": "# Kestrel X200 manual\n\nThe warranty of the Kestrel X200 is two years.\n",
    "k5.md": "# Kestrel K5 manual\n\nThe warranty of the Kestrel K5 is three years.\n",
}
QUESTION = "What does the manual say of theft?"
CHOICES = ["Kestrel K5 manual", "Kestrel X200 manual"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("data")
    for name, text in MANUALS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([folder / name for name in MANUALS])
    with serving(ServerSettings(engine={"data_dir": folder, "ask_back": True})) as server:
        yield server


def test_over_http_they_are_a_field_of_the_answer_and_of_the_stream_and_the_record(served: Served):
    with served.client() as client:
        answer = client.post("/api/v1/ask", json={"question": QUESTION}).json()
        stream = client.post(
            "/api/v1/ask", json={"question": QUESTION}, headers={"accept": "text/event-stream"}
        ).text
        recorded = client.get(f"/api/v1/runs/{answer['run_id']}").json()
        certain = client.post(
            "/api/v1/ask", json={"question": "How long is the warranty of the Kestrel K5?"}
        ).json()
    assert (answer["outcome"], sorted(answer["choices"])) == ("clarify", CHOICES)
    assert all(f"“{choice}”" in answer["text"] for choice in answer["choices"])
    assert events_of(stream)[-1]["answer"]["choices"] == answer["choices"]
    assert recorded["events"][-1]["body"]["answer"]["choices"] == answer["choices"]
    assert (certain["outcome"], certain["choices"]) == ("answered", [])


def test_the_client_gives_them(served: Served):
    with Client(served.address) as client:
        assert sorted(client.ask(QUESTION).choices) == CHOICES


@pytest.mark.parametrize("streamed", [False, True])
def test_openai_s_clients_get_them_in_the_field_of_its_own(served: Served, streamed: bool):
    messages = [{"role": "user", "content": QUESTION}]
    with openai.OpenAI(base_url=f"{served.address}/v1", api_key="none", max_retries=0) as client:
        reply = client.chat.completions.create(model="default", messages=messages, stream=streamed)  # type: ignore[call-overload]
        found = [chunk.assay for chunk in reply if hasattr(chunk, "assay")] if streamed else [reply.assay]
    assert [sorted(one["choices"]) for one in found] == [CHOICES]


async def test_agents_get_them_as_data_and_as_text(served: Served):
    async with McpClient(f"{served.address}/mcp") as client:
        answer = await client.call_tool("ask", {"question": QUESTION})
    assert answer.structured_content is not None
    assert sorted(answer.structured_content["choices"]) == CHOICES
    [content] = answer.content
    assert "Ask again with one of:\n- Kestrel" in content.text  # type: ignore[union-attr]
