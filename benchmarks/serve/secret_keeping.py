"""Whether a secret that the server knows, or is sent, stands anywhere but where it was given.

    .venv/bin/python benchmarks/serve/secret_keeping.py

Twelve secrets: keys of five services, a password and a user name in the address of a service, a DSN in a variable
that is none of assay's, an API key of the server, one that is wrong, one in another header, one in a query. The
service of the models repeats in its refusals what it was sent, as some do. Looked through are every response, the
log at its lowest level, every file of the data folder, the title of the process, the metrics, the page, the API's
description, and what the command line shows of the settings. Bar: 0 hits, of a whole secret or of twelve letters in
a row of it.
"""

from __future__ import annotations

import json
import os
import secrets as random_secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))
from server_process import ROOT, ServerProcess, new_key, server_process, upload

from report import write_result

WATER = b"# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = "At how many degrees does water boil?"
REFUSED = "How much does the refusal weigh?"
# Letters of a secret in a row that count as a hit; what is shown of a key to its owner is shorter.
_LETTERS = 12


def new_secrets() -> dict[str, str]:
    """A secret for each place that has one; the API key is made later, by the server's own means."""
    places = (
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "BRAVE_API_KEY", "TAVILY_API_KEY", "user",
        "password", "dsn", "wrong key", "header", "query",
    )  # fmt: skip
    return {place: f"sk-{random_secrets.token_hex(16)}" for place in places}


