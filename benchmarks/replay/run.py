"""Recorded runs, replayed to the same bytes in a process that may not open a socket.

    .venv/bin/python benchmarks/replay/run.py [--runs 200]

Real questions over the wiki-mix corpus, at every depth, with and without a model; the model is a service on this
machine that breaks in some way at every seventh question. Bar: every replay gives the same bytes, or the same
error, as the run did.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))
from assay import open_engine
from assay.errors import AssayError
from assay.wiring.replay import replay
from report import data_folder, write_result
from support.provider import FAULTS, LocalProvider

# Faults of the address, and those that hang or flood, are left to the fault suite.
_LEFT_OUT = {"refused", "dns-fail", "tls-bad", "accept-and-hang", "body-50-mb", "stream-pings", "stream-drip"}
BROKEN = sorted(FAULTS.keys() - _LEFT_OUT)
PROFILES = ("fast", "balanced", "thorough", "auto")


def told(work: Any) -> dict[str, Any]:
    """What a run or its replay ended with."""
    try:
        return {"answer": work().to_dict()}
    except AssayError as error:
        return {"error": type(error).__name__, "message": str(error), "hint": error.hint}


def recorded(folder: Path, corpus: Path, questions: list[str]) -> list[dict[str, Any]]:
    chance, runs = random.Random(0), []
    with LocalProvider(time_scale=0.02) as provider:
        service = {
            "model": "openai:fake",
            "openai_base_url": provider.url,
            "openai_api_key": "none",
            "retry_seconds": 0.01,
            "request_seconds": 2.0,
            "idle_seconds": 1.0,
            "deadline": 20.0,
        }
        with open_engine(data_dir=folder) as engine:
            assert all(report.status == "added" for report in engine.add([corpus]))
        for start in range(0, len(questions), 20):
            profile = PROFILES[start // 20 % len(PROFILES)]
            model = service if start % 100 else {}
            chosen = {**model, "profile": profile if model else "fast"}
            with open_engine(data_dir=folder, **chosen) as engine:
                for n, question in enumerate(questions[start : start + 20], start):
                    if model and n % 7 == 0:
                        provider.misbehave(chance.choice(BROKEN), times=chance.choice([1, 2, None]))
                    ended = told(lambda engine=engine, question=question: engine.ask(question))
                    provider.behave()
                    runs.append(ended)
    return runs


def replayed(folder: Path, ids: list[str]) -> list[dict[str, Any]]:
    """What each replay ends with, in a process in which every socket is refused."""
    program = subprocess.run(
        [sys.executable, __file__, "--replay", str(folder)],
        input=json.dumps(ids),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in program.stdout.splitlines()]


def refuse_sockets() -> None:
    def guard(event: str, _arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
            raise RuntimeError(f"a replay wanted the network: {event}")

    sys.addaudithook(guard)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--replay", type=Path)
    chosen = parser.parse_args()
    if chosen.replay:
        refuse_sockets()
        for run_id in json.load(sys.stdin):
            print(json.dumps(told(lambda run_id=run_id: replay(run_id, data_dir=chosen.replay))))
        return 0
    source = data_folder() / "dev" / "wiki-mix"
    lines = (source / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines][: chosen.runs]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = folder / "corpus.jsonl"
        rows = (source / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:1500]
        corpus.write_text("\n".join(rows) + "\n", encoding="utf-8")
        runs = recorded(folder / "data", corpus, questions)
        from assay.records.runs import RunStore

        store = RunStore(folder / "data" / "runs.sqlite")
        ids = [each.run_id for each in reversed(store.latest(len(runs)))]
        size = (folder / "data" / "runs.sqlite").stat().st_size
        again = replayed(folder / "data", ids)
    same = [json.dumps(run) == json.dumps(other) for run, other in zip(runs, again, strict=True)]
    result = {
        "runs": len(runs),
        "same_bytes": sum(same),
        "ended_in_an_error": sum("error" in run for run in runs),
        "answered": sum(run.get("answer", {}).get("outcome") in ("answered", "partial") for run in runs),
        "model_calls": sum(run["answer"]["usage"]["calls"] for run in runs if "answer" in run),
        "kib_a_run": size / 1024 / len(runs),
    }
    for n, (run, other) in enumerate(zip(runs, again, strict=True)):
        if not same[n]:
            print(n, json.dumps(run)[:600], "\n", json.dumps(other)[:600], file=sys.stderr)
    write_result("replay", "replay", result)
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
