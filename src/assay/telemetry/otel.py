"""Spans of OpenTelemetry for each run, by its semantic conventions for generative AI, version 1.41.

A run is a workflow, a search a retrieval, and a model's attempt at a reply a chat; what the conventions have no
name for begins with `assay.`. Needs the extra `otel`; where the spans go is set up outside of assay.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from assay.core.budget import Meter, ModelCall
from assay.telemetry.request import Request, current_request
from assay.types import (
    Acted,
    Answer,
    Done,
    Event,
    EvidenceFound,
    Failed,
    FindingMade,
    Judged,
    SentenceVerified,
    SentenceWithdrawn,
    StatusChanged,
)

Attributes = dict[str, str | bool | int | float | Sequence[str]]
WORKFLOW = "assay"
# The conventions' names of providers; others are named as assay names them.
_PROVIDERS: Mapping[str, str] = {"openai": "openai", "anthropic": "anthropic", "gemini": "gcp.gemini"}
# The stage between a search and the judgement of what it found.
_JUDGING = "judge"


@dataclass(slots=True)
class _Open:
    question: str
    request: Request
    parent: context.Context
    meter: Meter | None = None
    events: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage of a run, in Unix seconds."""

    name: str
    start: float
    end: float
    found: EvidenceFound | None = None
    judged: Judged | None = None


class RunTracer:
    """A sink that makes the spans of a run when it ends, under the span in which it was asked.

    With `texts`, spans have the question, the queries, the prompts, the replies and the answer; without, no text.
    `provider` is the application's own, None for the global one.
    """

    def __init__(
        self, collection: str = "", *, texts: bool = False, provider: TracerProvider | None = None
    ) -> None:
        self._tracer = trace.get_tracer("assay", tracer_provider=provider)
        self._collection = collection
        self._texts = texts
        self._runs: dict[str, _Open] = {}

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._runs[run_id] = _Open(question, current_request(), context.get_current())

    def measure(self, run_id: str, meter: Meter) -> None:
        """Take the meter that knows the calls of models."""
        self._runs[run_id].meter = meter

    def receive(self, run_id: str, event: Event) -> None:
        """Keep the event; the last one makes the spans."""
        self._runs[run_id].events.append(event)
        if isinstance(event, Done | Failed):
            self._trace(run_id, self._runs.pop(run_id), event)

    def close(self) -> None:
        """Nothing is held."""

    # --- the run ---------------------------------------------------------------------------------

    def _trace(self, run_id: str, run: _Open, last: Done | Failed) -> None:
        calls = () if run.meter is None else run.meter.calls
        first = min([run.events[0].at, *(call.started for call in calls)])
        span = self._tracer.start_span(
            f"invoke_workflow {WORKFLOW}",
            run.parent,
            SpanKind.INTERNAL,
            {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": WORKFLOW, "assay.run_id": run_id},
            start_time=_nanoseconds(first),
        )
        span.set_attributes(self._of_run(run, last))
        for event in run.events:
            _add_event(span, event)
        if isinstance(last, Failed):
            _fail(span, last.error)
        stages = _stages(run.events)
        spans = [(stage, self._stage_span(stage, span)) for stage in stages]
        for call in calls:
            within = (child for stage, child in spans if stage.start <= call.started <= stage.end)
            self._call_span(call, next(within, span))
        for stage, child in spans:
            child.end(_nanoseconds(stage.end))
        span.end(_nanoseconds(max([last.at, *(call.ended for call in calls)])))

    def _of_run(self, run: _Open, last: Done | Failed) -> Attributes:
        found: Attributes = {}
        names = {"assay.collection": self._collection, "assay.tenant": run.request.tenant}
        names["assay.request_id"] = run.request.request_id
        found.update({name: value for name, value in names.items() if value})
        if self._texts:
            found["gen_ai.input.messages"] = _messages(("user", run.question))
        if isinstance(last, Done):
            found |= _of_answer(last.answer)
            if self._texts:
                found["gen_ai.output.messages"] = _messages(("assistant", last.answer.text), finish="stop")
        return found

    # --- its parts -------------------------------------------------------------------------------

    def _stage_span(self, stage: _Stage, parent: Span) -> Span:
        name, kind, attributes = f"assay.{stage.name}", SpanKind.INTERNAL, Attributes()
        if stage.found is not None:
            name, kind = f"retrieval {self._collection}".rstrip(), SpanKind.CLIENT
            attributes = self._of_search(stage.found)
        if stage.judged is not None:
            judgement = stage.judged.judgement
            attributes = {"assay.recommendation": judgement.recommendation.value}
            if judgement.sufficiency is not None:
                attributes["assay.sufficiency"] = judgement.sufficiency
        return self._tracer.start_span(
            name, trace.set_span_in_context(parent), kind, attributes, start_time=_nanoseconds(stage.start)
        )

    def _of_search(self, found: EvidenceFound) -> Attributes:
        hits = found.evidence.hits
        attributes: Attributes = {"gen_ai.operation.name": "retrieval", "assay.passages": len(hits)}
        if self._collection:
            attributes["gen_ai.data_source.id"] = self._collection
        if self._texts:
            documents = [{"id": hit.passage.passage_id, "score": hit.score} for hit in hits]
            attributes["gen_ai.retrieval.query.text"] = "; ".join(found.queries)
            attributes["gen_ai.retrieval.documents"] = json.dumps(documents)
        return attributes

    def _call_span(self, call: ModelCall, parent: Span) -> None:
        provider, _, model = call.model.partition(":")
        request = call.request
        attributes: Attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
            "gen_ai.request.model": model,
            "gen_ai.request.max_tokens": request.max_tokens,
            "gen_ai.request.temperature": request.temperature,
            "gen_ai.output.type": "text" if request.schema is None else "json",
            "assay.role": request.role,
        }
        if call.streamed:
            attributes["gen_ai.request.stream"] = True
        if call.host:
            attributes["server.address"] = call.host
        if self._texts:
            prompt = [(message.role, message.text) for message in request.messages]
            attributes["gen_ai.input.messages"] = _messages(*prompt)
        if call.reply is not None:
            attributes |= _of_reply(call)
            if self._texts:
                reply = ("assistant", call.reply.text)
                attributes["gen_ai.output.messages"] = _messages(reply, finish=call.reply.finish)
        span = self._tracer.start_span(
            f"chat {model}",
            trace.set_span_in_context(parent),
            SpanKind.CLIENT if call.host else SpanKind.INTERNAL,
            attributes,
            start_time=_nanoseconds(call.started),
        )
        if call.error:
            _fail(span, call.error)
        span.end(_nanoseconds(call.ended))


