"""The part of a record of runs that no storage changes: keep a run until it ends, and read what was stored."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from assay.calibration.fit import Fit
from assay.core.budget import Meter
from assay.core.tape import Tape, TapeEntry
from assay.errors import DamagedStore, UsageError
from assay.records.figures import RunFigures, figures_of, unrepaired
from assay.records.kept_answers import KeptRow
from assay.records.values import ERROR, Recording, RunRecord
from assay.types import Answer, Done, Event, Failed, RunSummary

# Words that say what was asked, what was decided and by what, and never what a document or an answer says. Any
# other text is left out of an outline, so that a field that is new cannot leak.
_KEPT = frozenset(
    {
        *("schema", "run_id", "outcome", "verdict", "profile", "mode_used", "level", "answers", "answers_question"),
        *("document_id", "passage_id", "revision", "sha256", "passage_ids", "stage", "kind", "state", "by", "name"),
        *("status", "severity", "check", "action", "recommendation", "quality", "triage", "code", "criterion"),
        *("writer", "judge", "verifier", "error", "question", "reused_from"),
    }
)
# Names and values of a document's own.
_LEFT_OUT = frozenset({"metadata"})


def event_json(event: Event) -> str:
    """The event as `to_dict` gives it, an answer with its schema, but not copied value by value first."""
    return json.dumps(event, default=_as_json_types)


def outline(body: Any, kept: bool = False) -> Any:
    """JSON without its texts: numbers stay, and words that name a decision, a check or an id.

    >>> outline({"outcome": "answered", "text": "It rained.", "claims": [{"n": 1, "verdict": "supported"}]})
    {'outcome': 'answered', 'text': '', 'claims': [{'n': 1, 'verdict': 'supported'}]}
    """
    if isinstance(body, Mapping):
        return {name: outline(value, name in _KEPT) for name, value in body.items() if name not in _LEFT_OUT}
    if isinstance(body, list):
        return [outline(value, kept) for value in body if kept or not isinstance(value, str)]
    return "" if isinstance(body, str) and not kept else body


def _as_json_types(value: Any) -> Any:
    """The value as JSON types, one level deep."""
    if isinstance(value, Answer):
        body = _by_name(value, without="trace")
        for name in value.left_out:
            del body[name]
        return {"schema": value.schema, **body, **value.derived}
    if is_dataclass(value):
        return _by_name(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def _by_name(value: Any, without: str = "") -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name != without}


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run as it is stored when it ends.

    `events` are seq, time, kind and JSON each; `figures` and `queued` (the findings left, where some are) are JSON,
    None where the run has no answer; `about` is None where no tape was kept.
    """

    run_id: str
    question: str
    started: float
    outcome: str
    events: tuple[tuple[int, float, str, str], ...]
    figures: str | None
    queued: str | None
    kept: KeptRow | None
    about: str | None
    calls: tuple[TapeEntry, ...]


@dataclass(slots=True)
class _Unfinished:
    question: str
    started: float
    events: list[Event] = field(default_factory=list)


