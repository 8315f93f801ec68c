"""A service before another one that keeps its replies in a folder, so that a run that was broken off goes on.

The code of a prompt's fences is drawn anew each time; here it is always the same, and the reply is given the
prompt's own. So a second run reads what the first one read, the model is asked only what is asked in other words,
and its cache of prompts that begin alike is of use.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# The line that opens a fence: a name and 32 hex digits, of which headers within it repeat eight.
_FENCE = re.compile(r"<[a-z]+ ([0-9a-f]{32})>")
_CODE = "5b7d04e19ac8f6323e60d1b94f8a27c5"
_SHORT = 8
PATIENCE = 3600.0


@contextmanager
def kept(url: str, folder: Path) -> Iterator[str]:
    """The base URL of a service that asks the one at `url` what the folder does not hold yet."""
    folder.mkdir(parents=True, exist_ok=True)
    bound = type("Bound", (_Handler,), {"url": url, "folder": folder})
    with ThreadingHTTPServer(("127.0.0.1", 0), bound) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    url: str
    folder: Path

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        streamed = body.pop("stream", False)
        body.pop("stream_options", None)
        try:
            reply = self._reply(body)
        except HTTPError as error:
            self._send(error.code, "application/json", error.read())
            return
        if streamed:
            self._send(200, "text/event-stream", _as_stream(reply))
        else:
            self._send(200, "application/json", json.dumps(reply).encode())

    def _reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request, its fences with this request's code."""
        text = json.dumps(body, sort_keys=True)
        found = _FENCE.search(text)
        code = found[1] if found else _CODE
        data = _put(text, code, _CODE).encode()
        path = self.folder / f"{hashlib.sha256(data).hexdigest()}.json"
        if not path.is_file():
            request = Request(f"{self.url}/chat/completions", data, {"Content-Type": "application/json"})  # noqa: S310 - a server of the benchmark's own
            with urlopen(request, timeout=PATIENCE) as response:  # noqa: S310
                path.write_bytes(response.read())
        reply: dict[str, Any] = json.loads(_put(path.read_text(encoding="utf-8"), _CODE, code))
        return reply

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a benchmark prints its own progress."""


def _put(text: str, code: str, other: str) -> str:
    return text.replace(code, other).replace(code[:_SHORT], other[:_SHORT])


def _as_stream(reply: dict[str, Any]) -> bytes:
    """The same reply as the events of a stream."""
    choice = reply["choices"][0]
    shared = {
        "id": reply["id"],
        "object": "chat.completion.chunk",
        "created": reply["created"],
        "model": reply["model"],
    }
    said = {
        "index": 0,
        "delta": {"role": "assistant", "content": choice["message"]["content"]},
        "finish_reason": None,
    }
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    parts = [{"choices": [said]}, {"choices": [end]}, {"choices": [], "usage": reply["usage"]}]
    lines = [f"data: {json.dumps(shared | each)}\n\n" for each in parts]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()
