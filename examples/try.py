"""The main jobs on the project's own docs: add them, ask three questions, mend a draft.

Run by `make try`. It prints each command before what that command prints, works in a folder that is removed
afterwards, and fails when an answer is not of the expected kind.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASSAY = Path(sys.executable).with_name("assay")


@dataclass(frozen=True)
class Try:
    """A question, and the exit code that `assay --help` promises for its kind."""

    question: str
    exit_code: int


TRIES = (
    Try("What is assay?", 0),
    # Needs two documents; right, and not sure enough for a mark: it is shown as what it is.
    Try(
        "What does assay do when the evidence does not suffice, and what is the exit code when assay abstained?", 4
    ),
    Try("What is the weather in Paris today?", 3),
)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        unexpected = 0
        for arguments, expected in [
            (["add", "docs"], 0),
            *((["ask", each.question], each.exit_code) for each in TRIES),
            # 4: one sentence of the draft stays open.
            (["fix", "examples/draft.md", "--sources", "docs/the-loop.md"], 4),
        ]:
            shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
            print(f"$ assay {shown}", flush=True)
            done = subprocess.run(
                [ASSAY, *arguments],
                cwd=ROOT,
                env={**os.environ, "ASSAY_DATA_DIR": folder},
                stderr=subprocess.STDOUT if arguments[0] == "fix" else None,  # it says there what was changed
                check=False,
            )
            print(flush=True)
            if done.returncode != expected:
                print(f"expected exit code {expected}, got {done.returncode}", file=sys.stderr)
                unexpected += 1
        return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
