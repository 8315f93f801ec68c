"""The spans of a run, by the conventions for generative AI."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from assay.core.budget import Meter
from assay.telemetry.otel import RunTracer
from assay.telemetry.request import Request, within_request
from assay.testing.contracts import SinkContract
from assay.testing.contracts.given import ASKED, EVIDENCE
from assay.testing.contracts.records import IDS, answer_of
from assay.types import (
    Acted,
    Action,
    Done,
    Event,
    EvidenceFound,
    Failed,
    Finding,
    FindingMade,
    Judged,
    Judgement,
    ModelReply,
    ModelRequest,
    PromptMessage,
    Sentence,
    SentenceVerified,
    SentenceWithdrawn,
    Severity,
    StatusChanged,
    Step,
    Usage,
)

CANARY = "canary-7f3a91"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> Iterator[TracerProvider]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider
    provider.shutdown()


class TestRunTracer(SinkContract):
    @pytest.fixture
    def sink(self, provider: TracerProvider) -> RunTracer:
        return RunTracer("notes", provider=provider)


class SetTime:
    """A clock whose time is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        raise AssertionError


REQUEST = ModelRequest("writer", (PromptMessage("system", CANARY), PromptMessage("user", CANARY)), max_tokens=99)


def events(last: Done | Failed) -> list[Event]:
    sentence = Sentence(1, CANARY)
    finding = Finding("dates", 1, Severity.BLOCK, CANARY, CANARY)
    return [
        StatusChanged(at=100.0, stage="understand"),
        StatusChanged(at=101.0, stage="retrieve"),
        EvidenceFound(at=102.0, queries=(CANARY,), evidence=EVIDENCE),
        Judged(at=103.0, judgement=Judgement(0.75, Action.ANSWER, CANARY)),
        Acted(at=103.0, step=Step(Action.ANSWER, (CANARY,), frozenset(), 0.75), reason=CANARY),
        StatusChanged(at=103.5, stage="write"),
        SentenceVerified(at=105.0, sentence=sentence, claims=2),
        SentenceWithdrawn(at=105.5, sentence=sentence, reason=CANARY),
        FindingMade(at=105.5, finding=finding),
        last,
    ]


def meter() -> Meter:
    """A meter that saw a call that failed and one that replied."""
    clock = SetTime()
    counting = Meter(clock)
    clock.now = 104.0
    with suppress(TimeoutError), counting.watch("openai:gpt-x", "api.openai.com", REQUEST, False):
        clock.now = 104.25
        raise TimeoutError(CANARY)
    with counting.watch("local:a.gguf", "", REQUEST, True) as call:
        clock.now = 104.75
        usage = Usage(prompt_tokens=300, completion_tokens=12, total_tokens=312, cached_tokens=None, calls=1)
        call.reply = ModelReply(CANARY, "stop", usage, "a.gguf")
    return counting


def traced(tracer: RunTracer, exporter: InMemorySpanExporter, last: Done | Failed) -> dict[str, ReadableSpan]:
    tracer.open(IDS[0], CANARY)
    tracer.measure(IDS[0], meter())
    for event in events(last):
        tracer.receive(IDS[0], event)
    return {span.name: span for span in exporter.get_finished_spans()}


def of(span: ReadableSpan) -> Mapping[str, Any]:
    assert span.attributes is not None
    return span.attributes


def seconds(span: ReadableSpan) -> tuple[float, float]:
    assert span.start_time is not None
    assert span.end_time is not None
    return span.start_time / 1e9, span.end_time / 1e9


ANSWERED = Done(at=106.0, answer=answer_of(IDS[0], CANARY))


def test_a_run_is_a_workflow_with_its_stages_and_its_calls(
    provider: TracerProvider, exporter: InMemorySpanExporter
):
    with within_request(Request("req-1", "acme")):
        spans = traced(RunTracer("notes", provider=provider), exporter, ANSWERED)
    assert {name: seconds(span) for name, span in spans.items()} == {
        "invoke_workflow assay": (100.0, 106.0),
        "assay.understand": (100.0, 101.0),
        "retrieval notes": (101.0, 102.0),
        "assay.judge": (102.0, 103.0),
        "assay.write": (103.5, 106.0),
        "chat gpt-x": (104.0, 104.25),
        "chat a.gguf": (104.25, 104.75),
    }
    run, write = spans["invoke_workflow assay"], spans["assay.write"]
    for name, span in spans.items():
        parent = write if name.startswith("chat") else run
        assert name == "invoke_workflow assay" or span.parent == parent.get_span_context()
    assert run.parent is None
    assert dict(of(run)) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "assay",
        "assay.run_id": IDS[0],
        "assay.collection": "notes",
        "assay.tenant": "acme",
        "assay.request_id": "req-1",
        "assay.outcome": "answered",
        "assay.verdict": "supported",
        "assay.confidence": 0.9,
        "assay.profile": "fast",
        "assay.rounds": 1,
        "assay.repairs": 0,
        "assay.claims": 1,
        "assay.cost": 0.0,
        "gen_ai.usage.input_tokens": 0,
        "gen_ai.usage.output_tokens": 0,
    }
    assert [event.name for event in run.events] == [
        "assay.acted",
        "assay.sentence.verified",
        "assay.sentence.withdrawn",
        "assay.finding",
    ]
    assert run.status.status_code is StatusCode.UNSET


