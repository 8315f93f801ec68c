"""The quick start and its picture show what `make try` really prints.

To renew them: `.venv/bin/python examples/renew_quickstart.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_quick_start_shows_what_make_try_prints(programs: Path):
    python = programs / "python"  # beside it `make try` looks for the program
    python.symlink_to(sys.executable)
    renewal = subprocess.run(
        [python, "examples/renew_quickstart.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert renewal.returncode == 0, renewal.stdout + renewal.stderr
