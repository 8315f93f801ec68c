"""What `assay serve` costs before its first question: its memory, and how long it takes until it is ready.

    .venv/bin/python benchmarks/serve/idle.py

Bar: 150 MB of resident memory without a collection. The start is given as processor time too, since machines are
shared. Medians of 5 starts; memory is read a second after the server is ready.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import write_result

PROGRAM = str(Path(sys.executable).with_name("assay"))
STARTS = 5
# Seconds in which a server must be ready, however busy the machine is.
PATIENCE = 300.0


@dataclass(frozen=True)
class Start:
    """One start: seconds until it was ready, of the processor and of the clock, and megabytes (10^6 bytes)."""

    seconds: float
    processor_seconds: float
    megabytes: float


def start(folder: str) -> Start:
    """Start a server over an empty data folder, measure it, and stop it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    begun = time.perf_counter()
    command = [PROGRAM, "serve", "--port", str(port), "--data-dir", folder]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until_ready(f"http://127.0.0.1:{port}/readyz", begun)
            seconds, used = time.perf_counter() - begun, processor_seconds(server.pid)
            time.sleep(1.0)
            return Start(seconds, used, resident_bytes(server.pid) / 1e6)
        finally:
            server.terminate()


def wait_until_ready(address: str, begun: float) -> None:
    """Ask until there is an answer. Raises OSError if there is none in time."""
    while True:
        try:
            urllib.request.urlopen(address, timeout=PATIENCE).close()  # noqa: S310 - this machine
        except OSError:
            if time.perf_counter() - begun > PATIENCE:
                raise
            time.sleep(0.05)
        else:
            return


def resident_bytes(process: int) -> int:
    """The resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(process: int) -> float:
    """The processor time of a process, its own and the system's for it."""
    values = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        starts = [start(folder) for _ in range(STARTS)]
    result = {
        "resident_megabytes": round(statistics.median(one.megabytes for one in starts), 1),
        "start_seconds": round(statistics.median(one.seconds for one in starts), 2),
        "start_processor_seconds": round(statistics.median(one.processor_seconds for one in starts), 2),
        "starts": STARTS,
        "bars": {"resident_megabytes": 150},
    }
    write_result("serve", "idle", result)


if __name__ == "__main__":
    main()
