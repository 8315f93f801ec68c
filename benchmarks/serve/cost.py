"""What the server adds to a question: the same questions by the library and over HTTP, in turns, medians.

    .venv/bin/python benchmarks/serve/cost.py

Both answer from examples/library, each question for the second time, so that what they share (what the networks
read) costs both nothing. Bar: at most 3 ms a question.
"""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay import open_engine
from report import ROOT, write_result

PROGRAM = str(Path(sys.executable).with_name("assay"))
QUESTIONS = (
    "What does a lost card cost?",
    "Who designed the building?",
    "How long are books lent?",
    "How many items may a member borrow?",
    "Is the library open on Mondays?",
    "Does the library lend bicycles?",
)
ROUNDS = 30


def wait_ready(address: str) -> None:
    """Wait until the server answers."""
    for _ in range(900):
        with suppress(OSError), urllib.request.urlopen(f"{address}/readyz") as response:  # noqa: S310 - loopback
            if response.status == 200:
                return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def main() -> None:
    """Print the medians and keep them in results/."""
    import http.client

    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        with open_engine(data_dir=folder) as engine:
            engine.add([ROOT / "examples" / "library"])
            server = subprocess.Popen(
                [PROGRAM, "serve", "--data-dir", folder, "--port", str(port)], stderr=subprocess.DEVNULL
            )
            try:
                wait_ready(f"http://127.0.0.1:{port}")
                connection = http.client.HTTPConnection("127.0.0.1", port)

                def over_http(question: str) -> None:
                    body = json.dumps({"question": question})
                    connection.request("POST", "/api/v1/ask", body, {"Content-Type": "application/json"})
                    assert json.loads(connection.getresponse().read())["schema"] == "assay/1"

                taken: dict[str, list[float]] = {"library": [], "http": []}
                for turn in range(ROUNDS + 1):
                    for question in QUESTIONS:
                        for name, ask in (("library", engine.ask), ("http", over_http)):
                            started = time.perf_counter()
                            ask(question)
                            if turn:
                                taken[name].append(1000 * (time.perf_counter() - started))
            finally:
                server.terminate()
                server.wait(30)
    medians = {f"{name}_ms": statistics.median(values) for name, values in taken.items()}
    result = {
        **medians,
        "server_adds_ms": medians["http_ms"] - medians["library_ms"],
        "questions": len(taken["http"]),
    }
    print(json.dumps(result, indent=1))
    write_result("serve", "cost", result)


if __name__ == "__main__":
    main()
