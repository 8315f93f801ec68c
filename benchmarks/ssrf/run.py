"""How many forbidden links reach a listener: every address there is leads to this process's own listeners.

Run as root: it moves into a network namespace of its own, in which all of IPv4 and IPv6 is local, listens on the
web's ports and one more, and fetches each link, as it is and as the place that a public page leads to, with names
that resolve as listed. Public links at the end show that the listeners do hear what is let through. Keeps the
numbers in results/; ends with 1 where a forbidden link got through, or the listeners are deaf.

    python benchmarks/ssrf/run.py
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.core.tape import SystemClock
from assay.errors import AssayError, EgressRefused
from assay.web.egress import EgressRules
from assay.web.guard import SsrfGuard
from assay.web.http import PageFetcher, PageLimits, PinnedHttpClient
from report import write_result
from support.web.forbidden_links import FORBIDDEN_LINKS, FORBIDDEN_NAMES

# The first is for the run in its own network, the second for a test, which keeps no result.
INSIDE, PRINT_ONLY = "--inside", "--print-only"
PORT = 8080
PORTS = (80, 443, PORT)
OPEN = "open.example.org"
PUBLIC = {
    OPEN: ("93.184.215.14",),
    "open6.example.org": ("2a00:1450:4001:81b::200e",),
    "example.org": ("93.184.215.14",),
}
PUBLIC_ADDRESSES = {address for addresses in PUBLIC.values() for address in addresses}


class Listeners:
    """Counts the connections that reach any address of this namespace, and answers each by leading on."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.leads_to = ""
        for family, anywhere in ((socket.AF_INET, ""), (socket.AF_INET6, "::")):
            for port in PORTS:
                listening = socket.socket(family)
                if family == socket.AF_INET6:
                    listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listening.bind((anywhere, port))
                listening.listen(64)
                threading.Thread(target=self._accept, args=(listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            connection, _ = listening.accept()
            self.reached.append(str(connection.getsockname()[0]))
            with connection, suppress(OSError):
                connection.settimeout(1.0)
                asked = connection.recv(4096)
                moved = f"302 Found\r\nLocation: {self.leads_to}".encode("latin-1", errors="replace")
                status = b"404 Not Found" if b" /robots.txt " in asked or not self.leads_to else moved
                connection.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


async def resolve(host: str) -> Sequence[str]:
    """The listed names, and what the machine's own resolver makes of numbers and of localhost."""
    known = FORBIDDEN_NAMES.get(host) or PUBLIC.get(host)
    if known:
        return known
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(str(each[4][0]) for each in found)


async def fetched(fetcher: PageFetcher, link: str) -> str:
    """How fetching a link ended."""
    try:
        await fetcher.fetch(link)
    except EgressRefused:
        return "refused"
    except AssayError as error:
        return type(error).__name__
    return "fetched"


async def measured() -> dict[str, object]:
    """The counts."""
    guard = SsrfGuard(EgressRules(enabled=True))
    fetcher = PageFetcher(
        PinnedHttpClient(guard, resolve), SystemClock(), PageLimits(seconds=3.0, idle_seconds=1.0)
    )
    listeners = Listeners()
    links = [each.replace("{port}", str(PORT)) for each in FORBIDDEN_LINKS]
    links += [f"http://{name}/" for name in FORBIDDEN_NAMES]
    reached: dict[str, list[str]] = {}
    ends: Counter[str] = Counter()
    for link in links:
        # Once as it is, and once as the place that a public page leads to.
        for asked, leads_to in ((link, ""), (f"http://{OPEN}/", link)):
            before = len(listeners.reached)
            listeners.leads_to = leads_to
            ends[await fetched(fetcher, asked)] += 1
            await asyncio.sleep(0.002)
            through = [each for each in listeners.reached[before:] if each not in PUBLIC_ADDRESSES]
            if through:
                reached[f"{asked} {leads_to}"] = through
    before = len(listeners.reached)
    listeners.leads_to = ""
    for name in PUBLIC:
        await fetched(fetcher, f"http://{name}/")
    await asyncio.sleep(0.05)
    return {
        "links": len(links),
        "ends": dict(ends),
        "reached": reached,
        "forbidden_connections": sum(map(len, reached.values())),
        "public_addresses_heard": len(set(listeners.reached[before:])),
    }


def prepare() -> None:
    """Make every address of this namespace local."""
    for command in (
        "ip link set lo up",
        "ip route add local 0.0.0.0/0 dev lo",
        "ip -6 route add local ::/0 dev lo",
    ):
        subprocess.run(command.split(), check=True, capture_output=True)


def main() -> int:
    """Enter a namespace, then measure in it."""
    if INSIDE not in sys.argv:
        command = ["unshare", "--net", sys.executable, os.path.abspath(__file__), INSIDE, *sys.argv[1:]]
        return subprocess.run(command, check=False).returncode
    prepare()
    result = asyncio.run(measured())
    if PRINT_ONLY in sys.argv:
        print(json.dumps(result))
    else:
        write_result("ssrf", "links", result)
    return 0 if not result["reached"] and result["public_addresses_heard"] == len(PUBLIC_ADDRESSES) else 1


if __name__ == "__main__":
    sys.exit(main())
