"""Write the inputs of the support score as the checks of an earlier commit give them, for run.py to compare with.

.venv/bin/python benchmarks/grader/earlier.py COMMIT OUT

The commit is checked out beside the repository's own files, in a folder of its own, and its benchmarks/check is
asked. OUT gets a file a set.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "models" / "grader"))
from splits import DATA, KEPT_OUT, SUPPORT  # noqa: E402

# Sets that no weights may be fitted on.
NEVER = ("qags-cnndm", "qags-xsum", "climate-fever", "faithbench", "averitec")


def write(out: Path) -> None:
    """Write each set's inputs as the `rows` on the path gives them."""
    from rows import labelled

    for name in (*SUPPORT, *KEPT_OUT, *NEVER):
        path = out / f"{name}.npz"
        if not path.exists():
            made = labelled(name)
            np.savez(path, names=np.array(made.names), inputs=made.inputs, left=made.left)
            print(path, made.inputs.shape, flush=True)


def main() -> None:
    """Check the commit out and ask it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.commit == "here":
        write(asked.out)
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "then")
        subprocess.run(["git", "worktree", "add", "--detach", str(place), asked.commit], cwd=ROOT, check=True)
        try:
            paths = os.pathsep.join(map(str, (place / "src", place / "benchmarks" / "check", place / "benchmarks")))
            known = {"PYTHONPATH": paths, "ASSAY_BENCH_DATA": str(DATA)}
            command = [sys.executable, __file__, "here", str(asked.out.resolve())]
            subprocess.run(command, env=os.environ | known, check=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(place)], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
