"""The programs of benchmarks/serve, for tests that run them on less and in the process of the test."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.server.settings import ServerSettings
from support.served import serving

FOLDER = Path(__file__).parents[2] / "benchmarks" / "serve"


@contextmanager
def proof(name: str) -> Iterator[ModuleType]:
    """The program as a module; programs find one another by their folder, and are forgotten when the block ends."""
    path, modules = list(sys.path), set(sys.modules)
    sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
    try:
        yield importlib.import_module(name)
    finally:
        sys.path[:] = path
        own = {file.stem for place in (FOLDER, FOLDER.parent) for file in place.glob("*.py")}
        for loaded in own & (set(sys.modules) - modules):
            del sys.modules[loaded]


@contextmanager
def serve_here(folder: Path, variables: Mapping[str, str]) -> Iterator[Any]:
    """What takes the place of a server process within `proof`: a server in a thread, its log in a file."""
    given = {name.removeprefix("ASSAY_").lower(): value for name, value in variables.items()}
    engine = {"deadline": 100, **given, "data_dir": folder}
    settings = ServerSettings(engine=engine, requests_per_minute=1_000_000, answering=1000)
    logger, handler = logging.getLogger("assay"), logging.FileHandler(folder.with_name("log"), encoding="utf-8")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        with serving(settings) as served:
            server = importlib.import_module("server_process").Server
            yield server(folder, served.address, folder.with_name("log"), os.getpid())
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        handler.close()