class _Service(BaseHTTPRequestHandler):
    """Models of OpenAI's kind: a reply, or a refusal that repeats the key and the address."""

    def do_POST(self) -> None:
        """Answer."""
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if REFUSED in body:
            said = f"Incorrect key: {self.headers['authorization']}, asked {self.path}"
            self._send(401, json.dumps({"error": {"message": said, "type": "invalid_request_error"}}), "json")
        elif json.loads(body).get("stream"):
            deltas: list[dict[str, Any]] = [{"content": "Water boils at 100 degrees Celsius at sea level [1]."}, {}]
            chunks = [
                {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]}
                for delta in deltas
            ]  # fmt: skip
            events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
            self._send(200, f"{events}data: [DONE]\n\n", "event-stream")
        else:
            choice = {"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}
            reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            self._send(200, json.dumps(reply), "json")

    def _send(self, status: int, body: str, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", f"{'text' if kind == 'event-stream' else 'application'}/{kind}")
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_given: Any) -> None:
        """Nothing."""


@contextmanager
def service() -> Iterator[int]:
    """The port of a running service of models."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@dataclass(slots=True)
class Search:
    """The secrets, what was looked through, and where one was found."""

    secrets: Mapping[str, str]
    looked: dict[str, int] = field(default_factory=dict)
    hits: list[str] = field(default_factory=list)

    def look(self, kind: str, place: str, data: bytes) -> None:
        """Look through the bytes of an artefact."""
        self.looked[kind] = self.looked.get(kind, 0) + 1
        for name, secret in self.secrets.items():
            # The first letters of an API key are its id, which is shown.
            own = secret.rpartition("_")[2].removeprefix("sk-")
            parts = {own[at : at + _LETTERS].encode() for at in range(len(own) - _LETTERS + 1)}
            if any(part in data for part in parts):
                self.hits.append(f"{name} in {place}")

    def response(self, response: httpx2.Response) -> None:
        """Look through a response."""
        head = b"\n".join(name + b": " + value for name, value in response.headers.raw)
        place = f"{response.request.method} {response.request.url.path}: {response.status_code}"
        self.look("responses", place, head + response.content)


def ask_everything(client: httpx2.Client, search: Search, secrets: Mapping[str, str]) -> None:
    """Send requests of every kind, some with secrets in places where none belongs."""
    upload(client, {"water.md": WATER})
    stream = {"accept": "text/event-stream"}
    for question in (QUESTION, REFUSED):
        search.response(client.post("/api/v1/ask", json={"question": question}))
        balanced = {"question": question, "options": {"profile": "balanced"}}
        search.response(client.post("/api/v1/ask", json=balanced, headers=stream))
        messages = [{"role": "user", "content": question}]
        search.response(client.post("/v1/chat/completions", json={"model": "default", "messages": messages}))
    for run in client.get("/api/v1/runs").json()["runs"]:
        for part in ("", "/events", "/report"):
            search.response(client.get(f"/api/v1/runs/{run['run_id']}{part}"))
        search.response(client.post(f"/api/v1/runs/{run['run_id']}/replay", json={"settings": {"k": 3}}))
    places = (
        "settings", "doctor", "keys", "rules", "figures", "labels", "review", "collections", "documents", "jobs",
        "nothing",
    )  # fmt: skip
    for path in (
        *(f"/api/v1/{place}" for place in places),
        "/metrics",
        "/openapi.json",
        "/",
        "/healthz",
        "/readyz",
    ):
        search.response(client.get(path))
    wrong = {"authorization": f"Bearer {secrets['wrong key']}"}
    others = {"x-auth": secrets["header"], "cookie": f"session={secrets['header']}", "proxy-authorization": "x"}
    for path in ("/api/v1/runs", "/v1/models", "/metrics", "/api/v1/nothing"):
        search.response(client.get(path, headers=wrong))
        search.response(client.get(path, headers=others))
        search.response(client.get(path, params={"api_key": secrets["query"]}))
    search.response(client.post("/api/v1/ask", content=b"{", headers=others, params={"key": secrets["query"]}))
    search.response(client.get("/api/v1/runs", headers={"authorization": f"Basic {secrets['wrong key']}"}))


def read_artefacts(search: Search, server: ServerProcess, environment: Mapping[str, str]) -> None:
    """Look through what the server wrote, and what others can see of it."""
    search.look("log", "the log", server.log.read_bytes())
    process = Path(f"/proc/{server.pid}")
    search.look("process", "the title of the process", (process / "cmdline").read_bytes())
    for thread in (process / "task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended since
            search.look("process", "the name of a thread", (thread / "comm").read_bytes())
    for path in server.folder.rglob("*"):
        if path.is_file():
            search.look("files", f"the file {path.name}", path.read_bytes())
    for path in (ROOT / "src" / "assay" / "server" / "page").rglob("*.*"):
        search.look("page", f"the page's {path.name}", path.read_bytes())
    for command in (["config", "show"], ["config", "show", "--json"]):
        folder = ["--data-dir", str(server.folder)]
        shown = subprocess.run(
            [sys.executable, "-m", "assay", *command, *folder],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment},
        )
        search.look("commands", f"assay {' '.join(command)}", shown.stdout + shown.stderr)


def measure(folder: Path) -> dict[str, Any]:
    """The figures."""
    secrets = new_secrets()
    secrets["API key"] = new_key(folder, "default")
    search = Search(secrets)
    with service() as port:
        environment = {
            **{name: secret for name, secret in secrets.items() if name.endswith("_API_KEY")},
            "ASSAY_MODEL": "openai:gpt-5-mini",
            "ASSAY_RETRY_SECONDS": "0.05",
            "OPENAI_BASE_URL": f"http://{secrets['user']}:{secrets['password']}@127.0.0.1:{port}/v1",
            "DATABASE_URL": f"postgres://assay:{secrets['dsn']}@db.example/assay",
        }
        with (
            server_process(folder, environment) as server,
            server.client(secrets["API key"]) as client,
        ):
            ask_everything(client, search, secrets)
            read_artefacts(search, server, environment)
            control = Search(secrets)
            control.look("control", "the environment", Path(f"/proc/{server.pid}/environ").read_bytes())
    return {
        "secrets": len(secrets),
        "looked_through": search.looked,
        "hits": len(search.hits),
        "where": sorted(set(search.hits)),
        "found_where_they_were_given": len(control.hits),
        "bars": {"hits": 0},
    }


def main() -> None:
    """Print the figures and keep them in results/."""
    with tempfile.TemporaryDirectory() as folder:
        write_result("serve", "secret_keeping", measure(Path(folder) / "data"))


if __name__ == "__main__":
    main()
