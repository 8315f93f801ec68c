"""One line of JSON for each run that ends, for a log that programs read."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TextIO

from assay.core.budget import Meter
from assay.telemetry.request import Request, current_request
from assay.types import Answer, Done, Event, Failed, Tries


@dataclass(slots=True)
class _Open:
    question: str
    request: Request
    meter: Meter | None = None
    first: float | None = None


@dataclass(slots=True)
class AnswerLog:
    """A sink that writes a line to `stream` for each answer and each error, at once and whole.

    A line has ids, names, counts and verdicts. No text of a question, a document, an answer or an error is in it,
    unless `texts` is set: then the question and the answer are, or the error's message. Every character that ends a
    line or acts on a terminal is escaped. Safe to use from several threads and engines; closing it leaves the
    stream open.
    """

    stream: TextIO
    collection: str = ""
    texts: bool = False
    _runs: dict[str, _Open] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._runs[run_id] = _Open(question, current_request())

    def measure(self, run_id: str, meter: Meter) -> None:
        """Take the meter that counts the attempts of models."""
        self._runs[run_id].meter = meter

    def receive(self, run_id: str, event: Event) -> None:
        """Write the line of a run that ended; other events are passed over."""
        run = self._runs[run_id]
        run.first = event.at if run.first is None else run.first
        if not isinstance(event, Done | Failed):
            return
        del self._runs[run_id]
        line = line_of(self._fields(run_id, run, event))
        with self._lock:
            self.stream.write(line)
            self.stream.flush()

    def close(self) -> None:
        """Nothing is held."""

    def _fields(self, run_id: str, run: _Open, event: Done | Failed) -> dict[str, Any]:
        tries = Tries() if run.meter is None else run.meter.tries
        ids = {
            "time": datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds"),
            "event": "answer",
            "status": "error" if isinstance(event, Failed) else "ok",
            "run_id": run_id,
            "request_id": run.request.request_id or None,
            "tenant": run.request.tenant or None,
            "collection": self.collection or None,
            "retries": max(0, tries.attempts - tries.replies),
        }
        texts: dict[str, Any] = {"question": run.question} if self.texts else {}
        if isinstance(event, Failed):
            texts |= {"message": event.message} if self.texts else {}
            return {
                **ids,
                "error": event.error,
                "duration_ms": 1000 * (event.at - (run.first or event.at)),
                **texts,
            }
        texts |= {"answer": event.answer.text} if self.texts else {}
        return {**ids, **_of_answer(event.answer), **texts}


def _of_answer(answer: Answer) -> dict[str, Any]:
    return {
        "duration_ms": answer.ms,
        "outcome": answer.outcome.value,
        "verdict": answer.verdict.value,
        "confidence": answer.confidence.score,
        "confidence_level": answer.confidence.level,
        "probability": answer.confidence.value,
        "profile": answer.profile,
        "mode": answer.mode_used,
        "rounds": answer.searches,
        "repairs": len(answer.repairs),
        "claims": len(answer.claims),
        "sources": len(answer.sources),
        "calls": answer.usage.calls,
        "prompt_tokens": answer.usage.prompt_tokens,
        "completion_tokens": answer.usage.completion_tokens,
        "cost": answer.usage.cost,
    }


def line_of(fields: dict[str, Any]) -> str:
    r"""A line of JSON in ASCII, without any character that ends a line or acts on a terminal.

    >>> line_of({"question": "How\x7f hot?\r\n\x1b[31m", "ms": 1.23456})
    '{"question": "How\\u007f hot?\\r\\n\\u001b[31m", "ms": 1.235}\n'
    """
    rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in fields.items()}
    return json.dumps(rounded).replace("\x7f", "\\u007f") + "\n"
