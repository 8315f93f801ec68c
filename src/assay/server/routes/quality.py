"""Labels of people, stated trust against them, and the figures of the runs."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field, StrictBool, StrictInt
from starlette.responses import Response

from assay.evals.metrics import BINS, debiased_ece, reliability
from assay.records.figures import summed
from assay.records.labels import WHOLE, Labels
from assay.records.run_records import RunRecords
from assay.records.series import series, spikes
from assay.server.access import Caller
from assay.server.calls import Reader, TheService, Writer, json_response, problems, tenant_of
from assay.server.responses import FiguresObject, LabelList, ReviewList
from assay.server.routes.runs import load_run
from assay.server.schemas import Body
from assay.types import Decision, Label, RunSummary, StatedTrust, plain

router = APIRouter(tags=["quality"])

Note = Annotated[str, Field(max_length=10_000)]


class FeedbackBody(Body):
    """A label: whether an answer, or one of its claims by number, is good; claim 0 is the whole answer."""

    run_id: str = Field(min_length=1, max_length=64)
    good: StrictBool
    claim: StrictInt = Field(WHOLE, ge=0, le=100_000)
    note: Note = ""


class DecisionBody(Body):
    """A person's decision on an answer that waits for one."""

    accepted: StrictBool
    note: Note = ""


@router.post("/feedback", response_model=Label, status_code=201, responses=problems(404))
@router.post("/labels", response_model=Label, status_code=201, responses=problems(404))
async def add_label(body: FeedbackBody, service: TheService, caller: Writer) -> Response:
    """Label an answer or one of its claims as good or bad."""
    store = service.records(tenant_of(service, caller))

    def add() -> Label:
        run_id = load_run(store, body.run_id).run.run_id
        return Labels(store).add(run_id, body.claim, good=body.good, at=time.time(), by=_by(caller), note=body.note)

    return json_response(plain(await asyncio.to_thread(add)), 201)


@router.get("/labels", response_model=LabelList, responses=problems())
async def list_labels(service: TheService, caller: Reader) -> Response:
    """List the labels, oldest first."""
    records = service.records(tenant_of(service, caller))
    return json_response({"labels": plain(await asyncio.to_thread(records.labels))})


@router.get("/review", response_model=ReviewList, responses=problems())
async def list_waiting(service: TheService, caller: Reader) -> Response:
    """List the answers that wait for a person's decision."""
    records = service.records(tenant_of(service, caller))
    return json_response({"waiting": plain(await asyncio.to_thread(records.waiting))})


@router.post("/review/{run_id}", response_model=RunSummary, responses=problems(404))
async def decide(run_id: str, body: DecisionBody, service: TheService, caller: Writer) -> Response:
    """Accept or reject an answer."""
    store = service.records(tenant_of(service, caller))
    decision = Decision(time.time(), _by(caller), body.accepted, body.note)

    def add() -> RunSummary:
        return Labels(store).decide(load_run(store, run_id).run.run_id, decision)

    return json_response(plain(await asyncio.to_thread(add)))


@router.get("/figures", response_model=FiguresObject, responses=problems())
async def figures(
    service: TheService,
    caller: Reader,
    collection: Annotated[str | None, Query(max_length=64)] = None,
    since: Annotated[float, Query(ge=0, le=1e11, allow_inf_nan=False)] = 0.0,
    bucket: Annotated[Literal["hour", "day"], Query(description="the width of a row of the series")] = "day",
) -> Response:
    """The figures of the runs from `since` (Unix seconds) on: in all, over time, and where they jump."""
    store = service.records(tenant_of(service, caller))

    def read() -> dict[str, Any]:
        runs = store.figures(since, collection)
        rows = series(runs, bucket)
        return {
            "total": plain(summed(run.figures for run in runs)),
            "series": plain(rows),
            "spikes": plain(spikes(rows)),
            "calibration": plain(stated_trust(store)),
        }

    return json_response(await asyncio.to_thread(read))


def _by(caller: Caller) -> str:
    """The author of a label: the name of the key."""
    return caller.name or "anonymous"


# The latest labels that are looked at, each of which needs its run to be read. Chosen.
_MOST = 500
# Rows that a bin has at least, where there are as many. Chosen.
_ROWS = 10


def stated_trust(store: RunRecords) -> StatedTrust | None:
    """The stated probabilities of labelled answers against their labels; None where no answer has both."""
    labels = [label for label in Labels(store).current() if label.claim == WHOLE][-_MOST:]
    stated: list[float] = []
    right: list[bool] = []
    for label in labels:
        answer = store.load(label.run_id).answer
        value = None if answer is None else answer["confidence"]["value"]
        if value is not None:
            stated.append(value)
            right.append(label.good)
    if not stated:
        return None
    bins = reliability(stated, right, max(1, min(BINS, len(stated) // _ROWS)))
    return StatedTrust(bins, debiased_ece(bins) if len(stated) > 1 else None)
