"""What becomes of hostile files that are uploaded, and of the server meanwhile.

    .venv/bin/python benchmarks/serve/hostile.py

Uploads every file of `docs/hostile` in `ASSAY_BENCH_DATA` (default `../shared/data`), five in a request, and asks
for /healthz four times a second until all have been taken in. Bars: each file is added, or skipped or failed with a
reason and a hint; /healthz answers within a second; the server's own memory grows by at most 1,024 MiB, the limit
of one file in the sandbox; a question is answered afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))
from server_process import Serve, Server, server_process, upload

from report import data_folder, write_result

IN_A_REQUEST = 5
EVERY = 0.25
WATER = b"# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"


@dataclass(slots=True)
class Watch:
    """How the server was while it was watched: seconds of each health check, bytes of memory at most."""

    seconds: list[float] = field(default_factory=list)
    unhealthy: int = 0
    most_bytes: int = 0

    @contextmanager
    def over(self, server: Server) -> Iterator[None]:
        """Watch the server as long as the block lasts."""
        ended = threading.Event()
        watching = threading.Thread(target=self._watch, args=(server, ended))
        watching.start()
        try:
            yield
        finally:
            ended.set()
            watching.join()

    def _watch(self, server: Server, ended: threading.Event) -> None:
        with server.client() as client:
            while not ended.wait(EVERY):
                begun = time.perf_counter()
                try:
                    self.unhealthy += client.get("/healthz").status_code != 200
                except httpx2.TransportError:
                    self.unhealthy += 1
                self.seconds.append(time.perf_counter() - begun)
                self.most_bytes = max(self.most_bytes, server.resident_bytes)


def is_explained(file: dict[str, Any]) -> bool:
    """Whether what became of a file is one of the outcomes, with what a person needs to know."""
    if file["status"] in ("added", "unchanged"):
        return bool(file["document_id"]) and file["passages"] > 0
    return file["status"] in ("skipped", "failed") and bool(file["reason"]) and bool(file["hint"])


def measure(folder: Path, paths: Sequence[Path], serve: Serve = server_process) -> dict[str, Any]:
    """The figures."""
    watch, files = Watch(), list[dict[str, Any]]()
    with serve(folder, {}) as server, server.client() as client:
        upload(client, {"water.md": WATER})
        client.post("/api/v1/search", json={"query": "water"}).raise_for_status()
        before = server.resident_bytes
        begun = time.perf_counter()
        with watch.over(server):
            for at in range(0, len(paths), IN_A_REQUEST):
                batch = paths[at : at + IN_A_REQUEST]
                files += upload(client, {path.name: path.read_bytes() for path in batch})["files"]
            listed = client.get("/api/v1/documents").raise_for_status().json()
        seconds = time.perf_counter() - begun
        question = {"question": "At how many degrees does water boil?"}
        answered = client.post("/api/v1/ask", json=question).json()["outcome"]
    unexplained = [file for file in files if not is_explained(file)]
    return {
        "files": len(paths),
        "outcomes": dict(Counter(file["status"] for file in files)),
        "reasons": {file["name"]: file["reason"] for file in files if file["reason"]},
        "unexplained": len(unexplained) + len(paths) - len(files),
        "unexplained_first": unexplained[:5],
        "documents_listed": listed["total"],
        "health_checks": len(watch.seconds),
        "unhealthy": watch.unhealthy,
        "healthz_seconds_longest": round(max(watch.seconds), 3),
        "memory_mib_more": round((watch.most_bytes - before) / 2**20),
        "seconds": round(seconds, 1),
        "outcome_of_a_question_afterwards": answered,
        "bars": {"unexplained": 0, "unhealthy": 0, "healthz_seconds_longest": 1.0, "memory_mib_more": 1024},
    }


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matching", default="*", help="only files whose name fits this pattern")
    matching = parser.parse_args().matching
    paths = sorted(path for path in (data_folder() / "docs" / "hostile").glob(matching) if path.is_file())
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder) / "data", paths)
    if matching == "*":
        write_result("serve", "hostile", result)
    else:
        print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
