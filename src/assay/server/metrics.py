"""Metrics for Prometheus: requests, answers, checks and costs, counted in every process and summed over them."""

from __future__ import annotations

import os
import time
from collections import Counter as Counts
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.core.budget import Meter
from assay.records.figures import reflections_of
from assay.types import Answer, Done, Event, Failed, Outcome, RepairKind, Tries

# The folder in which the processes of one server count together. The library reads the variable when it is
# imported, so it is set before a process is started.
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# The route of a request that has none, or that was refused before it was routed.
NO_ROUTE = "none"

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Seconds: a health check takes a millisecond, an answer by models up to the two minutes that a request may ask for.
_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
# Tenths, among them the limits of the confidence levels.
_TENTHS = tuple(tenth / 10 for tenth in range(1, 11))


@dataclass(frozen=True, slots=True)
class Levels:
    """Values read off the server rather than counted: open engines, and providers that are left alone."""

    open_engines: int
    open_circuits: int


class Metrics:
    """The metrics of a server; as a sink of its engines it counts runs. All methods may be called from any thread.

    Labels are routes, methods, statuses, kinds and verdicts: never an id, a tenant, a name or a text. Counts are
    summed over the processes of a server if `FOLDER_VARIABLE` names their folder.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._http = _HttpMetrics(self._registry)
        self._answers = _AnswerMetrics(self._registry)
        self._costs = _CostMetrics(self._registry)
        self._running = self._gauge("assay_runs_in_progress", "Questions and drafts that are being worked on.")
        self._engines = self._gauge("assay_open_engines", "Collections that are held open.")
        self._circuits = self._gauge("assay_open_circuits", "Model providers left alone after failing repeatedly.")
        # Read from the folder that all processes share, so that the latest value counts, not a sum.
        self._files = self._gauge("assay_waiting_files", "Uploaded files that wait.", mode="livemostrecent")
        self._meters: dict[str, Meter] = {}
        if FOLDER_VARIABLE not in os.environ:
            ProcessCollector(registry=self._registry)

    def page(self, accept: str, waiting_files: float = 0) -> tuple[bytes, str]:
        """The metrics in a format that the Accept header of the reader asks for, and its content type."""
        self._files.set(waiting_files)
        encode, content_type = choose_encoder(accept)
        folder = os.environ.get(FOLDER_VARIABLE)
        if folder is None:
            return encode(self._registry), content_type
        forget_dead_processes(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return encode(registry), content_type

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        method = method if method in _METHODS else "other"
        self._http.requests.labels(route, method, str(status)).inc()
        self._http.seconds.labels(route, method).observe(seconds)

    def show(self, levels: Levels) -> None:
        """Set what is read off the server."""
        self._engines.set(levels.open_engines)
        self._circuits.set(levels.open_circuits)

    # --- as a sink -------------------------------------------------------------------------------

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._running.inc()

    def measure(self, run_id: str, meter: Meter) -> None:
        """Take the meter of a run."""
        self._meters[run_id] = meter

    def receive(self, run_id: str, event: Event) -> None:
        """Count the run at its last event."""
        if not isinstance(event, Done | Failed):
            return
        self._running.dec()
        meter = self._meters.pop(run_id, None)
        self._costs.count_tries(Tries() if meter is None else meter.tries)
        if isinstance(event, Failed):
            self._answers.errors.labels(event.error).inc()
        else:
            self._answers.count(event.answer)
            self._costs.count(event.answer)

    def close(self) -> None:
        """Nothing: an engine closes, and the server goes on."""

    def _gauge(self, name: str, explained: str, mode: Literal["livesum", "livemostrecent"] = "livesum") -> Gauge:
        return Gauge(name, explained, registry=self._registry, multiprocess_mode=mode)


@dataclass(slots=True)
class _HttpMetrics:
    """Requests by route, method and status."""

    registry: CollectorRegistry
    requests: Counter = field(init=False)
    seconds: Histogram = field(init=False)

    def __post_init__(self) -> None:
        self.requests = Counter(
            "assay_http_requests",
            "Requests that were answered.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "assay_http_request_seconds",
            "Time until the whole response was sent; a stream of events counts until its end.",
            ("route", "method"),
            registry=self.registry,
            buckets=_SECONDS,
        )


class _AnswerMetrics:
    """Answers, and what the checks and repairs made of them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, explained: str, labels: Collection[str] = ()) -> Counter:
            return Counter(name, explained, tuple(labels), registry=registry)

        def histogram(name: str, explained: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(name, explained, registry=registry, buckets=buckets)

        self.errors = counter("assay_run_errors", "Runs that ended with an error, by its kind.", ("error",))
        self.answers = counter(
            "assay_answers",
            "Answers by outcome and verdict, and whether every blocking check passed.",
            ("outcome", "verdict", "verified"),
        )
        self.claims = counter("assay_claims", "Claims of delivered answers by verdict.", ("verdict",))
        self.citations = counter("assay_citations", "Citation marks, and whether they name a source.", ("valid",))
        self.delivered = counter("assay_delivered_answers", "Answers that were given, whole or in part.")
        self.reflected = counter("assay_reflected_answers", "Delivered answers that differ from their first draft.")
        self.repairs = counter("assay_repairs", "Repairs that were kept, by kind.", ("kind",))
        self.searches = counter("assay_searches", "Rounds of searching.")
        self.seconds = histogram("assay_answer_seconds", "Time from question to answer.", _SECONDS)
        self.first_verified = histogram(
            "assay_first_verified_seconds", "Time from question to first verified sentence.", _SECONDS
        )
        self.score = histogram("assay_confidence_score", "Confidence of delivered answers by the rules.", _TENTHS)
        self.probability = histogram(
            "assay_confidence_probability", "Calibrated probability that a delivered answer is right.", _TENTHS
        )
        for kind in RepairKind:
            self.repairs.labels(kind)

    def count(self, answer: Answer) -> None:
        """Count an answer."""
        verified = str(answer.validate()).lower()
        self.answers.labels(answer.outcome, answer.verdict, verified).inc()
        self.seconds.observe(answer.ms / 1000)
        self.searches.inc(answer.searches)
        if answer.first_verified_ms is not None:
            self.first_verified.observe(answer.first_verified_ms / 1000)
        if answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL):
            self._count_delivered(answer)

    def _count_delivered(self, answer: Answer) -> None:
        invalid = len(answer.invalid_citations)
        self.citations.labels("false").inc(invalid)
        self.citations.labels("true").inc(len(answer.citations) - invalid)
        for claim in answer.claims:
            self.claims.labels(claim.verdict).inc()
        for repair in answer.repairs:
            self.repairs.labels(repair.kind).inc()
        self.delivered.inc()
        if reflections_of(Counts(repair.kind for repair in answer.repairs), answer.drafts):
            self.reflected.inc()
        self.score.observe(answer.confidence.score)
        if answer.confidence.value is not None:
            self.probability.observe(answer.confidence.value)


