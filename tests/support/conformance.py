"""Schemathesis against a server of this machine: its requests and replies are compared with its description."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address
from itertools import count
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from assay import open_engine
from assay.server.api_key import Cost
from assay.server.keys import FILE_NAME, KeysFile, KeyStore
from assay.server.settings import ServerSettings
from support.served import serving

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
# A request that fits the description may be refused for what the server is set to or has stored: a model that is
# not allowed, a claim that the run does not have.
EXCLUDED = ("positive_data_acceptance",)


@contextmanager
def described_server(folder: Path) -> Iterator[tuple[str, str]]:
    """A server with one document: its address, and the text of a key for everything."""
    (folder / "water.md").write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([folder / "water.md"])
    key = KeyStore(KeysFile(folder / FILE_NAME), cost=Cost(n=2, r=1, p=1)).create(name="tests", scope="admin")[1]
    settings = ServerSettings(engine={"data_dir": folder}, requests_per_minute=1_000_000)
    with serving(settings, FromManyAddresses) as server:
        yield server.address, key


class FromManyAddresses:
    """Gives each request another address: one that tries many wrong keys is refused for a minute."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._addresses = map(IPv4Address, count(int(IPv4Address("203.0.0.1"))))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["client"] = (str(next(self._addresses)), 50_000)
        await self._app(scope, receive, send)


def run_schemathesis(address: str, key: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Its output and exit code, 0 where every reply is as described; `folder` is for what it leaves behind."""
    program = [str(Path(sys.executable).with_name("schemathesis")), "--no-color", "run", f"{address}/openapi.json"]
    return subprocess.run(
        [*program, "--header", f"Authorization: Bearer {key}", "--exclude-checks", ",".join(EXCLUDED), *options],
        cwd=folder,
        capture_output=True,
        text=True,
    )
