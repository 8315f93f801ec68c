"""The quick start and its picture show what `make try` really prints.

To renew them: `.venv/bin/python examples/renew_quickstart.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_quick_start_shows_what_make_try_prints():
    renewal = subprocess.run(
        [sys.executable, "examples/renew_quickstart.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert renewal.returncode == 0, renewal.stdout + renewal.stderr