def _of_answer(answer: Answer) -> Attributes:
    usage = answer.usage
    counted: dict[str, str | int | float | None] = {
        "assay.outcome": answer.outcome.value,
        "assay.verdict": answer.verdict.value,
        "assay.confidence": answer.confidence.score,
        "assay.probability": answer.confidence.value,
        "assay.profile": answer.profile,
        "assay.rounds": answer.searches,
        "assay.repairs": len(answer.repairs),
        "assay.claims": len(answer.claims),
        "assay.cost": usage.cost,
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
    }
    return {name: value for name, value in counted.items() if value is not None}


def _of_reply(call: ModelCall) -> Attributes:
    reply = call.reply
    assert reply is not None  # noqa: S101 - asked for by the caller
    counted: dict[str, Any] = {
        "gen_ai.response.model": reply.model,
        "gen_ai.response.finish_reasons": (reply.finish,),
        "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": reply.usage.cached_tokens,
        "assay.cost": reply.usage.cost,
    }
    return {name: value for name, value in counted.items() if value is not None}


def _stages(events: Sequence[Event]) -> list[_Stage]:
    """The stages of a run: each lasts until the next, a search until it returned, a judgement until it is made."""
    found: list[_Stage] = []
    open_stage: _Stage | None = None
    for event in events:
        match event:
            case StatusChanged(stage=name):
                ended, open_stage = open_stage, _Stage(name, event.at, event.at)
            case EvidenceFound() if open_stage is not None:
                ended = replace(open_stage, found=event)
                open_stage = _Stage(_JUDGING, event.at, event.at)
            case Judged() if open_stage is not None:
                ended, open_stage = replace(open_stage, judged=event), None
            case Done() | Failed():
                ended, open_stage = open_stage, None
            case _:
                continue
        if ended is not None:
            found.append(replace(ended, end=event.at))
    return found


def _add_event(span: Span, event: Event) -> None:
    """Tell the span what happened, in names and numbers."""
    at = _nanoseconds(event.at)
    match event:
        case Acted(step=step):
            span.add_event("assay.acted", {"assay.action": step.action.value}, at)
        case FindingMade(finding=finding):
            attributes = {"assay.check": finding.check, "assay.severity": finding.severity.value}
            span.add_event("assay.finding", attributes, at)
        case SentenceVerified(claims=claims):
            span.add_event("assay.sentence.verified", {"assay.claims": claims}, at)
        case SentenceWithdrawn():
            span.add_event("assay.sentence.withdrawn", {}, at)


def _fail(span: Span, error: str) -> None:
    span.set_attribute("error.type", error)
    span.set_status(Status(StatusCode.ERROR))


def _messages(*messages: tuple[str, str], finish: str = "") -> str:
    """Messages as the conventions have them, as JSON."""
    ending = {"finish_reason": finish} if finish else {}
    body = [{"role": role, "parts": [{"type": "text", "content": text}], **ending} for role, text in messages]
    return json.dumps(body)


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
