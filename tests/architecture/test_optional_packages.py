"""What is installed with an extra is imported only by the files that need it: everything else works without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What a package of an extra brings along: some of it is there without the extra, through the tests' packages.
BROUGHT = frozenset({"anyio", "certifi", "httpx", "httpx2", "httpcore2", "starlette", "yarl", "requests"})
# The modules that need a package of an extra, with what is in them; nothing else imports them as it is loaded.
NEEDING = (
    "assay.client",
    "assay.integrations",
    "assay.mcp_server",
    "assay.models.anthropic",
    "assay.models.embed_api",
    "assay.models.gemini",
    "assay.models.hub_pull",
    "assay.models.local",
    "assay.models.openai",
    "assay.models.wire",
    "assay.postgres",
    "assay.records.postgres_runs",
    "assay.retrieval.index.postgres",
    "assay.retrieval.index.postgres_engine",
    "assay.retrieval.index.postgres_rebuild",
    "assay.retrieval.index.postgres_rows",
    "assay.retrieval.index.postgres_vectors",
    "assay.retrieval.index.qdrant",
    "assay.server",
    "assay.telemetry.otel",
    "assay.web.http",
    "assay.web.mcp",
    "assay.web.providers",
    "assay.wiring.cluster.answering",
    "assay.wiring.cluster.connection",
    "assay.wiring.cluster.embedder",
    "assay.wiring.cluster.ingestion",
    "assay.wiring.postgres",
    "assay.wiring.web",
)
_PROGRAM = """
import importlib, pkgutil, sys
refused, needing = set(sys.argv[1].split()), tuple(sys.argv[2].split())

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"no module {name}", name=name)

sys.meta_path.insert(0, Refusal())
import assay
from assay.errors import MissingExtra
for module in pkgutil.walk_packages(assay.__path__, "assay.", onerror=lambda name: None):
    if module.name not in needing and not module.name.startswith(tuple(f"{name}." for name in needing)):
        try:
            importlib.import_module(module.name)
        except (ImportError, MissingExtra) as error:
            print(module.name, error)
"""


def distribution(requirement: str) -> str:
    """The name of the distribution that a requirement asks for, as names are compared."""
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def of_extras() -> set[str]:
    """The importable packages of the distributions that only extras ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    always = {distribution(line) for line in project["dependencies"]}
    extras = {distribution(line) for lines in project["optional-dependencies"].values() for line in lines}
    return {
        package
        for package, distributions in packages_distributions().items()
        if any(distribution(name) in extras - always for name in distributions)
    }


def test_everything_else_is_imported_without_them() -> None:
    refused = of_extras() | BROUGHT
    assert {"fastapi", "aiohttp", "huggingface_hub", "openai"} <= refused
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, " ".join(sorted(refused)), " ".join(NEEDING)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.stdout == ""
