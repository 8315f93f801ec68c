"""Use an installed assay as its users do; run by the Python that it is installed in, away from the repository.

    cd / && CLEAN/bin/python -I deploy/try_wheels.py questions|server

`questions` needs no extra: it adds a file, asks, and examines the installation. `server` needs the extra `serve`.
Ends with 1 where something does not work, and says what. The standard library is all it imports.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("assay")
TEXT = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = "At how many degrees does water boil?"
EXPECTED = "100 degrees"
# Seconds in which a server must be ready, however busy the machine is.
PATIENCE = 120.0


class Fault(Exception):
    """Something that does not work as installed."""


def expect(condition: bool, what: str) -> None:
    """Print what works, or raise Fault."""
    if not condition:
        raise Fault(what)
    print(f"ok: {what}")


def environment(folder: Path) -> dict[str, str]:
    """The environment of the programs: nothing of the repository, and every file in a folder of its own."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "ASSAY_DATA_DIR": str(folder / "data"), "LANG": "C.UTF-8"}


def run(folder: Path, *arguments: str) -> str:
    """What the program prints. Raises Fault where it fails."""
    done = subprocess.run(
        [PROGRAM, *arguments], env=environment(folder), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Fault(f"assay {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def add_sample(folder: Path) -> None:
    """Add the sample document."""
    sample = folder / "water.md"
    sample.write_text(TEXT, encoding="utf-8")
    run(folder, "add", str(sample))


def try_questions(folder: Path) -> None:
    """The library and the command line without any extra."""
    import assay

    place = Path(assay.__file__)
    expect(place.is_relative_to(sys.prefix), f"assay is imported from the environment: {place.parent}")
    expect(run(folder, "--version").strip() == f"assay {assay.__version__}", "assay --version names the version")
    add_sample(folder)
    answer = json.loads(run(folder, "ask", QUESTION, "--json"))
    expect(EXPECTED in answer["text"] and answer["verdict"] == "supported", "a question is answered and supported")
    expect(bool(run(folder, "doctor")), "assay doctor finds nothing that fails")
    with assay.open_engine(data_dir=folder / "data") as engine:
        expect(EXPECTED in engine.ask(QUESTION).text, "the library answers the same question")


def try_server(folder: Path) -> None:
    """`assay serve`, the page, and `assay mcp`."""
    add_sample(folder)
    with serving(folder) as address:
        expect(get(f"{address}/healthz")["status"] == "ok", "/healthz answers")
        expect(get(f"{address}/readyz")["status"] == "ok", "/readyz answers")
        answer = get(f"{address}/api/v1/ask", {"question": QUESTION})
        expect(EXPECTED in answer["text"], "a question over HTTP is answered")
        page = read(f"{address}/").decode()
        expect(
            "<title>" in page and b"import" in read(f"{address}/static/js/main.js"),
            "the page and its scripts are there",
        )
        expect(b"assay_answers_total" in read(f"{address}/metrics"), "/metrics counts")
    expect("ask" in mcp_tools(folder), "assay mcp lists its tools")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server on a free port, configured by the environment as in deploy/; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, begun = f"http://127.0.0.1:{port}", time.monotonic()
    with subprocess.Popen([PROGRAM, "serve"], env={**environment(folder), "ASSAY_SERVE_PORT": str(port)}) as server:
        try:
            while not is_up(f"{address}/healthz"):
                if server.poll() is not None or time.monotonic() - begun > PATIENCE:
                    raise Fault("assay serve did not start")
                time.sleep(0.05)
            yield address
        finally:
            server.terminate()
    expect(server.returncode in (0, -15), "assay serve stops when it is told to")


def mcp_tools(folder: Path) -> list[str]:
    """The names of the tools that `assay mcp` offers over standard input and output."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "trial", "version": "1"}}
    command = [PROGRAM, "mcp"]
    with subprocess.Popen(
        command, env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:

        def send(method: str, **more: object) -> None:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}) + "\n")
            server.stdin.flush()

        send("initialize", id=1, params=client)
        server.stdout.readline()
        send("notifications/initialized")
        send("tools/list", id=2)
        reply = json.loads(server.stdout.readline())
        server.stdin.close()
    return [str(tool["name"]) for tool in reply["result"]["tools"]]


def is_up(address: str) -> bool:
    """Whether there is an answer."""
    try:
        read(address)
    except OSError:
        return False
    return True


def read(address: str, body: dict[str, str] | None = None) -> bytes:
    """The body of a response; with `body`, of a POST of it as JSON. Raises OSError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return bytes(response.read())


def get(address: str, body: dict[str, str] | None = None) -> dict[str, str]:
    """The JSON of a response."""
    return dict(json.loads(read(address, body)))


def main() -> int:
    trial = {"questions": try_questions, "server": try_server}[sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            trial(Path(folder))
        except Fault as fault:
            print(f"failed: {fault}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
