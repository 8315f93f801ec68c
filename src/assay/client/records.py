"""Calls about recorded runs: what happened, what people say of it, and the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import httpx2

from assay.client.calls import Call, field_of, given, value_of
from assay.client.events import StreamCall, run_events, run_stream
from assay.client.problems import refuse_other_type
from assay.client.values import FiguresOverTime, ReplayedRun, RunRecord
from assay.types import Ablation, Deleted, Event, Label, Queued, RunPage, RunSummary, plain

_HTML = "text/html"


def runs(
    *,
    collection: str | None = None,
    outcome: Literal["answered", "partial", "clarify", "abstained", "error"] | None = None,
    q: str | None = None,
    before: str | None = None,
    limit: int | None = None,
) -> Call[RunPage]:
    """The recorded runs, newest first; `q` are words of the question, `before` is `next` of the page before."""
    query = given(collection=collection, outcome=outcome, q=q, before=before, limit=limit)
    return Call(method="GET", path="/runs", query=query, read=value_of(RunPage, "runs"), repeatable=True)


def run(run_id: str) -> Call[RunRecord]:
    """A recorded run with its events, the decisions on it and its labels."""
    places = {"run_id": run_id}
    return Call(
        method="GET", path="/runs/{run_id}", places=places, read=value_of(RunRecord, "run"), repeatable=True
    )


def delete_run(run_id: str) -> Call[Deleted]:
    """Delete a run with all that was recorded of it."""
    places = {"run_id": run_id}
    return Call(
        method="DELETE", path="/runs/{run_id}", places=places, read=value_of(Deleted, "deletion"), repeatable=True
    )


def follow_run(run_id: str, *, after: int = 0) -> StreamCall[Event]:
    """The events of a run after number `after`, live while it is in progress; the last is Done or Failed."""
    return run_stream(run_events(run_id, f"{run_id}:{after}" if after else ""))


def replay(run_id: str, settings: Mapping[str, Any], *, live: bool = False) -> Call[ReplayedRun]:
    """Decide a recorded run again under other settings; nothing is recorded.

    With `live`, calls that the recording does not hold are made, else the first of them raises Diverged.
    """
    return Call(
        method="POST",
        path="/runs/{run_id}/replay",
        places={"run_id": run_id},
        body={"settings": plain(settings), "live": live},
        read=value_of(ReplayedRun, "replay"),
    )


def leave_sources_out(run_id: str) -> Call[Ablation]:
    """The claims that fall without each source of the answer, and what each citation does."""
    places = {"run_id": run_id}
    return Call(
        method="GET",
        path="/runs/{run_id}/sources",
        places=places,
        read=value_of(Ablation, "ablation"),
        repeatable=True,
    )


def report(run_id: str, *, sources: bool = False) -> Call[str]:
    """The run as one HTML page that loads and runs nothing; with `sources`, what falls without each is in it."""
    return Call(
        method="GET",
        path="/runs/{run_id}/report",
        places={"run_id": run_id},
        query={"sources": sources},
        read=_page,
        accept=_HTML,
        repeatable=True,
    )


def give_feedback(run_id: str, *, good: bool, claim: int = 0, note: str = "") -> Call[Label]:
    """Label an answer, or its claim number `claim`, as good or bad."""
    body = {"run_id": run_id, "good": good, "claim": claim, "note": note}
    return Call(method="POST", path="/feedback", body=body, read=value_of(Label, "label"))


def labels() -> Call[tuple[Label, ...]]:
    """The labels, oldest first."""
    return Call(method="GET", path="/labels", read=field_of("labels", tuple[Label, ...]), repeatable=True)


def review_queue() -> Call[tuple[Queued, ...]]:
    """The answers that wait for a person's decision, oldest first."""
    read = field_of("waiting", tuple[Queued, ...])
    return Call(method="GET", path="/review", read=read, repeatable=True)


def decide(run_id: str, *, accepted: bool, note: str = "") -> Call[RunSummary]:
    """Accept or reject an answer."""
    return Call(
        method="POST",
        path="/review/{run_id}",
        places={"run_id": run_id},
        body={"accepted": accepted, "note": note},
        read=value_of(RunSummary, "run"),
    )


def figures(
    *,
    collection: str | None = None,
    since: float | None = None,
    bucket: Literal["hour", "day"] | None = None,
) -> Call[FiguresOverTime]:
    """The figures of the runs from `since` (Unix seconds) on; a row of the series is an hour or a day."""
    query = given(collection=collection, since=since, bucket=bucket)
    read = value_of(FiguresOverTime, "figures")
    return Call(method="GET", path="/figures", query=query, read=read, repeatable=True)


def _page(response: httpx2.Response) -> str:
    refuse_other_type(response, _HTML)
    return response.text
