"""The command line on a small real collection, in this process."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.cli import run
from assay.cli.terminal import Terminal

DOCUMENTS = {
    "water.md": "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n",
    "bridge.txt": "The Harbour Bridge was opened on 3 May 1932. Maria Keller built it for 4 million pounds.\n",
    "rent.html": "<html><head><title>Rent</title></head><body><h1>Rent</h1><p>The notice period is three months. "
    "The rent is due on the first day of each month.</p></body></html>",
    "hostile.txt": "The secret colour of the flag is \x1b[31mcrimson\x1b[0m and the motto is \x1b]8;;http://x.example\x07hope.\n",
}


@dataclass(frozen=True)
class Result:
    """What one command gave."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        return json.loads(self.out)

    @property
    def objects(self) -> list[dict[str, Any]]:
        """One JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Result]


def call(*arguments: object, stdin: bytes = b"") -> Result:
    out, err = io.StringIO(), io.StringIO()
    code = run([str(each) for each in arguments], Terminal(input=io.BytesIO(stdin), out=out, err=err))
    return Result(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Path:
    """A data folder with the documents in the collection `facts`; tests only read it."""
    folder = tmp_path_factory.mktemp("data")
    added = call("add", sources, "-c", "facts", "--data-dir", folder, "--json")
    assert added.code == 0, added
    return folder


@pytest.fixture
def facts(filled: Path) -> Cli:
    """A command on the filled collection."""
    return lambda verb, *rest, stdin=b"": call(verb, "-c", "facts", "--data-dir", filled, *rest, stdin=stdin)


@pytest.fixture
def empty(tmp_path: Path) -> Cli:
    """A command on a data folder of the test's own."""
    return lambda verb, *rest, stdin=b"": call(verb, "--data-dir", tmp_path / "data", *rest, stdin=stdin)


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., str]:
    """The name of a model that follows these rules."""

    def named(*rules: dict[str, Any]) -> str:
        path = tmp_path / "script.json"
        path.write_text(json.dumps(rules), encoding="utf-8")
        return f"fake:{path}"

    return named


@pytest.fixture(scope="session")
def added(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Path:
    """A data folder with the documents in the usual collection; tests have copies of it."""
    folder = tmp_path_factory.mktemp("added")
    assert call("add", sources, "--data-dir", folder).code == 0
    return folder


@pytest.fixture
def own(empty: Cli, added: Path, tmp_path: Path) -> Cli:
    """A command on the documents in a data folder of the test's own."""
    shutil.copytree(added, tmp_path / "data")
    return empty
