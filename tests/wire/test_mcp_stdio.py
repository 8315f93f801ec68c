"""`assay mcp` as the process that an agent's program starts: the official client, raw lines, signals."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from assay import open_engine
from assay.records.runs import RunStore

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
BOIL = "At how many degrees does water boil?"
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

Start = Callable[..., "subprocess.Popen[bytes]"]
Parameters = Callable[..., StdioServerParameters]


@pytest.fixture(scope="module")
def water(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one document in the collection `default`."""
    folder = tmp_path_factory.mktemp("water")
    (folder / "water.md").write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=folder / "data") as engine:
        engine.add([folder / "water.md"])
    return folder / "data"


@pytest.fixture
def parameters(program: list[str]) -> Parameters:
    """What the official client is told of a server over a data folder."""
    command, *arguments = program

    def over(data: Path, *flags: str) -> StdioServerParameters:
        environment = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        told = [*arguments, "mcp", "--data-dir", str(data), *flags]
        return StdioServerParameters(command=command, args=told, env=environment)

    return over


@pytest.fixture
def start(water: Path, program: list[str]) -> Iterator[Start]:
    """Start the program with pipes for a conversation by hand."""
    running: list[subprocess.Popen[bytes]] = []

    def started(*flags: str, data: Path = water) -> subprocess.Popen[bytes]:
        command = [*program, "mcp", "--data-dir", str(data), *flags]
        pipe = subprocess.PIPE
        running.append(
            subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=water, start_new_session=True)
        )
        return running[-1]

    yield started
    for process in running:
        process.kill()
        with process:  # closes its pipes
            process.wait()


