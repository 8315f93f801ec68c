"""One question asked three ways: of the engine with the model, of the engine without one, of the model alone."""

from __future__ import annotations

import asyncio
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "delivered"))
from answers_data import SOURCES, Asked, questions
from counted import sentences

from assay.engine import Engine
from assay.errors import AssayError
from assay.models.openai import OpenAiModel
from assay.prompting import random_fence
from assay.types import (
    Answer,
    Event,
    Evidence,
    EvidenceFound,
    Finding,
    ModelRequest,
    Outcome,
    PromptMessage,
    Sentence,
    SentenceProvisional,
    Severity,
    StatusChanged,
)
from assay.understanding.rules import understand_by_rules
from assay.writing.prompt import Style, writer_prompt

FIRST = 60
# So small a model reads a short prompt better than a long one, and faster.
CONTEXT_TOKENS = 2048


@dataclass(frozen=True)
class Told:
    """What one way of asking gave: the text shown, "" for none, and how the question ended.

    `failing` holds, for each sentence shown, the checks that its claims did not pass, mere warnings aside; `marked`
    says which of them carry ⚠. `caught` holds the same checks for each sentence that the model wrote, before any
    repair, `repairs` the kinds of repair that were made. `passages` are all that was found, titles first.
    """

    text: str
    ended: str
    failing: tuple[tuple[str, ...], ...] = ()
    marked: tuple[bool, ...] = ()
    caught: tuple[tuple[str, ...], ...] = ()
    repairs: tuple[str, ...] = ()
    verified: bool = False
    calls: int = 0
    quoted_instead: bool = False
    passages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One question, asked three ways."""

    asked: Asked
    cited: Told
    quoted: Told
    raw: Told


def chosen(count: int) -> list[Asked]:
    """So many answerable questions: the first 60, then others, each time the three sources in turn."""
    answerable = [each for each in questions() if each.source in SOURCES]
    first = _spread(answerable, min(count, FIRST))
    return first + _spread([each for each in answerable if each not in first], count - len(first))


def _spread(asked: Sequence[Asked], count: int) -> list[Asked]:
    """So many of the questions, the three sources in turn, spread over each."""
    by_source = {source: [each for each in asked if each.source == source] for source in SOURCES}
    share = -(-count // len(SOURCES))
    picked = [rows[:: max(1, len(rows) // max(1, share))][:share] for rows in by_source.values()]
    return [each for turn in zip(*picked, strict=True) for each in turn][:count]


def told(opened: Engine, question: str) -> tuple[Told, Evidence]:
    """What the engine answers, and the evidence that it found."""
    events: list[Event] = []
    try:
        answer = opened.ask(question, emit=events.append)
    except AssayError as error:
        return Told("", f"{type(error).__name__}: {error}"), _evidence(events)
    return _told(opened, answer, events), _evidence(events)


def _evidence(events: Sequence[Event]) -> Evidence:
    """The evidence of the last search, nothing where there was none."""
    return next((each.evidence for each in reversed(events) if isinstance(each, EvidenceFound)), Evidence())


def _told(opened: Engine, answer: Answer, events: Sequence[Event]) -> Told:
    wrote = [each for each in events if isinstance(each, StatusChanged) and each.stage == "write"]
    evidence = _evidence(events)
    caught = tuple(_caught(opened, each, evidence) for each in _written(events)) if _by_model(answer) else ()
    repairs = tuple(each.kind.value for each in answer.repairs)
    if answer.outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
        ended = f"{answer.outcome.value} by the {'writer' if wrote else 'judge'}"
        return Told("", ended, caught=caught, repairs=repairs, calls=answer.usage.calls or 0)
    shown = list(sentences(answer.text))
    found = (f"{each.title}\n{each.text}" for each in evidence.passages)
    cited = (f"{each.title}\n{each.quote}" for each in answer.sources)
    return Told(
        answer.text,
        answer.outcome.value,
        _failing(answer, [each.start for each in shown]),
        tuple(each.marked for each in shown),
        caught,
        repairs,
        answer.validate(),
        answer.usage.calls or 0,
        any("quoted from the sources instead" in warning for warning in answer.warnings),
        tuple(dict.fromkeys((*found, *cited))),
    )


def _by_model(answer: Answer) -> bool:
    return answer.models.writer != "extractive"


def _written(events: Sequence[Event]) -> Iterator[Sentence]:
    """The sentences of the first draft, as they were written."""
    drafts = 0
    for each in events:
        drafts += isinstance(each, StatusChanged) and each.stage == "write"
        if isinstance(each, SentenceProvisional) and drafts == 1:
            yield each.sentence


def _caught(opened: Engine, sentence: Sentence, evidence: Evidence) -> tuple[str, ...]:
    """The checks that a sentence does not pass by itself, as it was written."""
    numbers = {each.passage_id: n for n, each in enumerate(evidence.passages, 1)}
    marks = (f"[{numbers[each]}]" for each in sentence.passage_ids if each in numbers)
    text = " ".join([sentence.text, *marks, *sentence.unknown_marks])
    return _names(opened.check(text, evidence.passages).findings)


def _failing(answer: Answer, starts: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """For each sentence shown, the checks that its claims did not pass."""
    claims = {each.n: each for each in answer.claims}
    found: list[list[Finding]] = [[] for _ in starts]
    for each in answer.findings:
        if each.claim is not None:
            found[max(0, bisect_right(starts, claims[each.claim].start) - 1)].append(each)
    return tuple(_names(each) for each in found)


def _names(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.check for each in findings if each.severity is not Severity.WARN))


def raw(model: OpenAiModel, asked: Asked, evidence: Evidence) -> Told:
    """What the model alone answers from the same packed passages, asked for nothing but an answer."""
    prompt = writer_prompt(understand_by_rules(asked.text), evidence, Style(CONTEXT_TOKENS), random_fence)
    passages = [f"{each.title}\n{each.text}" for each in prompt.packed.passages]
    text = "\n\n".join([*passages, f"Answer the question from the text above.\nQuestion: {asked.text}"])
    request = ModelRequest("writer", (PromptMessage("user", text),), max_tokens=prompt.request.max_tokens)
    found = tuple(f"{each.title}\n{each.text}" for each in evidence.passages)
    return Told(asyncio.run(_completed(model, request)), "answered", passages=found)


async def _completed(model: OpenAiModel, request: ModelRequest) -> str:
    try:
        return (await model.complete(request)).text
    finally:
        await model.aclose()
