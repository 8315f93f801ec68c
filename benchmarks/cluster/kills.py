"""Nodes and drivers that are killed in mid-run: what is stored in the end is all there was, and nothing twice.

    .make/ray/bin/python benchmarks/cluster/kills.py [--nodes 5] [--drivers 3]

A cluster of three nodes on this machine takes in 12 files of 60 documents each, while a node is killed (SIGKILL to
all its processes) at a random moment. A driver is killed at a random moment too, and run once more. The bar is 0
lost and 0 twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
import ray
from ray.cluster_utils import Cluster

from assay import open_engine
from assay.retrieval.index.rebuild import problems
from report import write_result

FILES, LINES = 12, 60
_ADD = """
import sys
from assay import open_engine
with open_engine(data_dir=sys.argv[2], models=False, ray="local", workers=2) as engine:
    print("begun", flush=True)
    print(len(engine.add([sys.argv[1]])), flush=True)
"""


def written(folder: Path) -> Path:
    """The files; each document has about 100 words."""
    folder.mkdir()
    for number in range(FILES):
        lines = [
            json.dumps({"id": f"{number}-{line}", "text": f"Town {number} has {line} streets and a river. " * 12})
            for line in range(LINES)
        ]
        (folder / f"{number}.jsonl").write_text("\n".join(lines))
    return folder


def counted(store: Path) -> dict[str, int]:
    """What is missing, what is there twice, and what does not fit together in a store."""
    with open_engine(data_dir=store, models=False) as engine:
        ids = [record.document_id for record in engine.documents()]
    wanted = {f"{number}-{line}" for number in range(FILES) for line in range(LINES)}
    return {
        "lost": len(wanted - set(ids)),
        "twice": len(ids) - len(set(ids)),
        "problems": len(problems(store / "collections" / "default")),
    }


def with_node_lost(nodes: Any, folder: Path, store: Path, chance: random.Random) -> dict[str, int]:
    """Take the files in, and kill a node after a random number of them."""
    lost, after = nodes.add_node(num_cpus=1), chance.randrange(FILES - 2)

    async def add() -> None:
        done = 0
        async with open_engine(data_dir=store, models=False, ray=nodes.address) as engine:
            async for report in engine.aadd([folder]):
                assert report.status == "added", report
                if done == after:
                    await asyncio.to_thread(nodes.remove_node, lost, allow_graceful=False)
                done += 1

    asyncio.run(add())
    return counted(store)


def with_driver_lost(folder: Path, store: Path, chance: random.Random) -> dict[str, int]:
    """Kill the process that stores at a random moment, and run it again."""
    command = [sys.executable, "-c", _ADD, str(folder), str(store)]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    driver.stdout.readline()
    collection = store / "collections" / "default"
    while driver.poll() is None and not _documents(collection):
        time.sleep(0.2)
    time.sleep(chance.uniform(0, 3))
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    before = _documents(collection)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == str(FILES), done.stdout
    return counted(store) | {"stored_before": before}


def _documents(collection: Path) -> int:
    from assay.retrieval.index.sqlite import read_summary

    return read_summary(collection).documents or 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=5)
    parser.add_argument("--drivers", type=int, default=3)
    chosen = parser.parse_args()
    chance = random.Random(0)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    found: dict[str, list[dict[str, int]]] = {"node_killed": [], "driver_killed": []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = written(Path(temporary) / "files")
        for number in range(chosen.drivers):
            found["driver_killed"].append(with_driver_lost(folder, Path(temporary) / f"driver-{number}", chance))
            print(found["driver_killed"][-1], flush=True)
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        for _ in range(2):
            nodes.add_node(num_cpus=1)
        ray.init(address=nodes.address, log_to_driver=False, logging_level="error")
        for number in range(chosen.nodes):
            found["node_killed"].append(with_node_lost(nodes, folder, Path(temporary) / f"node-{number}", chance))
            print(found["node_killed"][-1], flush=True)
        ray.shutdown()
        nodes.shutdown()
    rounds = [*found["node_killed"], *found["driver_killed"]]
    result = {
        "documents_a_round": FILES * LINES,
        "rounds": {name: len(done) for name, done in found.items()},
        "lost": sum(done["lost"] for done in rounds),
        "twice": sum(done["twice"] for done in rounds),
        "problems": sum(done["problems"] for done in rounds),
        "stored_before_the_driver_was_killed": [done["stored_before"] for done in found["driver_killed"]],
        "bars": {"lost": 0, "twice": 0, "problems": 0},
    }
    write_result("cluster", "kills", result)


if __name__ == "__main__":
    main()
