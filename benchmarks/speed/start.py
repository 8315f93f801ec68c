"""How long the program takes to start: `assay --help` and `import assay`, beside the bare interpreter.

    .venv/bin/python benchmarks/speed/start.py

Bars: 0.3 s and 0.1 s (medians of 11 starts, the interpreter's own start included).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import write_result

PROGRAM = str(Path(sys.executable).with_name("assay"))


def seconds(command: list[str], runs: int = 11) -> float:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def main() -> None:
    result = {
        "help_seconds": seconds([PROGRAM, "--help"]),
        "import_seconds": seconds([sys.executable, "-c", "import assay"]),
        "interpreter_seconds": seconds([sys.executable, "-c", "pass"]),
        "bars": {"help_seconds": 0.3, "import_seconds": 0.1},
    }
    write_result("speed", "start", result)


if __name__ == "__main__":
    main()
