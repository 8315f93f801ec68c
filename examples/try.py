"""The main jobs on five pages about a library: add them, ask three questions, fix a draft.

Run by `make try`. Prints each command before its output, works in a temporary folder, and fails if an exit code is
not the expected one.
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
    Try("Who designed the building?", 0),
    # Needs two passages; right, but not certain enough for a check mark.
    Try("How long can I keep a book, and what does a late one cost?", 4),
    Try("Does the library lend bicycles?", 3),
)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        unexpected = 0
        for arguments, expected in [
            (["add", "examples/library"], 0),
            *((["ask", attempt.question], attempt.exit_code) for attempt in TRIES),
            # 4: one sentence of the draft is not in the source; it is marked.
            (["fix", "examples/draft.md", "--sources", "examples/library/loans.md"], 4),
        ]:
            shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
            print(f"$ assay {shown}", flush=True)
            done = subprocess.run(
                [ASSAY, *arguments],
                cwd=ROOT,
                env={**os.environ, "ASSAY_DATA_DIR": folder},
                stderr=subprocess.STDOUT if arguments[0] == "fix" else None,  # where the changes are printed
                check=False,
            )
            print(flush=True)
            if done.returncode != expected:
                print(f"expected exit code {expected}, got {done.returncode}", file=sys.stderr)
                unexpected += 1
        return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
