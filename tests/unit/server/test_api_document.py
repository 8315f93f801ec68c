"""/openapi.json says exactly which media types are sent, and names nothing that it does not have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from assay.server.app import create_app
from assay.server.service import Service
from assay.server.settings import ServerSettings
from assay.types import Event
from support.asgi import exchange, http_scope


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    folder = tmp_path_factory.mktemp("data")
    return create_app(Service.over(ServerSettings(engine={"data_dir": folder})))


@pytest.fixture(scope="module")
def document(app: FastAPI) -> dict[str, Any]:
    return app.openapi()


def responses(document: dict[str, Any]) -> Iterator[tuple[str, str, set[str]]]:
    """The path, the status and the media types of every response."""
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                yield path, status, set(response.get("content", ()))


def test_every_reference_leads_to_a_schema_and_every_schema_is_used(document: dict[str, Any]):
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert named == document["components"]["schemas"].keys()


def test_errors_have_the_one_media_type_that_is_sent(document: dict[str, Any]):
    for path, status, media_types in responses(document):
        if status >= "400" and (path, status) != ("/readyz", "503"):
            wanted = "application/json" if path.startswith("/v1/") else "application/problem+json"
            assert media_types == {wanted}, (path, status)


def test_every_bound_is_one_that_json_schema_knows(document: dict[str, Any]):
    assert not re.search(r'"(ge|gt|le|lt|min_length|max_length|allow_inf_nan)":', json.dumps(document))


def test_options_are_described_as_the_settings_are(document: dict[str, Any]):
    options = document["components"]["schemas"]["Options"]["properties"]
    assert all(option["description"] for option in options.values())
    assert options["detail"]["anyOf"] == [{"type": "integer", "minimum": 1, "maximum": 10}, {"type": "null"}]
    assert "footnote" in options["citation_style"]["anyOf"][0]["enum"]


def test_every_kind_of_event_has_a_schema(document: dict[str, Any]):
    schemas = document["components"]["schemas"]
    described = {schemas[part["$ref"].rpartition("/")[2]]["properties"]["kind"]["const"]
                 for part in schemas["RunEvent"]["oneOf"]}  # fmt: skip
    assert described == {kind.kind for kind in Event.__subclasses__() if kind.__module__.startswith("assay.")}


def test_the_document_is_made_once(app: FastAPI):
    assert app.openapi() is app.openapi()


@pytest.mark.parametrize(
    ("path", "methods"),
    [("/api/v1/documents", "GET, POST"), ("/api/v1/runs/x", "DELETE, GET"), ("/api/v1/ask", "POST")],
)
async def test_a_method_that_is_not_there_is_answered_with_those_that_are(app: FastAPI, path: str, methods: str):
    refused = await exchange(app, http_scope(path, method="PATCH"))
    assert (refused.status, refused.headers["allow"]) == (405, methods)