class _CostMetrics:
    """Calls of models, their attempts, tokens and money."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, explained: str, labels: Collection[str] = ()) -> Counter:
            return Counter(name, explained, tuple(labels), registry=registry)

        self.calls = counter("assay_model_calls", "Calls of language models in runs that gave an answer.")
        self.tokens = counter("assay_tokens", "Tokens by kind; cached ones are among the prompt's.", ("kind",))
        self.cost = counter("assay_cost_dollars", "Cost of the answers whose price is known.")
        self.unpriced = counter("assay_unpriced_answers", "Answers whose price is unknown.")
        self.replies = counter("assay_model_replies", "Replies of language models.")
        self.first_try = counter("assay_model_first_try_replies", "Replies that came at the first attempt.")
        self.attempts = counter("assay_model_attempts", "Attempts to get a reply, failed ones included.")

    def count(self, answer: Answer) -> None:
        """Count what an answer cost."""
        usage = answer.usage
        self.calls.inc(usage.calls)
        for kind, tokens in (
            ("prompt", usage.prompt_tokens),
            ("completion", usage.completion_tokens),
            ("cached", usage.cached_tokens),
        ):
            self.tokens.labels(kind).inc(tokens or 0)
        if usage.cost is None:
            self.unpriced.inc()
        else:
            self.cost.inc(usage.cost)

    def count_tries(self, tries: Tries) -> None:
        """Count the attempts of a run."""
        self.replies.inc(tries.replies)
        self.first_try.inc(tries.first)
        self.attempts.inc(tries.attempts)


@dataclass(frozen=True, slots=True)
class RequestCounter:
    """Middleware that counts every request, also one that another middleware refused, and then reads the levels."""

    app: ASGIApp
    metrics: Metrics
    levels: Callable[[], Levels]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, then count it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, began = 500, time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - began
            self.metrics.count_request(route_of(scope), scope["method"], status, seconds)
            self.metrics.show(self.levels())


def route_of(scope: Scope) -> str:
    """The route of a request as it was declared, such as /api/v1/runs/{run_id}; `NO_ROUTE` where there is none.

    What an application mounted in this one answers counts under its own path, such as /static.
    """
    # An included router's prefix is known only to this context of FastAPI's, the route itself lacks it.
    context = scope.get("fastapi", {}).get("effective_route_context")
    path = getattr(context, "path_format", None) or getattr(scope.get("route"), "path_format", None)
    if path is None and "app_root_path" in scope:
        path = str(scope["root_path"]).removeprefix(scope["app_root_path"])
    elif path is None and "endpoint" in scope and not scope["path_params"]:
        path = scope["path"]  # a route of Starlette's own, declared as this very path
    return str(path or NO_ROUTE)


def forget_dead_processes(folder: Path) -> None:
    """Remove the levels of processes that are gone: they would stay in the sums for good."""
    for path in folder.glob("gauge_live*_*.db"):
        process = int(path.stem.rpartition("_")[2])
        try:
            os.kill(process, 0)
        except (ProcessLookupError, PermissionError):  # at the latter, another user's process has the number now
            mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]
