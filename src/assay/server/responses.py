"""The JSON schemas of responses, made from the types that the library returns."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import fields
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, Field, create_model

from assay import types
from assay.records.figures import Figures
from assay.records.labels import Label
from assay.records.review_queue import Queued
from assay.records.runs import Decision, RecordedEvent, RunSummary


def _model_of(name: str, value: type, *, without: Collection[str] = (), **more: Any) -> type[BaseModel]:
    """A response model with the fields of a dataclass; `more` are further fields, as `create_model` takes them."""
    hints = get_type_hints(value, {**vars(types), **vars(sys.modules[value.__module__])})
    own: dict[str, Any] = {
        field.name: (hints[field.name], ...)
        for field in fields(value)
        if field.name not in without and field.name not in more
    }
    return create_model(name, __doc__=value.__doc__, **own, **more)


class Problem(BaseModel):
    """What went wrong, why, and what to do next (RFC 9457)."""

    class Where(BaseModel):
        """One field that does not fit."""

        where: str
        message: str

    type: str
    title: str
    status: int
    detail: str
    hint: str
    request_id: str
    errors: list[Where] = []


AnswerObject = _model_of(
    "Answer",
    types.Answer,
    without=("trace", "explanation"),
    schema_=(Literal["assay/1"], Field(alias="schema")),
    answers_question=(Literal["yes", "unsure", "no"] | None, ...),
    named_warnings=(list[types.NamedWarning], ...),
    explanation=(types.Explanation | None, None),
)
ReviewObject = _model_of("ReviewObject", types.Review, verdict=(types.Verdict, ...), support=(float | None, ...))


class SearchHit(BaseModel):
    """A passage that was found; `score` orders the hits of one search."""

    passage: types.Passage
    score: float
    scores: types.Scores


class SearchResult(BaseModel):
    """The passages of a search, best first."""

    hits: list[SearchHit]
    notes: list[str]


class CollectionRow(BaseModel):
    """One collection; `version` rises with each change."""

    name: str
    documents: int
    version: int


class CollectionList(BaseModel):
    """The collections."""

    collections: list[CollectionRow]


class RunList(BaseModel):
    """Recorded runs, newest first; `next` continues the list."""

    runs: list[RunSummary]
    next: str | None


class RunObject(BaseModel):
    """A recorded run: its events in order, the decisions and the labels of people."""

    run: RunSummary
    events: list[RecordedEvent]
    decisions: list[Decision]
    labels: list[Label]


class LabelList(BaseModel):
    """Labels, oldest first."""

    labels: list[Label]


class ReviewList(BaseModel):
    """Answers that wait for a decision, oldest first."""

    waiting: list[Queued]


class FiguresObject(BaseModel):
    """The figures of the runs together."""

    total: Figures


class Status(BaseModel):
    """Whether the server can answer; `checks` say why not."""

    status: Literal["ok", "unavailable"]
    checks: dict[str, str] = {}
