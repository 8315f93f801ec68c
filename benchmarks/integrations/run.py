"""The pieces for LangChain, LlamaIndex and Haystack in environments that hold one framework each, without network.

    .venv/bin/python benchmarks/integrations/run.py [--work FOLDER] [--only NAME …]

Making the environments takes some minutes and about a gigabyte, and needs a package index; what runs in them does
not. Bars: a piece says what the engine says, each time, also when awaited; what is unknown to the engine is unknown
to the framework; the network is never wanted; a piece without its framework names the command.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import written  # noqa: E402

from report import ROOT, write_result  # noqa: E402

FRAMEWORKS = {"langchain": "langchain-core", "llama_index": "llama-index-core", "haystack": "haystack-ai"}
_EXAMPLE = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a reader may not have set.
_KEYS = ("ASSAY_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_", "LANGCHAIN_", "LANGSMITH_")


def pinned(package: str) -> str:
    """The line of requirements.txt for a package."""
    lines = (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{package}=="))


def environment(name: str, work: Path) -> Path:
    """The Python of an environment with one framework and the project as it is in this checkout."""
    place = work / f"env-{name}"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    project = [str(ROOT / "models"), str(ROOT)]
    subprocess.run([*pip, pinned(FRAMEWORKS[name]), *project], check=True)
    # Of the same version, yet perhaps not the same code as before.
    subprocess.run([*pip, "--force-reinstall", "--no-deps", str(ROOT)], check=True)
    return python


def measured(name: str, work: Path, folder: Path) -> dict[str, Any]:
    """What the framework's program prints."""
    python = environment(name, work)
    command = [python, HERE / f"with_{name}.py", folder]
    done = subprocess.run(
        command, env=_variables(folder), cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    found["examples_run"] = examples_run(python, name, folder)
    return {**found, "bars_held": held(found)}


def _variables(folder: Path) -> dict[str, str]:
    """An environment without any key or setting, in which nothing is told of Haystack's use."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_KEYS)}
    return {**kept, "HAYSTACK_TELEMETRY_ENABLED": "False", "XDG_CONFIG_HOME": str(folder)}


def examples_run(python: Path, name: str, folder: Path) -> int:
    """How many examples of the how-to there are for a framework; raises where one fails."""
    page = (ROOT / "docs" / "how-to" / "use-with-frameworks.md").read_text(encoding="utf-8")
    examples = [body for body in _EXAMPLE.findall(page) if f"assay.integrations.{name} " in body]
    for number, body in enumerate(examples):
        variables = {**_variables(folder), "XDG_DATA_HOME": str(folder / f"example-{name}-{number}")}
        subprocess.run([python, "-c", body], env=variables, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return len(examples)


def held(found: dict[str, Any]) -> bool:
    """Whether every bar is reached."""
    return (
        found["same_as_engine"] == found["same_when_awaited"] == found["drafts"]
        and found["unknown_stays_unknown"] == ["unknown"] * 3
        and found["closed_engine_raises"] == "UsageError"
        and all(found["other_pieces_name_their_command"])
        and not found["network_wanted"]
        and found["examples_run"] > 0
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "assay-integrations")
    parser.add_argument("--only", nargs="*", default=[], choices=FRAMEWORKS, help="nothing is kept then")
    chosen = parser.parse_args()
    folder = chosen.work / "run"
    shutil.rmtree(folder, ignore_errors=True)
    written(folder)
    found = {name: measured(name, chosen.work, folder) for name in chosen.only or FRAMEWORKS}
    if chosen.only:
        print(json.dumps(found, indent=1))
    else:
        write_result("integrations", "integrations", found)
    return 0 if all(each["bars_held"] for each in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
