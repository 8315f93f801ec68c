"""A Hugging Face hub on this machine, as far as fetching files goes: models are folders under their names."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """`models` are folders by ORG/NAME, each at the revision `main`; `asked` are the requests, in order.

    `lies` are files whose hash the hub gets wrong; `failing` makes it answer 500. `tokens` are what was sent.
    """

    url: str = ""
    models: dict[str, Path] = field(default_factory=dict)
    lies: set[str] = field(default_factory=set)
    failing: bool = False
    asked: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    @property
    def fetched(self) -> set[str]:
        """The files that were sent."""
        return {each.split("/resolve/")[1].partition("/")[2] for each in self.asked if each.startswith("GET /org")}


@contextmanager
def serving() -> Iterator[Hub]:  # noqa: C901 - one server, told in one place
    """The hub, while the block runs."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self) -> None:
            path = urlsplit(self.path).path
            hub.asked.append(f"{self.command} {path}")
            hub.tokens += [self.headers["authorization"]] if self.headers["authorization"] else []
            if hub.failing:
                self._send(500, b"{}")
            elif path.startswith("/api/models/"):
                self._list(*path.removeprefix("/api/models/").split("/revision/"))
            elif "/resolve/" in path:
                name, _, rest = path.removeprefix("/").partition("/resolve/")
                self._file(hub.models[name] / rest.partition("/")[2])
            else:
                self._send(404, b"{}")

        def _list(self, name: str, revision: str) -> None:
            if name not in hub.models:
                self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
                return
            if revision != "main":
                self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
                return
            files = sorted(each for each in hub.models[name].rglob("*") if each.is_file())
            siblings = [self._sibling(each, each.relative_to(hub.models[name]).as_posix()) for each in files]
            self._send(200, json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode())

        def _sibling(self, path: Path, name: str) -> dict[str, object]:
            said: dict[str, object] = {"rfilename": name, "size": path.stat().st_size, "blobId": "0" * 40}
            if path.suffix != ".json":
                digest = "0" * 64 if name in hub.lies else hashlib.sha256(path.read_bytes()).hexdigest()
                said["lfs"] = {"sha256": digest, "size": path.stat().st_size, "pointerSize": 100}
            return said

        def _file(self, path: Path) -> None:
            if not path.is_file():
                self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
                return
            body = path.read_bytes()
            etag = hashlib.sha256(body).hexdigest()
            self._send(200, body, {"X-Repo-Commit": COMMIT, "ETag": f'"{etag}"'})

        def _send(self, code: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(code)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
