"""A question answered by an engine leaves a log line and spans, under the request and the span of its caller."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.settings import load_settings
from assay.telemetry.log import AnswerLog
from assay.telemetry.otel import RunTracer
from assay.telemetry.request import Request, within_request
from assay.wiring import open_engine
from assay.wiring.replay import replay

BOIL = "At how many degrees does water boil?"
RULES = [
    {"role": "writer", "error": {"kind": "failed", "message": "503", "retryable": True}, "contains": "never"},
    {
        "role": "writer",
        "reply": "Water boils at 100 degrees Celsius at sea level [1].",
        "usage": {"prompt_tokens": 300, "completion_tokens": 12, "total_tokens": 312},
    },
]


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> Iterator[TracerProvider]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider
    provider.shutdown()


@pytest.fixture
def water(tmp_path: Path) -> Path:
    (tmp_path / "water.md").write_text("Water boils at 100 degrees Celsius at sea level.", encoding="utf-8")
    (tmp_path / "script.json").write_text(json.dumps(RULES), encoding="utf-8")
    return tmp_path


def test_the_line_and_the_spans_are_those_of_the_question(
    water: Path, provider: TracerProvider, exporter: InMemorySpanExporter
):
    log = AnswerLog(io.StringIO(), "default")
    tracer = trace.get_tracer("server", tracer_provider=provider)
    sinks = (log, RunTracer("default", provider=provider))
    with open_engine(data_dir=water / "data", model=f"fake:{water / 'script.json'}", sinks=sinks) as engine:
        engine.add([water / "water.md"])
        with within_request(Request("req-1", "acme")), tracer.start_as_current_span("POST /ask") as asked:
            answer = engine.ask(BOIL)
        with within_request(Request("req-2")):
            later = asyncio.run(engine.aask(BOIL))
    assert isinstance(log.stream, io.StringIO)
    first, second = map(json.loads, log.stream.getvalue().splitlines())
    assert (first["run_id"], first["request_id"], first["tenant"]) == (answer.run_id, "req-1", "acme")
    assert (second["run_id"], second["request_id"], second["tenant"]) == (later.run_id, "req-2", None)
    assert (first["prompt_tokens"], first["completion_tokens"], first["retries"]) == (300, 12, 0)
    spans = [span for span in exporter.get_finished_spans() if span.name != "POST /ask"]
    trace_id = asked.get_span_context().trace_id
    of_first = {span.name: span for span in spans if span.context.trace_id == trace_id}
    assert set(of_first) >= {"invoke_workflow assay", "retrieval default", "assay.write", "chat script.json"}
    call, write = of_first["chat script.json"], of_first["assay.write"]
    assert call.parent == write.context
    assert of_first["invoke_workflow assay"].parent == asked.get_span_context()
    assert all(span.start_time <= span.end_time for span in spans)


def test_watching_its_calls_does_not_change_what_a_run_replays(water: Path):
    with open_engine(data_dir=water / "data", model=f"fake:{water / 'script.json'}", traces=True) as engine:
        engine.add([water / "water.md"])
        answer = engine.ask(BOIL)
    assert replay("last", data_dir=water / "data").to_dict() == answer.to_dict()


WITHOUT_OTEL = """
import sys
sys.modules["opentelemetry"] = None
from assay import AssayError, open_engine
try:
    open_engine(data_dir=sys.argv[1], traces=True)
except AssayError as error:
    print(type(error).__name__, error.hint)
"""


def test_without_the_extra_the_error_names_the_command(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_OTEL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == 'MissingExtra in the clone of assay: pip install ".[otel]"\n'


@pytest.mark.parametrize(
    ("value", "captures"),
    [("true", True), ("SPAN_ONLY", True), ("span_and_event", True), ("EVENT_ONLY", False), ("NO_CONTENT", False)],
)
def test_the_variable_of_the_conventions_says_whether_texts_are_captured(
    tmp_path: Path, value: str, captures: bool
):
    name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
    settings = load_settings({}, environment={name: value}, folder=tmp_path, config_file=tmp_path / "none").settings
    assert settings.telemetry_texts is captures
    assert not load_settings({}, environment={}, folder=tmp_path, config_file=tmp_path / "none").settings.traces
