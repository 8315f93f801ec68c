"""The client against /openapi.json: every operation, every field of a request, every field of a response."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from assay import AskOptions, Hit, Message, Passage, Scores
from assay.client import Client
from assay.client.calls import Call
from assay.client.events import StreamCall
from assay.server.settings import ServerSettings
from assay.types import plain
from support.served import serving

PREFIX = "/api/v1"
OPTIONS = AskOptions(
    profile="fast", importance="low", kind="factual", detail=1, expertise="expert", history_messages=1,
    ask_back=True, where={"a": 1}, k=1, mode="dense", rounds=1, repairs=1, deadline=1.0, max_calls=1, max_tokens=1,
    max_cost=1.0, model="m", writer_temperature=0.1, reply_tokens=1, system_prompt="s", citation_style="none",
    criteria=["accuracy"], explain=True, quality=0.1, floor=0.1,
)  # fmt: skip
HIT = Hit(Passage("p", "d", "r", 0, 1, "t", "T", metadata={"m": 1}, source="s"), 1.0, Scores(dense=0.5))
DIALOGUE = [Message("user", "u")]
# Every method with all that it takes.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "ask": {"question": "q", "history": DIALOGUE, "collection": "c", "options": OPTIONS},
    "answer_from": {"question": "q", "passages": [HIT], "history": DIALOGUE, "options": OPTIONS},
    "stream": {"question": "q", "history": DIALOGUE, "collection": "c", "options": OPTIONS},
    "search": {"query": "q", "collection": "c", "k": 1, "mode": "dense", "where": {"a": 1}},
    "judge": {"question": "q", "passages": [HIT], "history": DIALOGUE, "collection": "c", "options": OPTIONS},
    "check": {"text": "t", "sources": [HIT], "one_claim": True},
    "fix": {"text": "t", "sources": [HIT], "drop": True},
    "collections": {},
    "delete_collection": {"name": "c"},
    "documents": {"collection": "c", "q": "q", "limit": 1, "after": "d"},
    "document": {"document_id": "d", "collection": "c"},
    "find_in_document": {"document_id": "d", "q": "q", "collection": "c"},
    "delete_document": {"document_id": "d", "collection": "c"},
    "upload": {"paths": [__file__], "collection": "c", "idempotency_key": "k"},
    "jobs": {"collection": "c"},
    "job": {"job_id": "j"},
    "follow_job": {"job_id": "j"},
    "runs": {"collection": "c", "outcome": "answered", "q": "q", "before": "b", "limit": 1},
    "run": {"run_id": "r"},
    "delete_run": {"run_id": "r"},
    "follow_run": {"run_id": "r", "after": 1},
    "replay": {"run_id": "r", "settings": {"k": 1}, "live": True},
    "leave_sources_out": {"run_id": "r"},
    "report": {"run_id": "r", "sources": True},
    "give_feedback": {"run_id": "r", "good": True, "claim": 1, "note": "n"},
    "labels": {},
    "review_queue": {},
    "decide": {"run_id": "r", "accepted": True, "note": "n"},
    "figures": {"collection": "c", "since": 1.0, "bucket": "hour"},
    "api_keys": {},
    "create_key": {"name": "n", "scope": "read", "tenant": "t", "expires": "90d"},
    "revoke_key": {"key_id": "k"},
}
# Operations without a method, and why.
LEFT_OUT = {
    ("POST", f"{PREFIX}/labels"): "another name of /feedback",
    ("GET", f"{PREFIX}/rules"): "for the page",
    ("GET", f"{PREFIX}/documents/{{document_id}}/view"): "for the page",
    ("GET", f"{PREFIX}/documents/{{document_id}}/pages/{{page}}.png"): "for the page",
    ("GET", f"{PREFIX}/settings"): "for the page",
    ("GET", f"{PREFIX}/doctor"): "for the page; `assay doctor` does the same on the server's machine",
    ("GET", "/v1/models"): "for clients of OpenAI's API",
    ("GET", "/v1/models/{model}"): "for clients of OpenAI's API",
    ("POST", "/v1/chat/completions"): "for clients of OpenAI's API",
    ("GET", "/healthz"): "for whoever watches the server",
    ("GET", "/readyz"): "for whoever watches the server",
    ("GET", "/metrics"): "for whoever watches the server",
}
# Fields of responses that no value has, by method, and why.
NOT_READ = {
    **dict.fromkeys([("ask", "schema"), ("answer_from", "schema"), ("replay", "answer.schema")], "compared"),
    ("check", "verdict"): "a property of the review",
    ("check", "support"): "the least support of its claims",
    **dict.fromkeys([("job", "ended"), ("jobs", "[0].ended"), ("upload", "ended")], "a property of the job"),
    **dict.fromkeys(
        [
            (method, f"{answer}{name}")
            for method, answer in (("ask", ""), ("answer_from", ""), ("replay", "answer."))
            for name in ("answers_question", "named_warnings")
        ],
        "properties of the answer",
    ),
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("data")
    with serving(ServerSettings(engine={"data_dir": folder})) as server, server.client() as client:
        yield client.get("/openapi.json").json()


def call_of(method: str) -> Call[Any]:
    """The call that a method of the client makes of its arguments."""
    built = vars(Client)[method].__wrapped__(**ARGUMENTS[method])
    return built.call if isinstance(built, StreamCall) else built


def operation(api: Mapping[str, Any], call: Call[Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = api["paths"][PREFIX + call.path][call.method.lower()]
    return found


def resolved(api: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself where it is a reference, or one that may be null."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = api["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        else:
            schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
    return schema


def test_every_method_is_tried():
    methods = {name for name in vars(Client) if not name.startswith("_")} - {"close"}
    assert methods == ARGUMENTS.keys()


def test_every_operation_has_a_method_or_a_reason(api: dict[str, Any]):
    offered = {(verb.upper(), path) for path, verbs in api["paths"].items() for verb in verbs}
    used = {(call.method, PREFIX + call.path) for call in map(call_of, ARGUMENTS)}
    assert used <= offered
    assert offered - used == LEFT_OUT.keys()


def unlike(api: Mapping[str, Any], schema: Mapping[str, Any], body: object, where: str) -> Iterator[str]:
    """The fields of a schema that a body lacks, and those that it has besides."""
    schema = resolved(api, schema)
    if isinstance(body, dict) and "properties" in schema:
        yield from (f"{where}.{name}" for name in schema["properties"].keys() ^ body.keys())
        for name, value in body.items():
            yield from unlike(api, schema["properties"].get(name, {}), value, f"{where}.{name}")
    elif isinstance(body, list) and "items" in schema:
        for value in body:
            yield from unlike(api, schema["items"], value, f"{where}[]")


@pytest.mark.parametrize("method", ARGUMENTS)
def test_every_field_of_a_request_can_be_sent(method: str, api: dict[str, Any]):
    call = call_of(method)
    taken = operation(api, call)
    names = {kind: set() for kind in ("query", "header", "path")}
    for parameter in taken.get("parameters", ()):
        names[parameter["in"]].add(parameter["name"].lower())
    assert names["query"] == set(call.query)
    assert names["header"] == {name.lower() for name in call.headers}
    assert names["path"] == set(call.places)
    content = taken.get("requestBody", {}).get("content", {})
    if call.files:
        form = resolved(api, content["multipart/form-data"]["schema"])
        assert form["properties"].keys() == {"files"}
    elif content:
        assert list(unlike(api, content["application/json"]["schema"], call.body, "body")) == []
    else:
        assert call.body is None


class Samples:
    """Values of a schema in which every field is set, and no two numbers or texts are the same."""

    def __init__(self, api: Mapping[str, Any]) -> None:
        self._api = api
        self._numbers = itertools.count(1)

    def of(self, schema: Mapping[str, Any], within: tuple[str, ...] = ()) -> Any:
        if "$ref" in schema:
            name = schema["$ref"]
            return None if name in within else self.of(resolved(self._api, schema), (*within, name))
        if "anyOf" in schema:
            return self.of(schema["anyOf"][0], within)
        if "const" in schema or "enum" in schema:
            return schema.get("const", (schema.get("enum") or [None])[-1])
        match schema.get("type"):
            case "object":
                fields = {name: self.of(part, within) for name, part in schema.get("properties", {}).items()}
                more = schema.get("additionalProperties")
                return {**fields, **({"key": self.of(more, within)} if isinstance(more, dict) else {})}
            case "array":
                return [self.of(part, within) for part in schema.get("prefixItems", [schema.get("items", {})])]
            case "string":
                return f"text {next(self._numbers)}"
            case "integer":
                return next(self._numbers)
            case "number":
                return next(self._numbers) + 0.5
            case "boolean":
                return True
            case _:
                return {"whatever": next(self._numbers)}


def lost(sample: object, value: object, where: str) -> Iterator[str]:
    """The places of a sample whose values are not in what was read of it."""
    if isinstance(sample, dict) and isinstance(value, dict):
        for name, part in sample.items():
            place = f"{where}.{name}".removeprefix(".")
            if name in value:
                yield from lost(part, value[name], place)
            else:
                yield place
    elif isinstance(sample, list) and isinstance(value, list) and len(sample) == len(value):
        for number, pair in enumerate(zip(sample, value, strict=True)):
            yield from lost(*pair, f"{where}[{number}]")
    elif sample != value:
        yield where


@pytest.mark.parametrize("method", ARGUMENTS)
def test_every_field_of_a_response_is_read(method: str, api: dict[str, Any]):
    call = call_of(method)
    responses = {status: one for status, one in operation(api, call)["responses"].items() if status[0] == "2"}
    assert len(responses) == 1
    content = next(iter(responses.values())).get("content", {})
    assert call.accept in content or not content
    if call.accept != "application/json" or not content:
        return
    sample = Samples(api).of(content["application/json"]["schema"])
    reply = httpx2.Response(200, content=json.dumps(sample), headers={"content-type": "application/json"})
    read = json.loads(json.dumps(plain(call.read(reply))))
    if len(sample) == 1:  # a list, or one object, under its name
        (sample,) = sample.values()
    known = {place for name, place in NOT_READ if name == method}
    assert set(lost(sample, read, "")) == known


def test_the_file_of_this_test_is_its_upload():
    assert call_of("upload").files[0].name == Path(__file__).name
