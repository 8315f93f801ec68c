"""A process that records runs is killed at any moment: what it acknowledged is whole, the rest is absent."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.records.runs import RunStore

PROGRAM = """
import sys
from pathlib import Path
from assay.records.runs import RunStore
from assay.types import Failed, StatusChanged
store = RunStore(Path(sys.argv[1]), "notes")
for number in range(1_000_000):
    run_id = f"{number:08}"
    store.open(run_id, "How hot?")
    for seq in range(1, 6):
        store.receive(run_id, StatusChanged(seq=seq, stage="x" * 1000))
    store.receive(run_id, Failed(seq=6, error="StoreError", message="gone", hint="add it"))
    print(run_id, flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05])
def test_acknowledged_runs_outlive_a_kill(tmp_path: Path, delay: float):
    path = tmp_path / "runs.sqlite"
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(delay)
        process.kill()
        acknowledged = [first, *process.stdout.readlines()]
    store = RunStore(path)
    assert store.damage() == ()
    for line in acknowledged:
        if line.endswith("\n"):
            assert [event.seq for event in store.load(line.strip()).events] == [1, 2, 3, 4, 5, 6]
    assert all(len(store.load(run.run_id).events) == 6 for run in store.latest(limit=5))
