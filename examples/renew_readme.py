"""Write the output of `make try` into the README; with --check, only compare and show the difference."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"(<!-- make try -->\n```text\n).*?(```\n<!-- end of make try -->)", re.DOTALL)

# The id of a run, which differs each time.
_RUN = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")


def printed() -> str:
    """What `make try` prints, 100 columns wide, without colours.

    Run ids are replaced by RUN, and paths are relative.
    """
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "examples/try.py"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    text = done.stdout.strip().replace(f"{ROOT}{os.sep}", "")
    lines = (_RUN.sub("RUN", line.rstrip()) for line in text.splitlines())
    return "\n".join(lines) + "\n"


def main() -> int:
    shown = README.read_text(encoding="utf-8")
    renewed = _BLOCK.sub(lambda match: match.group(1) + printed() + match.group(2), shown)
    if "--check" not in sys.argv:
        README.write_text(renewed, encoding="utf-8")
        return 0
    print(
        "\n".join(difflib.unified_diff(shown.splitlines(), renewed.splitlines(), "README", "make try", lineterm=""))
    )
    return 0 if shown == renewed else 1


if __name__ == "__main__":
    sys.exit(main())
