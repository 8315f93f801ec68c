"""The server as a process of its own, with everything that it logs in a file."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from assay.server.api_key import Cost, Scope
from assay.server.keys import KeyStore
from assay.server.stores import store_of
from assay.settings import load_settings

ROOT = Path(__file__).parents[2]
# Seconds for what always comes, however busy the machine is; a megabyte of text takes minutes there.
PATIENCE = 600.0
# The program with the log of every library at its lowest level; that of markdown_it only traces its own rules.
_LOGGED = (
    "import logging; logging.basicConfig(level=logging.DEBUG); logging.getLogger('markdown_it').setLevel('INFO'); "
    "from assay.cli import main; main()"
)
# Keys are hashed slowly for the sake of those who lose the file; here nobody does.
_CHEAP = Cost(n=2, r=1, p=1)
PATIENT = {"ASSAY_DEADLINE": "100"}
_EVERYTHING = ("--requests-per-minute", "10000000", "--answering", "1000", "--answering-per-key", "1000")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its data folder, its address, the file of its log, the id of its process."""

    folder: Path
    address: str
    log: Path
    pid: int

    def client(self, key: str | None = None, **more: Any) -> httpx2.Client:
        """A client of the server, with a key if one is given."""
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        return httpx2.Client(base_url=self.address, timeout=PATIENCE, headers=headers, **more)

    @property
    def resident_bytes(self) -> int:
        """Its resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def descriptors(self) -> int:
        """How many files and sockets it has open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    @property
    def threads(self) -> int:
        """How many threads it has."""
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))


# Runs a server over a data folder, under settings by their variables.
Serve = Callable[[Path, Mapping[str, str]], AbstractContextManager[Server]]


@dataclass(frozen=True, slots=True)
class ServerProcess(Server):
    """A server in a process of its own."""

    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def terminate(self) -> float:
        """End it by SIGTERM; the seconds until it has ended."""
        begun = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        return time.perf_counter() - begun


@contextmanager
def server_process(folder: Path, environment: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
    """Run `assay serve` over a data folder, ready when the block begins, ended when it ends.

    `environment` has settings by their variables; `ASSAY_DEADLINE` is 100 unless it is there.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", _LOGGED, "serve", "--data-dir", str(folder), "--port", str(port)]
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    log = folder.with_name(f"{folder.name}.log")
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, *_EVERYTHING],
            stdout=output,
            stderr=output,
            env={**os.environ, **PATIENT, "PYTHONPATH": path, **(environment or {})},
        )
    server = ServerProcess(folder, f"http://127.0.0.1:{port}", log, process.pid, process)
    try:
        _wait_ready(server)
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()


def _wait_ready(server: ServerProcess) -> None:
    ends = time.monotonic() + PATIENCE
    with server.client() as client:
        while time.monotonic() < ends and server.process.poll() is None:
            with suppress(httpx2.TransportError):
                if client.get("/readyz").status_code == 200:
                    return
            time.sleep(0.05)
    raise SystemExit(
        "the server did not start:\n" + server.log.read_text(encoding="utf-8", errors="replace")[-2000:]
    )


def new_key(
    folder: Path, tenant: str, scope: Scope = "admin", name: str = "proof", store: str | None = None
) -> str:
    """The text of a new key, in the folder or in the database that `store` names."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = load_settings({"data_dir": folder} | ({} if store is None else {"store": store})).settings
    return KeyStore(store_of(settings).keys(), cost=_CHEAP).create(name=name, tenant=tenant, scope=scope)[1]


def upload(client: httpx2.Client, files: Mapping[str, bytes], *, collection: str = "default") -> dict[str, Any]:
    """Upload files and wait until they are taken in; the job."""
    sent = [("files", (name, data)) for name, data in files.items()]
    response = client.post("/api/v1/documents", params={"collection": collection}, files=sent)
    response.raise_for_status()
    return wait_for_job(client, response.json()["job_id"])


def wait_for_job(client: httpx2.Client, job_id: str) -> dict[str, Any]:
    """The job when it has ended."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        job: dict[str, Any] = client.get(f"/api/v1/jobs/{job_id}").json()
        if job["ended"]:
            return job
        time.sleep(0.05)
    raise SystemExit(f"the job {job_id} did not end: {job}")
