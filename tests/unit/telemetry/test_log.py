"""The line of an answer: what happened, and no text unless somebody wants it."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.budget import Meter
from assay.telemetry.log import AnswerLog, line_of
from assay.telemetry.request import Request, current_request, within_request
from assay.testing.contracts import SinkContract
from assay.testing.contracts.given import HOSTILE
from assay.testing.contracts.records import IDS, answer_of
from assay.types import Done, Failed, Repair, RepairKind, StatusChanged, Usage

CANARY = "canary-7f3a91"


class TestAnswerLog(SinkContract):
    @pytest.fixture
    def sink(self) -> AnswerLog:
        return AnswerLog(io.StringIO())


def logged(log: AnswerLog, *ends: Done | Failed, question: str = CANARY) -> list[dict[str, object]]:
    stream = log.stream
    assert isinstance(stream, io.StringIO)
    for run_id, end in zip(IDS, ends, strict=False):
        log.open(run_id, question)
        log.receive(run_id, StatusChanged(seq=1, at=1_700_000_000.0, stage=CANARY))
        log.receive(run_id, replace(end, seq=2, at=1_700_000_001.5))
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_says_how_the_answer_came_about():
    answer = replace(
        answer_of(IDS[0], CANARY),
        usage=Usage(prompt_tokens=300, completion_tokens=12, total_tokens=312, calls=2, cost=0.01),
        repairs=(Repair(RepairKind.DROP, CANARY, "", CANARY),),
        warnings=(CANARY,),
        ms=12.34567,
    )
    log, meter = AnswerLog(io.StringIO(), "notes"), Meter()
    meter.tried(3, True)
    with within_request(Request("req-1", "acme")):
        log.open(IDS[0], CANARY)
    log.measure(IDS[0], meter)
    log.receive(IDS[0], Done(seq=1, at=1_700_000_000.25, answer=answer))
    assert isinstance(log.stream, io.StringIO)
    assert json.loads(log.stream.getvalue()) == {
        "time": "2023-11-14T22:13:20.250+00:00",
        "event": "answer",
        "status": "ok",
        "run_id": IDS[0],
        "request_id": "req-1",
        "tenant": "acme",
        "collection": "notes",
        "retries": 2,
        "duration_ms": 12.346,
        "outcome": "answered",
        "verdict": "supported",
        "confidence": 0.9,
        "confidence_level": "very_high",
        "probability": None,
        "profile": "fast",
        "mode": "fast",
        "rounds": 1,
        "repairs": 1,
        "claims": 1,
        "sources": 1,
        "calls": 2,
        "prompt_tokens": 300,
        "completion_tokens": 12,
        "cost": 0.01,
    }
    assert CANARY not in log.stream.getvalue()


def test_an_error_is_a_line_with_its_kind():
    (line,) = logged(AnswerLog(io.StringIO()), Failed(error="StoreError", message=CANARY, hint=CANARY))
    assert (line["status"], line["error"], line["duration_ms"]) == ("error", "StoreError", 1500.0)
    assert CANARY not in json.dumps(line)


def test_texts_are_there_for_who_wants_them():
    ends = (Done(answer=answer_of(IDS[0])), Failed(error="StoreError", message="the disk is full", hint=""))
    answered, failed = logged(AnswerLog(io.StringIO(), texts=True), *ends)
    assert (answered["question"], answered["answer"]) == (CANARY, answer_of(IDS[0]).text)
    assert (failed["question"], failed["message"]) == (CANARY, "the disk is full")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_no_text_ends_a_line_or_acts_on_a_terminal(text: str):
    log = AnswerLog(io.StringIO(), text, texts=True)
    with within_request(Request(text, text)):
        lines = logged(
            log, Done(answer=answer_of(IDS[0], text)), Failed(error=text, message=text, hint=text), question=text
        )
    assert len(lines) == 2
    assert isinstance(log.stream, io.StringIO)
    assert not [sign for sign in log.stream.getvalue() if sign != "\n" and not " " <= sign <= "~"]


@given(st.text())
def test_a_line_is_one_line_of_printable_signs_and_says_the_same(text: str):
    line = line_of({"text": text})
    assert all(" " <= sign <= "~" for sign in line[:-1])
    assert json.loads(line)["text"] == text


def test_lines_of_many_threads_are_whole():
    log = AnswerLog(io.StringIO())

    def write(number: int) -> None:
        for n in range(50):
            run_id = f"{number}-{n}"
            log.open(run_id, "?")
            log.receive(run_id, Failed(seq=1, at=5.0, error="StoreError", message="", hint=""))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert isinstance(log.stream, io.StringIO)
    assert len({json.loads(line)["run_id"] for line in log.stream.getvalue().splitlines()}) == 400


async def test_a_request_is_known_in_what_it_starts_and_nowhere_else():
    with within_request(Request("1")):
        started = asyncio.create_task(asyncio.to_thread(current_request))
    assert current_request() == Request()
    assert await started == Request("1")
