"""The description of the API at /openapi.json, with the schemas that no route names by itself."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from assay.server.calls import reference
from assay.server.responses import AnswerObject, JobObject, Problem, model_of
from assay.types import (
    Acted,
    Done,
    Event,
    EvidenceFound,
    Failed,
    FindingMade,
    Judged,
    SentenceProvisional,
    SentenceRevised,
    SentenceVerified,
    SentenceWithdrawn,
    StatusChanged,
)

_EVENTS: tuple[type[Event], ...] = (
    Acted, Done, EvidenceFound, Failed, FindingMade, Judged, SentenceProvisional, SentenceRevised, SentenceVerified,
    SentenceWithdrawn, StatusChanged,
)  # fmt: skip


class AssayApi(FastAPI):
    """The application with a description of everything that it sends."""

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            schemas: dict[str, Any] = super().openapi()["components"]["schemas"]
            schemas.update({name: schema for name, schema in _further_schemas().items() if name not in schemas})
        return super().openapi()


def _further_schemas() -> dict[str, Any]:
    """The schemas of errors and of events, by name."""
    events = [_event_model(kind) for kind in _EVENTS]
    models: list[type[BaseModel]] = [Problem, JobObject, *events]
    sent: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in models]
    _, found = models_json_schema(sent, ref_template=reference("{model}")["$ref"])
    of_run = {
        "description": "Something that happened in a run.",
        "oneOf": [reference(model.__name__) for model in events],
        "discriminator": {"propertyName": "kind"},
    }
    return {**found["$defs"], "RunEvent": of_run}


def _event_model(kind: type[Event]) -> type[BaseModel]:
    """The schema of an event on the wire."""
    more: dict[str, Any] = {"answer": (AnswerObject, ...)} if kind is Done else {}
    literal: Any = Literal[kind.kind]
    return model_of(f"{kind.__name__}Event", kind, kind=(literal, ...), **more)
