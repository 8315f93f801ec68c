"""Cases are asked once each, what they gave is kept at once, and a failure is a result."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ProviderFailed, StoreFull
from assay.evals.cases import Case
from assay.evals.datasets.own import given_passage
from assay.evals.evaluate import ask_case, evaluate, result_of
from assay.evals.results import CaseResult, CitedQuote, RankedPassage
from assay.evals.run_folder import Evaluation, RunFolder, open_run, read_results
from assay.types import (
    Answer,
    Claim,
    ClaimEvent,
    Evidence,
    EvidenceFound,
    Hit,
    Location,
    Message,
    Outcome,
    Repair,
    RepairKind,
    Source,
    SourceSpan,
    Verdict,
)

from ..records.test_runs import answer

ABOUT = Evaluation("set.jsonl", "assay", "0" * 64, 3, 1, "fast", "0.1.0", 5.0)
CASES = tuple(Case(key, f"What is {key}?") for key in "abc")


@dataclass
class ScriptedEngine:
    """Answers the questions written down, or raises; `asked` are those asked, with all that they came with."""

    script: Mapping[str, Answer | Exception]
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    running: int = 0
    most: int = 0

    async def aask(self, text: str, history: Sequence[Message]) -> Answer:
        return await self._answer(text, ("collection", text, tuple(history)))

    async def aanswer_from(self, text: str, passages: Sequence[Any], history: Sequence[Message]) -> Answer:
        return await self._answer(text, ("passages", text, tuple(passages), tuple(history)))

    async def _answer(self, text: str, call: tuple[Any, ...]) -> Answer:
        self.asked.append(call)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        given = self.script[text]
        if isinstance(given, Exception):
            raise given
        return given


ANSWERS = {case.question: answer(f"run-{case.id}", f"It is {case.id}.") for case in CASES}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "out"


async def run(
    engine: ScriptedEngine, folder: Path, cases: Sequence[Case] = CASES, **given: Any
) -> list[CaseResult]:
    with open_run(folder, ABOUT, cases) as opened:
        await evaluate(engine, cases, folder=opened, **given)
    return list(read_results(folder))


async def test_each_case_is_asked_as_often_as_wanted(folder: Path):
    engine = ScriptedEngine(ANSWERS)
    results = await run(engine, folder, repeat=2)
    assert [(result.case, result.repeat, result.text) for result in results] == [
        (key, repeat, f"It is {key}.") for repeat in (0, 1) for key in "abc"
    ]
    assert engine.most == 1


async def test_a_case_that_fails_is_a_result_with_its_reason_and_stops_no_other(folder: Path):
    broken = {
        "What is a?": ProviderFailed("it broke", hint="try again"),
        "What is b?": ZeroDivisionError("division by zero"),
    }
    seen: list[CaseResult] = []
    results = await run(ScriptedEngine({**ANSWERS, **broken}), folder, on_progress=seen.append)
    assert [(result.outcome, result.error, result.message) for result in results] == [
        (None, "ProviderFailed", "it broke"),
        (None, "ZeroDivisionError", "a bug in assay: division by zero"),
        (Outcome.ANSWERED, "", ""),
    ]
    assert seen == results


async def test_what_has_a_result_is_not_asked_again(folder: Path):
    first = ScriptedEngine(ANSWERS)
    await run(first, folder)
    (folder / "results.jsonl").write_bytes((folder / "results.jsonl").read_bytes().splitlines(True)[1])
    again = ScriptedEngine(ANSWERS)
    results = await run(again, folder)
    assert [text for _, text, _ in again.asked] == ["What is a?", "What is c?"]
    assert [result.case for result in results] == ["b", "a", "c"]


async def test_so_many_are_asked_at_once(folder: Path):
    engine = ScriptedEngine(ANSWERS)
    await run(engine, folder, jobs=2)
    assert engine.most == 2


async def test_a_folder_that_cannot_be_written_stops_it(folder: Path):
    class FullFolder(RunFolder):
        def append(self, result: CaseResult) -> None:
            raise StoreFull("no room left", hint="free some space")

    with open_run(folder, ABOUT, CASES) as opened:
        full = FullFolder(folder, ABOUT, opened.done, opened._file)
        with pytest.raises(StoreFull):
            await evaluate(ScriptedEngine(ANSWERS), CASES, folder=full)


async def test_a_case_with_passages_is_answered_from_them_with_its_dialogue():
    turns, passages = (Message("user", "Tell me of a."),), (given_passage("1", "It is a."),)
    engine = ScriptedEngine(ANSWERS)
    await ask_case(engine, replace(CASES[0], history=turns, passages=passages))
    await ask_case(engine, replace(CASES[1], history=turns))
    assert engine.asked == [
        ("passages", "What is a?", passages, turns),
        ("collection", "What is b?", turns),
    ]


def found(*keys: str) -> EvidenceFound:
    passages = (
        replace(given_passage(key, f"It is {key}."), document_id=f"d-{key}", source=f"/{key}.md") for key in keys
    )
    return EvidenceFound(queries=("q",), evidence=Evidence(tuple(Hit(passage, 1.0) for passage in passages)))


def source(number: int, key: str) -> Source:
    place = Location(page=number)
    return Source(number, key, f"d-{key}", "", place, 0, 9, f"It is {key}.", "0", path=f"/{key}.md")


def test_what_is_read_of_an_answer():
    quoted = SourceSpan("p", 3, 6, "is p", Location(page=7))
    of_another = SourceSpan("q", 0, 2, "It")
    mended = (
        ClaimEvent("unsupported", "rules", "no source says so"),
        ClaimEvent("corrected", "rules", "the source has another value"),
        ClaimEvent("supported", "rules", "a source says so"),
    )
    made = replace(
        answer("run-1"),
        claims=(
            Claim(1, "It is p.", 0, 8, ("p",), Verdict.SUPPORTED, 1.0, (quoted, of_another), mended),
            Claim(2, "It is q.", 9, 17, ("q", "gone"), Verdict.UNKNOWN, None),
        ),
        sources=(source(1, "p"), source(2, "q")),
        invalid_citations=("[9]",),
        repairs=(Repair(RepairKind.CORRECT, "It is r.", "It is p.", "the source has p"),),
        trace=(found("p", "q"), found("q", "p", "r")),
        searches=2,
    )
    result = result_of("a", 3, made)
    assert result == CaseResult(
        "a",
        3,
        Outcome.ANSWERED,
        "100 °C. [1]",
        Verdict.SUPPORTED,
        verified=True,
        claims=(Verdict.SUPPORTED, Verdict.UNKNOWN),
        cited=(CitedQuote(0, "d-p", "/p.md", "is p", 7), CitedQuote(1, "d-q", "/q.md", "It is q.", 2)),
        invalid_citations=1,
        ranked=(RankedPassage("p", "d-p", "/p.md"), RankedPassage("q", "d-q", "/q.md")),
        sufficiency=0.9,
        rounds=2,
        drafts=1,
        repairs=(RepairKind.CORRECT,),
        usage=made.usage,
        ms=1.5,
        run_id="run-1",
        improved=1,
    )
