"""What `assay eval` itself needs: memory and time of 10,000 cases, and its share of the time of what it measures.

    .venv/bin/python benchmarks/evaluate/memory.py [--cases 10000]

An engine that gives a canned answer is asked 10,000 cases, with eight passages found each, and the results are
measured and reported: no memory but that of the evaluation. Then 60 real questions are asked, and the time outside
the engine is set beside the time inside. Bars: 500 MB, 5 %.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay import Answer, open_engine
from assay.evals.cases import Answerability, Case, WantedQuote
from assay.evals.datasets import read_dataset
from assay.evals.datasets.own import write_cases
from assay.evals.evaluate import evaluate
from assay.evals.reports.markdown import markdown
from assay.evals.reports.page import report_page
from assay.evals.reports.summary import summarise
from assay.evals.run_folder import Evaluation, open_run
from report import write_result

QUESTIONS = 60


class CannedEngine:
    """Gives one answer to every question, with the question behind it: no two texts are the same."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    async def aask(self, text: str, history: Sequence[Any]) -> Answer:
        return replace(self.answer, question=text, text=f"{self.answer.text} {text}")


class TimedEngine:
    """Asks an engine, and adds up the time that it took."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.seconds = 0.0

    async def aask(self, text: str, history: Sequence[Any]) -> Answer:
        started = time.perf_counter()
        try:
            return await self.engine.aask(text, history)
        finally:
            self.seconds += time.perf_counter() - started


def megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def case(n: int) -> Case:
    return Case(
        f"case-{n}",
        f"How high is the harbour bridge, seen for the time {n}, from the side of the old town?",
        answers=(f"{n} metres", "134 metres"),
        nuggets=(("134 metres",), ("built in 1932", "opened in 1932")),
        relevant={"bridge-0.md": 1.0},
        quotes=(WantedQuote("bridge-0.md", "The harbour bridge is 134 metres high.", 1),),
        answerability=Answerability.FULL if n % 3 else Answerability.NONE,
        conflicting=False,
        slices={"kind": f"kind {n % 7}"},
    )


def about(cases: int, sha256: str) -> Evaluation:
    return Evaluation("cases.jsonl", "assay", sha256, cases, 1, "fast", "0", 0.0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in range(10):
            text = (
                "The harbour bridge is 134 metres high. It was opened in 1932. " + f"Ships of kind {n} pass. " * 20
            )
            (folder / f"bridge-{n}.md").write_text(f"# The harbour bridge {n}\n\n{text}\n", encoding="utf-8")
        with open_engine(data_dir=folder / "data", record="off") as engine:
            engine.add(sorted(folder.glob("bridge-*.md")))
            answer = engine.ask("How high is the harbour bridge?")
            before = megabytes()  # with the engine's networks
            numbers = {**canned(folder, answer, chosen.cases), **real(folder, engine)}
    most = megabytes()
    numbers |= {"megabytes before": round(before), "megabytes at most": round(most)}
    numbers["passed"] = most <= 500 and numbers["share of time outside the engine"] <= 0.05
    write_result("evaluate", "memory", numbers)


def canned(folder: Path, answer: Answer, count: int) -> dict[str, Any]:
    """Evaluate so many cases with a canned answer, and report."""
    write_cases(folder / "cases.jsonl", map(case, range(count)))
    clock = [time.perf_counter()]
    dataset = read_dataset(folder / "cases.jsonl")
    clock.append(time.perf_counter())
    with open_run(folder / "canned", about(count, dataset.sha256), dataset.cases) as run:
        asyncio.run(evaluate(CannedEngine(answer), dataset.cases, folder=run, jobs=8))  # type: ignore[arg-type]
    clock.append(time.perf_counter())
    summary = summarise(folder / "canned")
    clock.append(time.perf_counter())
    size = len(report_page(summary)) + len(markdown(summary))
    assert summary.asked == count
    read, asked, measured = (round(later - sooner, 2) for sooner, later in pairwise(clock))
    return {
        "cases": count,
        "seconds to read the data set": read,
        "milliseconds a case to keep its result": round(1000 * asked / count, 3),
        "seconds to measure": measured,
        "kilobytes of both reports": round(size / 1024),
    }


def real(folder: Path, engine: Any) -> dict[str, Any]:
    """Evaluate real questions, and say how much of the time was not the engine's."""
    cases = [replace(case(n), answerability=None) for n in range(QUESTIONS)]
    timed = TimedEngine(engine)
    started = time.perf_counter()
    with open_run(folder / "real", about(len(cases), "0"), cases) as run:
        asyncio.run(evaluate(timed, cases, folder=run))  # type: ignore[arg-type]
    asked = time.perf_counter() - started
    summarise(folder / "real")
    whole = time.perf_counter() - started
    return {
        "real questions": QUESTIONS,
        "milliseconds a question": round(1000 * timed.seconds / QUESTIONS, 1),
        "share of time outside the engine while asking": round((asked - timed.seconds) / whole, 4),
        "share of time outside the engine": round((whole - timed.seconds) / whole, 4),
    }


if __name__ == "__main__":
    main()
