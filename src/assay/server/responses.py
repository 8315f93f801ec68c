"""The JSON schemas of responses, made from the types that the library returns."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import fields
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from assay import types
from assay.diagnosis.installation import Diagnosis
from assay.server.api_key import Key
from assay.server.document_view.views import TextAround
from assay.types import (
    Decision,
    Figures,
    FiguresRow,
    Job,
    Label,
    Match,
    Queued,
    RecordedEvent,
    RunSummary,
    Spike,
    StatedTrust,
)
from assay.wiring.what_if import WhatIf


def model_of(name: str, value: type, *, without: Collection[str] = (), **more: Any) -> type[BaseModel]:
    """A response model with the fields of a dataclass; `more` are further fields, as `create_model` takes them."""
    nouns = {noun: getattr(types, noun) for noun in types.__all__}
    hints = get_type_hints(value, {**nouns, **vars(sys.modules[value.__module__])})
    own: dict[str, Any] = {
        field.name: (hints[field.name], ...)
        for field in fields(value)
        if field.name not in without and field.name not in more
    }
    return create_model(name, __doc__=value.__doc__, **own, **more)


class Problem(BaseModel):
    """A failure, its cause, and what to do next (RFC 9457); `error` names the class of the error in the library."""

    class Where(BaseModel):
        """One field that does not fit."""

        where: str
        message: str

    type: str
    title: str
    status: int
    detail: str
    hint: str
    error: str
    request_id: str
    errors: list[Where] = []


class OpenAIError(BaseModel):
    """An error in the shape of OpenAI's."""

    class Cause(BaseModel):
        """A failure; `param` is the field that does not fit."""

        message: str
        type: Literal[
            "invalid_request_error",
            "authentication_error",
            "permission_error",
            "not_found_error",
            "rate_limit_error",
            "server_error",
        ]
        param: str | None
        code: None

    error: Cause


AnswerObject = model_of(
    "Answer",
    types.Answer,
    without=("trace", "explanation", "reused_from"),
    schema_=(Literal["assay/1"], Field(alias="schema")),
    answers_question=(Literal["yes", "unsure", "no"] | None, ...),
    named_warnings=(list[types.NamedWarning], ...),
    explanation=(types.Explanation | None, None),
    reused_from=(str | None, None),
)
ReviewObject = model_of("ReviewObject", types.Review, verdict=(types.Verdict, ...), support=(float | None, ...))


class SearchHit(BaseModel):
    """A passage that was found; `score` orders the hits of one search."""

    passage: types.Passage
    score: float
    scores: types.Scores


class SearchResult(BaseModel):
    """The passages of a search, best first."""

    hits: list[SearchHit]
    notes: list[str]


class CollectionList(BaseModel):
    """The collections."""

    collections: list[types.CollectionSummary]


class DocumentRow(BaseModel):
    """One document of a list; `source` is its path or address, the name alone where it was uploaded."""

    document_id: str
    name: str
    title: str
    format: str
    passages: int
    source: str
    warnings: list[str]


class DocumentList(BaseModel):
    """Documents by name; `total` counts all that fit."""

    documents: list[DocumentRow]
    total: int


class DocumentObject(DocumentRow):
    """A document; `pages` is None where its format has none."""

    characters: int
    metadata: dict[str, str | int | float | bool]
    pages: int | None


class ViewObject(BaseModel):
    """A document opened at a span; the fields beside these depend on `kind`.

    Of a long one it is a part: `earlier` and `later` are the positions of the parts beside it, null for none.
    """

    model_config = ConfigDict(extra="allow")

    kind: Literal["pdf", "html", "table", "text"]
    text_around: TextAround
    exact: bool | None
    revision: str


class MatchList(BaseModel):
    """The matches of a query in a document."""

    matches: list[Match]


JobObject = model_of("JobObject", Job, ended=(bool, ...))


class JobList(BaseModel):
    """Jobs, newest first."""

    jobs: list[JobObject]  # type: ignore[valid-type]


class RunObject(BaseModel):
    """A recorded run: its events in order, the decisions and the labels of people."""

    run: RunSummary
    events: list[RecordedEvent]
    decisions: list[Decision]
    labels: list[Label]


ReplayObject = model_of("ReplayObject", WhatIf, answer=(AnswerObject, ...))


class LabelList(BaseModel):
    """Labels, oldest first."""

    labels: list[Label]


class ReviewList(BaseModel):
    """Answers that wait for a decision, oldest first."""

    waiting: list[Queued]


class FiguresObject(BaseModel):
    """The figures in all and row by row over time, where a row jumps, and stated trust against labels."""

    total: Figures
    series: list[FiguresRow]
    spikes: list[Spike]
    calibration: StatedTrust | None


class Health(BaseModel):
    """The server's health: whether it can answer; `checks` say why not."""

    status: Literal["ok", "unavailable"]
    checks: dict[str, str] = {}


class RulesObject(BaseModel):
    """The output rules of a file, and which of them contradict one another."""

    file: str
    sha256: str
    rules: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]


class SettingsObject(BaseModel):
    """The caller, the model of each role, and the settings where the caller may see them."""

    class Caller(BaseModel):
        """The tenant, the name of the key and its scopes."""

        tenant: str
        name: str
        scopes: list[str]

    class ModelOfRole(BaseModel):
        """The model of a role; its host is "" for the server itself, null for a name that no provider has."""

        role: str
        name: str
        host: str | None

    class Setting(BaseModel):
        """One setting, where its value is from, and what it is for."""

        name: str
        value: Any
        origin: str
        description: str

    caller: Caller
    models: list[ModelOfRole]
    settings: list[Setting]


KeyObject = model_of("KeyObject", Key, state=(Literal["active", "expired", "revoked"], ...))
NewKey = create_model("NewKey", __base__=KeyObject, __doc__="A key with its text.", key=(str, ...))


class KeyList(BaseModel):
    """API keys without their texts."""

    keys: list[KeyObject]  # type: ignore[valid-type]


class DoctorObject(BaseModel):
    """The result for each part of the installation."""

    examined: list[Diagnosis]