def say(process: subprocess.Popen[bytes], *messages: dict[str, Any] | bytes) -> None:
    assert process.stdin is not None
    for message in messages:
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        process.stdin.write(line + b"\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    message: dict[str, Any] = json.loads(process.stdout.readline())
    return message


def handshake(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    say(process, {"id": 0, "method": "initialize", "params": INITIALIZE})
    reply = hear(process)
    say(process, {"method": "notifications/initialized"})
    return reply


def endless(folder: Path) -> tuple[str, ...]:
    """Flags for a model that replies after an hour."""
    script = folder / "slow.json"
    script.write_text('[{"role": "writer", "reply": "Water boils [1].", "delay": 3600}]')
    return "--model", f"fake:{script}", "--deadline", "3600"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_asks_and_reads_the_source(mode: str, water: Path, parameters: Parameters):
    async with Client(parameters(water), mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "assay"
        answer = (await client.call_tool("ask", {"question": BOIL})).structured_content
        assert answer is not None
        assert (answer["outcome"], answer["verified"]) == ("answered", True)
        (source,) = answer["sources"]
        place = {name: source[name] for name in ("document_id", "start", "end")}
        excerpt = (await client.call_tool("get_source", place)).structured_content
        assert excerpt is not None
        assert source["quote"] in excerpt["text"]
        listed = (await client.call_tool("list_collections", {})).structured_content
        assert listed == {"collections": [{"name": "default", "documents": 1, "version": 1}], "default": "default"}


async def test_a_text_is_checked_where_there_is_no_collection(tmp_path: Path, parameters: Parameters):
    async with Client(parameters(tmp_path / "data")) as client:
        listed = (await client.call_tool("list_collections", {})).structured_content
        assert listed == {"collections": [], "default": "default"}
        arguments = {"text": "The kettle is red.", "sources": ["The kettle is red."]}
        review = (await client.call_tool("check", arguments)).structured_content
        assert review is not None
        assert review["verdict"] == "supported"
        result = await client.call_tool("ask", {"question": BOIL})
        assert result.is_error
        assert result.structured_content is not None
        assert result.structured_content["error"]["kind"] == "UnknownCollection"


async def test_the_flags_are_those_of_ask(water: Path, tmp_path: Path, parameters: Parameters):
    script = tmp_path / "script.json"
    script.write_text('[{"role": "writer", "reply": "Water boils at 100 degrees Celsius at sea level [1]."}]')
    flags = ("--collection", "default", "--model", f"fake:{script}", "--outside", "wikipedia")
    async with Client(parameters(water, *flags)) as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert {name for name, hint in hints.items() if hint and hint.open_world_hint} == {"ask", "judge"}
        answer = (await client.call_tool("ask", {"question": BOIL})).structured_content
        assert answer is not None
        assert answer["text"] == "Water boils at 100 degrees Celsius at sea level. [1]"


async def test_a_cancelled_call_ends_its_run(water: Path, tmp_path: Path, parameters: Parameters):
    writing = asyncio.Event()

    async def report(_progress: float, _total: float | None, message: str | None) -> None:
        if message == "write":
            writing.set()

    async with Client(parameters(water, *endless(tmp_path))) as client:
        call = asyncio.create_task(client.call_tool("ask", {"question": BOIL}, progress_callback=report))
        await writing.wait()
        call.cancel()
        store = RunStore(water / "runs.sqlite")
        while not (runs := [run for run in store.latest() if run.outcome == "error"]):
            await asyncio.sleep(0.05)
        assert store.load(runs[0].run_id).events[-1].body["error"] == "CancelledError"
        store.close()
        # The server goes on.
        assert (await client.call_tool("search", {"query": "water"})).structured_content is not None


def test_standard_output_carries_the_protocol_alone(start: Start):
    process = start()
    reply = handshake(process)
    assert reply["result"]["serverInfo"]["name"] == "assay"
    assert "tools" in reply["result"]["capabilities"]
    say(
        process,
        b"this is no JSON",
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "_meta": {"\\ud800": 1}}}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "\\udfff"}}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "check", "arguments": "text"}}',
        b'{"jsonrpc": "2.0", "id": 4, "method": "no/such/method"}',
        b"[" * 10_000,
        b"\xff\xfe",
    )
    say(process, {"id": 5, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": BOIL}}})
    heard = {}
    while 5 not in heard:
        message = hear(process)
        assert message["jsonrpc"] == "2.0"
        heard[message.get("id")] = message
    assert heard[5]["result"]["structuredContent"]["outcome"] == "answered"
    assert heard[4]["error"]["code"] == -32601
    assert process.stdin is not None
    process.stdin.close()
    assert process.stdout is not None
    assert process.stdout.read() == b""
    assert process.wait() == 0


def test_the_end_of_standard_input_ends_a_call_under_way(start: Start, tmp_path: Path):
    process = start(*endless(tmp_path))
    handshake(process)
    call = {"name": "ask", "arguments": {"question": BOIL}, "_meta": {"progressToken": 1}}
    say(process, {"id": 1, "method": "tools/call", "params": call})
    while hear(process)["params"]["message"] != "write":
        pass
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait() == 0


def test_a_client_that_reads_no_more_ends_it(start: Start):
    process = start()
    handshake(process)
    assert process.stdout is not None
    process.stdout.close()
    say(process, {"id": 1, "method": "tools/list"})
    assert process.wait(timeout=60) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(start: Start, sent: signal.Signals):
    process = start()
    handshake(process)
    os.killpg(process.pid, sent)
    # Its standard input stays open, as a terminal does.
    assert process.wait(timeout=60) == (130 if sent is signal.SIGINT else -signal.SIGTERM)
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()


def test_wrong_settings_are_told_before_anything_is_served(start: Start):
    for flags, told in (
        (("--k", "0"), b"k"),
        (("-c", "../x"), b"collection"),
        (("--nonsense",), b"no such option"),
    ):
        process = start(*flags)
        out, err = process.communicate()
        assert (out, process.returncode) == (b"", 2)
        assert told in err.lower()


def test_without_the_sdk_the_command_to_install_it_is_named():
    program = "import sys\nsys.modules['mcp'] = None\nfrom assay.cli import run\nsys.exit(run(['mcp']))\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert 'pip install ".[mcp]"' in done.stderr
    assert done.stdout == ""


def test_to_be_listed_needs_no_engine():
    program = """
import sys
import assay.mcp_server.local
print([name for name in ("onnxruntime", "faiss", "assay.wiring", "assay.engine") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
