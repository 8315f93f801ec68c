"""docs/reference/cli.md shows the help of each verb; `.venv/bin/python tests/docs/test_cli_reference.py` renews it.

The flags of settings are left out there: they stand once, in settings.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from assay.cli.app import app
from assay.cli.flags import COLLECTION, JUDGING, LIMITS, MODELS, SERVICES, TESTING, WRITING

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
# What stands below this heading is printed.
HEADING = "\n## Verbs\n"
_GROUPS = "|".join((COLLECTION, JUDGING, MODELS, WRITING, TESTING, LIMITS, SERVICES))
_GROUP = re.compile(rf"^({_GROUPS}):\n(?:  .*\n)+\n?", re.MULTILINE)
PROGRAM = """
import sys
from assay.cli import run
for verb in sys.argv[1:]:
    sys.stdout.write(f"\\n### assay {verb}\\n".replace("assay \\n", "assay\\n") + "```text\\n")
    sys.stdout.flush()
    assert run([*verb.split(), "--help"]) == 0
    sys.stdout.write("```\\n")
"""
VERBS = (
    "",
    "add",
    "sync",
    "ls",
    "rm",
    "reindex",
    "copy",
    "search",
    "ask",
    "chat",
    "show",
    "replay",
    "report",
    "judge",
    "check",
    "fix",
    "review",
    "figures",
    "export",
    "label",
    "calibrate",
    "learn",
    "audit",
    "compare",
    "eval run",
    "eval make",
    "doctor",
    "serve",
    "mcp",
    "rubrics show",
    "rubrics hash",
    "rubrics renew",
    "rules check",
    "rules show",
    "runs list",
    "runs delete",
    "runs prune",
    "models pull",
    "models list",
    "models remove",
    "keys create",
    "keys list",
    "keys revoke",
    "config show",
)


def renewed() -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *VERBS],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100"},
    )
    top, _, below = PAGE.read_text(encoding="utf-8").partition(HEADING)
    intro = below.strip().split("\n\n")[0]
    lines = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    return f"{top}{HEADING}{intro}\n{_GROUP.sub('', lines)}\n"


def every_verb(command: Any, name: str = "") -> Iterator[str]:
    """The verbs of the program, as they are typed."""
    for each, below in command.commands.items():
        whole = f"{name} {each}".strip()
        yield from every_verb(below, whole) if hasattr(below, "commands") else (whole,)


def test_no_verb_is_left_out():
    assert {"", *every_verb(get_command(app))} == set(VERBS)


def test_the_page_shows_the_help_as_it_is():
    assert PAGE.read_text(encoding="utf-8") == renewed()


if __name__ == "__main__":
    PAGE.write_text(renewed(), encoding="utf-8")
