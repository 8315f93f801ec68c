"""A server without a question has loaded no library that reads documents or runs networks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HEAVY = ("faiss", "lxml", "nh3", "onnxruntime", "openai", "pypdfium2", "tokenizers", "xllamacpp")
_PROGRAM = "import sys; import assay.server.main; print(*{name.partition('.')[0] for name in sys.modules})"


def test_heavy_libraries_are_loaded_when_they_are_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    loaded = set(done.stdout.split())
    assert {"assay", "fastapi"} <= loaded
    assert loaded.isdisjoint(HEAVY)