def test_searches_and_calls_have_the_attributes_of_the_conventions(
    provider: TracerProvider, exporter: InMemorySpanExporter
):
    spans = traced(RunTracer("notes", provider=provider), exporter, ANSWERED)
    search, judge = spans["retrieval notes"], spans["assay.judge"]
    assert dict(of(search)) == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "notes",
        "assay.passages": 3,
    }
    assert dict(of(judge)) == {"assay.recommendation": "ANSWER", "assay.sufficiency": 0.75}
    failed, replied = spans["chat gpt-x"], spans["chat a.gguf"]
    asked = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.max_tokens": 99,
        "gen_ai.request.temperature": 0.1,
        "gen_ai.output.type": "text",
        "assay.role": "writer",
    }
    assert dict(of(failed)) == asked | {
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "server.address": "api.openai.com",
        "error.type": "TimeoutError",
    }
    assert (failed.kind, failed.status.status_code) == (SpanKind.CLIENT, StatusCode.ERROR)
    assert dict(of(replied)) == asked | {
        "gen_ai.provider.name": "local",
        "gen_ai.request.model": "a.gguf",
        "gen_ai.request.stream": True,
        "gen_ai.response.model": "a.gguf",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 300,
        "gen_ai.usage.output_tokens": 12,
        "assay.cost": 0.0,
    }
    assert (search.kind, replied.kind) == (SpanKind.CLIENT, SpanKind.INTERNAL)


def test_no_text_is_in_a_span_unless_somebody_wants_it(provider: TracerProvider, exporter: InMemorySpanExporter):
    for last in (ANSWERED, Failed(at=106.0, error="StoreError", message=CANARY, hint=CANARY)):
        traced(RunTracer("notes", provider=provider), exporter, last)
    assert exporter.get_finished_spans()
    assert CANARY not in "".join(span.to_json() for span in exporter.get_finished_spans())


def test_texts_have_the_form_of_the_conventions(provider: TracerProvider, exporter: InMemorySpanExporter):
    spans = traced(RunTracer("notes", texts=True, provider=provider), exporter, ANSWERED)

    def message(role: str, **more: str) -> dict[str, Any]:
        return {"role": role, "parts": [{"type": "text", "content": CANARY}], **more}

    run, call, search = (spans[name] for name in ("invoke_workflow assay", "chat a.gguf", "retrieval notes"))
    assert json.loads(of(run)["gen_ai.input.messages"]) == [message("user")]
    assert json.loads(of(run)["gen_ai.output.messages"])[0]["parts"][0]["content"] == ANSWERED.answer.text
    assert json.loads(of(call)["gen_ai.input.messages"]) == [message("system"), message("user")]
    assert json.loads(of(call)["gen_ai.output.messages"]) == [message("assistant", finish_reason="stop")]
    assert of(search)["gen_ai.retrieval.query.text"] == CANARY
    assert json.loads(of(search)["gen_ai.retrieval.documents"])[0] == {"id": "p1", "score": 1.0}


def test_a_run_that_failed_is_an_error_of_its_kind(provider: TracerProvider, exporter: InMemorySpanExporter):
    tracer = RunTracer(provider=provider)
    tracer.open(IDS[0], ASKED)
    tracer.receive(IDS[0], StatusChanged(at=1.0, stage="understand"))
    tracer.receive(IDS[0], Failed(at=2.0, error="StoreError", message="gone", hint="add it"))
    stage, run = exporter.get_finished_spans()
    assert (stage.name, run.name) == ("assay.understand", "invoke_workflow assay")
    assert (of(run)["error.type"], run.status.status_code) == ("StoreError", StatusCode.ERROR)


def test_a_run_lies_under_the_span_in_which_it_was_asked(provider: TracerProvider, exporter: InMemorySpanExporter):
    tracer = RunTracer(provider=provider)
    with trace.get_tracer("server", tracer_provider=provider).start_as_current_span("POST /ask") as asked:
        tracer.open(IDS[0], ASKED)
    tracer.receive(IDS[0], Failed(at=2.0, error="StoreError", message="gone", hint="add it"))
    (run,) = (span for span in exporter.get_finished_spans() if span.name == "invoke_workflow assay")
    assert run.parent == asked.get_span_context()