class Recorder:
    """Keeps what happens in runs until they end; without `texts`, an outline of it."""

    def __init__(self, *, texts: bool) -> None:
        self._texts = texts
        self._unfinished: dict[str, _Unfinished] = {}
        self._tapes: dict[str, tuple[str, Tape]] = {}
        self._meters: dict[str, Meter] = {}
        self._kept: dict[str, KeptRow] = {}

    def keep_tape(self, run_id: str, about: Mapping[str, Any], tape: Tape) -> None:
        """Give the tape out with the run when it ends, and `about` as JSON; nothing without texts."""
        if self._texts:
            self._tapes[run_id] = json.dumps(about), tape

    def measure(self, run_id: str, meter: Meter) -> None:
        """Give the costs of the run's checks out with its figures when it ends."""
        self._meters[run_id] = meter

    def keep_answer(self, run_id: str, row: KeptRow) -> None:
        """Give the kept answer of the run out with it when it ends; nothing without texts."""
        if self._texts:
            self._kept[run_id] = row

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._unfinished[run_id] = _Unfinished(question, time.time())

    def receive(self, run_id: str, event: Event) -> FinishedRun | None:
        """Keep the event; the run if this was its last one."""
        self._unfinished[run_id].events.append(event)
        if isinstance(event, Done | Failed):
            return self._finished(run_id, self._unfinished.pop(run_id))
        return None

    def _finished(self, run_id: str, run: _Unfinished) -> FinishedRun:
        bodies = [event_json(event) for event in run.events]
        last = run.events[-1]
        answer = json.loads(bodies[-1])["answer"] if isinstance(last, Done) else None
        if not self._texts:
            bodies = [json.dumps(outline(json.loads(body))) for body in bodies]
        about, tape = self._tapes.pop(run_id, (None, Tape()))
        meter, kept = self._meters.pop(run_id, None), self._kept.pop(run_id, None)
        left = () if answer is None else unrepaired(answer)
        return FinishedRun(
            run_id=run_id,
            question=run.question,
            started=run.started,
            outcome=last.answer.outcome.value if isinstance(last, Done) else ERROR,
            events=tuple(
                (event.seq, event.at, event.kind, body) for event, body in zip(run.events, bodies, strict=True)
            ),
            figures=None if answer is None else _figures(answer, meter),
            queued=json.dumps(self._findings(left)) if left else None,
            kept=None if answer is None else kept,
            about=about,
            calls=() if about is None else tuple(tape.entries),
        )

    def _findings(self, left: Sequence[str]) -> list[str]:
        return list(left) if self._texts else [finding.partition(":")[0] for finding in left]


def _figures(answer: Mapping[str, Any], meter: Meter | None) -> str:
    measured = (None, None, None) if meter is None else (meter.costs, meter.tries, meter.lookup)
    return json.dumps(figures_of(answer, *measured).to_dict())


def read_figures(outcome: str, body: str | None, load: Callable[[], RunRecord]) -> RunFigures | None:
    """The figures of a run; of one that an earlier version recorded, what its answer says besides."""
    if outcome == ERROR:
        return None
    found = None if body is None else RunFigures.read(json.loads(body))
    if found is not None and found.outcome:
        return found
    answer = load().answer
    if answer is None:
        return found
    return figures_of(answer) if found is None else figures_of(answer, found.costs, found.tries, found.lookup)


def read_recording(record: RunRecord, about: str | None, calls: Sequence[tuple[str, str, bytes]]) -> Recording:
    """The parts of a run that a replay needs. Raises UsageError where they were not kept."""
    run, last = record.run, record.events[-1]
    if about is None:
        raise UsageError(
            f"run {run.run_id} cannot be replayed: its tape was not kept",
            hint="only questions that are asked with the setting tape on can be",
        )
    cut = last.kind == Failed.kind and last.body["error"] in ("DeadlinePassed", "CancelledError")
    return Recording(run, json.loads(about), tuple(TapeEntry(*call) for call in calls), cut)


def read_fit(body: str) -> Fit:
    """A fit from its JSON. Raises DamagedStore."""
    try:
        return Fit.read(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedStore("a calibration cannot be read", hint="assay calibrate --use 0") from error


def fit_is_gone(version: int) -> DamagedStore:
    """The error for a calibration that a collection uses and nobody has."""
    return DamagedStore(f"calibration {version} is gone", hint="assay calibrate --use 0")


def only_run(run_id: str, found: Sequence[RunSummary]) -> RunSummary:
    """The one run that was found for an id or its beginning. Raises UsageError."""
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"several runs begin with {run_id!r}", hint=f"give more of it, e.g. {found[0].run_id}")
    if run_id == "last":
        raise UsageError("no run is recorded yet", hint="ask something first: assay ask 'What is …?'")
    raise UsageError(f"there is no run {run_id!r}", hint="`assay show` lists the latest runs")


def names_of_document(document_id: str) -> tuple[str, bytes]:
    """The names of a document in the events and in the tape of a run.

    A quote of a text is escaped in JSON, so that no text can pass for the name of a document.
    """
    raw = json.dumps(document_id, ensure_ascii=False).encode(errors="replace")
    return f'"document_id": {json.dumps(document_id)}', b'"document_id":' + raw
