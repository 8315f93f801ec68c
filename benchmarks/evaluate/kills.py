"""20 kills at random moments of `assay eval`; resumed to its end, it gives the numbers of one that was not killed.

    .venv/bin/python benchmarks/evaluate/kills.py [--kills 20] [--questions 60]

Bar: no metric and no result differs, times and run ids apart. Numbers are compared to six decimals: the last bits
of what a network says depend on what else it reads at the time.
"""

from __future__ import annotations

import argparse
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
from assay.evals.cases import Answerability, Case, WantedQuote
from assay.evals.datasets.own import write_cases
from assay.evals.run_folder import read_results
from report import write_result

WORDS = "harbour bridge garden tower station museum library theatre castle market".split()
# What differs between two evaluations of one thing.
OF_THE_TIME = ("ms", "first_verified_ms", "run_id")
DECIMALS = 6


def prepare(folder: Path, questions: int) -> list[str]:
    """Documents, a collection of them and a data set; returns the command that evaluates it."""
    cases = []
    for n in range(questions):
        name = f"{WORDS[n % 10]} {n}"
        text = f"The {name} is {n + 7} metres high. It was built in {1800 + n} by masons.\n"
        (folder / f"place-{n}.md").write_text(f"# The {name}\n\n{text}", encoding="utf-8")
        quotes = (WantedQuote(f"place-{n}.md", f"The {name} is {n + 7} metres high."),)
        known = Answerability.FULL if n % 4 else Answerability.NONE
        question = f"How high is the {name}?" if n % 4 else f"Who won the race of {name} in Ulm?"
        cases.append(Case(f"case-{n}", question, answers=(f"{n + 7} metres",), quotes=quotes, answerability=known))
    write_cases(folder / "questions.jsonl", cases)
    program = [sys.executable, "-m", "assay"]
    place = ["-c", "places", "--data-dir", str(folder / "data")]
    documents = sorted(str(path) for path in folder.glob("place-*.md"))
    subprocess.run([*program, "add", *documents, *place, "--quiet"], check=True)
    return [*program, "eval", str(folder / "questions.jsonl"), *place, "--record", "off", "--json", "--quiet"]


def rounded(value: Any) -> Any:
    """The value with every number rounded."""
    if isinstance(value, dict):
        return {name: rounded(own) for name, own in value.items()}
    if isinstance(value, list):
        return [rounded(own) for own in value]
    return round(value, DECIMALS) if isinstance(value, float) else value


def finished(command: list[str], out: Path) -> dict[str, Any]:
    """The metrics of an evaluation that is run to its end, those of time apart."""
    done = subprocess.run([*command, "--out", str(out)], check=True, capture_output=True, text=True)
    metrics = json.loads(done.stdout)["metrics"]
    return {name: rounded(metric) for name, metric in metrics.items() if metric["group"] != "latency"}


def results_of(out: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The results by case and repeat, without what differs each time."""
    found = {}
    for result in read_results(out):
        body = result.to_dict()
        assert (result.case, result.repeat) not in found, "a case was asked twice"
        found[result.case, result.repeat] = rounded({key: body[key] for key in body if key not in OF_THE_TIME})
    return found


def killed(command: list[str], out: Path, after: float) -> int | None:
    """Kill the evaluation after so many seconds; the results that it left, None if it had ended by itself."""
    process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return sum(1 for _ in read_results(out))
    assert process.returncode == 0
    return None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--questions", type=int, default=60)
    chosen = parser.parse_args()
    generator = random.Random(7)
    left: list[int] = []
    differing, evaluations = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = prepare(folder, chosen.questions)
        started = time.perf_counter()
        wanted, results = finished(command, folder / "whole"), results_of(folder / "whole")
        seconds = time.perf_counter() - started
        while len(left) < chosen.kills:
            out = folder / f"killed-{evaluations}"
            while len(left) < chosen.kills:
                there = killed(command, out, generator.uniform(0.2, 1.0) * seconds)
                if there is None:
                    break
                left.append(there)
            evaluations += 1
            differing += finished(command, out) != wanted or results_of(out) != results
    numbers = {
        "kills": len(left),
        "results there after each kill": left,
        "evaluations resumed to their end": evaluations,
        "evaluations that differ": differing,
        "passed": not differing,
    }
    write_result("evaluate", "kills", numbers)


if __name__ == "__main__":
    main()
