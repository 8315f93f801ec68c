"""Assay beside other programs, on the workload that was made for them: questions on 2,000 passages, a fake model.

    .venv/bin/python benchmarks/peers/run.py [--rounds 3] [--work FOLDER]

It needs the peers' folder (ASSAY_PEERS, else ../shared/peers) and is skipped where there is none. The folder is
copied to `--work`, where their environments are made once: that takes some minutes and some hundred megabytes.

Bars: own time per question at most that of the seed's LangChain program in the same run; at 64 questions at once
and 50 ms a model call at least its questions per second; no stall of the event loop over 50 ms under that load.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from report import ROOT, write_result  # noqa: E402

ENVIRONMENTS = ("server", "bareopenai", "seed")
LOAD = "50/64"
STALL_BAR_MS = 50.0


@dataclass(frozen=True)
class Peer:
    """One program: its script, the environment that it runs in (None: this one), and its variables."""

    name: str
    script: Path
    environment: str | None
    variables: dict[str, str] = field(default_factory=dict)


def peers(work: Path, wanted: list[str]) -> list[Peer]:
    """The programs to measure, in the order in which they run."""
    own = HERE / "assay_peer.py"
    every = [
        Peer("assay", own, None, {"EMBEDDER": "openai:fake", "PROFILE": "fast"}),
        Peer("seed-sync", work / "peers" / "seed.py", "seed", {"SEED_MODE": "sync"}),
        Peer("bare-openai", work / "peers" / "bare_openai.py", "bareopenai"),
        Peer("assay-bundled", own, None, {"EMBEDDER": "bundled", "PROFILE": "fast"}),
        Peer("assay-balanced", own, None, {"EMBEDDER": "openai:fake", "PROFILE": "balanced"}),
    ]
    return [peer for peer in every if not wanted or peer.name in wanted]


def prepared(source: Path, work: Path) -> None:
    """The peers' folder with its environments, as a copy that can be written to."""
    if not (work / "harness.py").is_file():
        shutil.copytree(source, work, dirs_exist_ok=True)
        for path in work.rglob("*"):
            path.chmod(path.stat().st_mode | 0o200)
    for name in ENVIRONMENTS:
        subprocess.run([work / "setup_venvs.sh"], env={**os.environ, "ONLY": name}, check=True)


@contextmanager
def fake_model(work: Path, port: int) -> Iterator[None]:
    """The fake model, answering."""
    python = work / "venv" / "server" / "bin" / "python"
    command = [python, HERE / "server.py", "--port", str(port)]
    server = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(work)}, stdout=subprocess.DEVNULL)
    try:
        for _ in range(50):
            time.sleep(0.1)
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1).close()
                break
            except OSError:
                continue
        yield
    finally:
        server.terminate()
        server.wait()


def measured(peer: Peer, work: Path, port: int, folder: Path) -> dict[str, Any]:
    """One run of one program, by the peers' harness."""
    out, stalls = folder / "out.json", folder / "stalls.jsonl"
    for path in (out, stalls):
        path.unlink(missing_ok=True)
    python = sys.executable if peer.environment is None else work / "venv" / peer.environment / "bin" / "python"
    variables = {
        "PEERS": str(work),
        "PEER_NAME": peer.name,
        "STALLS": str(stalls),
        "PORT": str(port),
        **peer.variables,
    }
    arguments = f"--port {port} --lat 0,50 --nseq 200,25 --conc 64 --win 3,6 --cap 15 --limit 280 --out {out}"
    # env.sh holds what the peers run under: libraries on one thread, the fake model's address.
    command = f'. "{work}/env.sh"; exec "{python}" "{peer.script}" {arguments}'
    subprocess.run(
        ["/bin/bash", "-c", command],
        env={**os.environ, **variables},
        cwd=work,
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=320,
    )
    found = json.loads(out.read_text(encoding="utf-8"))
    alone, together = found["seq"]["0"], found["conc"][LOAD]
    gaps = [json.loads(line) for line in stalls.read_text().splitlines()] if stalls.exists() else []
    return {
        "own_ms": alone["overhead_ms"],
        "median_ms_at_50_ms_a_call": found["seq"]["50"]["p50_ms"],
        "questions_per_second": together["qps"],
        "cpu_ms_under_load": together["cpu_ms_per_q"],
        "model_calls": alone["calls"],
        "prompt_tokens": alone["prompt_tok"],
        "embedding_calls": alone["embed_calls"],
        "outcomes": alone["actions"],
        "import_seconds": found["import_s"],
        "peak_mib": found["mem_end"]["VmHWM"] / 1024,
        "errors": together["errors"],
        "load_average_before": found["load"],
        **({"longest_stall_ms": max(each["longest_ms"] for each in gaps if each["running"] > 1)} if gaps else {}),
    }


def medians(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of each number; the longest of the stalls."""
    first = rounds[0]
    numbers = {
        key: statistics.median(each[key] for each in rounds) if isinstance(value, int | float) else value
        for key, value in first.items()
    }
    if "longest_stall_ms" in first:
        numbers["longest_stall_ms"] = max(each["longest_stall_ms"] for each in rounds)
    return numbers


def beside(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the bars are about: assay over the seed's program."""
    if "seed-sync" not in found:
        return {}
    seed = found["seed-sync"]
    ratios = {
        f"{name}_over_seed": {
            "own_time": each["own_ms"] / seed["own_ms"],
            "questions_per_second": each["questions_per_second"] / seed["questions_per_second"],
        }
        for name, each in found.items()
        if name.startswith("assay")
    }
    stalls = {name: each["longest_stall_ms"] for name, each in found.items() if "longest_stall_ms" in each}
    return {**ratios, "longest_stall_ms": stalls}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--port", type=int, default=8191)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "assay-peers")
    parser.add_argument("--only", nargs="*", default=[], help="names of the programs to run; nothing is kept then")
    chosen = parser.parse_args()
    source = Path(os.environ.get("ASSAY_PEERS", ROOT.parent / "shared" / "peers"))
    if not source.is_dir():
        print(f"skipped: there is no folder {source}; set ASSAY_PEERS")
        return
    prepared(source, chosen.work)
    rounds: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder, fake_model(chosen.work, chosen.port):
        for number in range(chosen.rounds):
            for peer in peers(chosen.work, chosen.only):
                found = measured(peer, chosen.work, chosen.port, Path(folder))
                print(number + 1, peer.name, json.dumps(found), flush=True)
                rounds.setdefault(peer.name, []).append(found)
    found = {name: medians(each) for name, each in rounds.items()}
    numbers = {"rounds": chosen.rounds, "bars": {"longest_stall_ms": STALL_BAR_MS}, **beside(found), "peers": found}
    if chosen.only:
        print(json.dumps(numbers, indent=1))
    else:
        write_result("peers", "peers", numbers)


if __name__ == "__main__":
    main()
