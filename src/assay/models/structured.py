"""Replies that are whole and of the shape that was asked for, or an error that says why not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import UnusableReply, unusable
from assay.types import ModelReply, ModelRequest, PromptMessage

if TYPE_CHECKING:
    from pydantic import ValidationError

# Errors of a reply that are shown to the model; more would not help a model that got these wrong.
_ERRORS_SHOWN = 4


async def fitting_reply(
    request: ModelRequest, ask: Callable[[ModelRequest], Awaitable[ModelReply]], name: str
) -> ModelReply:
    """A reply that ended by itself and, where a schema was asked for, fits it and is parsed.

    A reply that does not fit is shown its errors once; the second reply counts. `name` is what errors call the
    model. Raises UnusableReply for any other reply, and what `ask` raises.
    """
    reply = complete_reply(await ask(request))
    if request.schema is None:
        return reply
    errors = _errors(reply, request)
    if errors is None:
        return _parsed(reply, request)
    again = replace(request, messages=(*request.messages, *_correction(reply, errors)))
    second = complete_reply(await ask(again))
    errors = _errors(second, request)
    if errors is not None:
        raise UnusableReply(
            f"{name} twice gave a reply that is not as asked: {errors.splitlines()[0]}",
            hint=f"use a model that can give JSON, e.g. another --{request.role}-model",
        )
    return replace(_parsed(second, request), usage=reply.usage + second.usage)


def complete_reply(reply: ModelReply) -> ModelReply:
    """The reply if it ended by itself. Raises UnusableReply."""
    if reply.finish == "length" and reply.text.lstrip().startswith("<think>") and "</think>" not in reply.text:
        raise unusable("thinking")  # it thought aloud, and never came to its reply
    if reply.finish != "stop":
        raise unusable(reply.finish)
    return reply


def _errors(reply: ModelReply, request: ModelRequest) -> str | None:
    """The errors of the reply, None where it fits."""
    from pydantic import ValidationError

    try:
        _parsed(reply, request)
    except ValidationError as error:
        return _first_errors(error)
    return None


def _parsed(reply: ModelReply, request: ModelRequest) -> ModelReply:
    assert request.schema is not None  # noqa: S101 - asked for only where there is one
    parsed = request.schema.model_validate_json(json_in(reply.text), context=dict(request.given))
    return replace(reply, parsed=parsed)


def json_in(text: str) -> str:
    """The JSON object of a reply: models without a JSON mode put prose or a code fence around it.

    >>> json_in('Sure! ```json\\n{"verdict": "yes"}\\n```')
    '{"verdict": "yes"}'
    """
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _correction(reply: ModelReply, errors: str) -> tuple[PromptMessage, PromptMessage]:
    """The reply and what is wrong with it, as further turns."""
    correction = f"That reply is not as asked:\n{errors}\nGive the whole reply again, as JSON that fits the schema."
    return PromptMessage("assistant", reply.text), PromptMessage("user", correction)


def _first_errors(error: ValidationError) -> str:
    """The first errors, one a line; the reply itself is not quoted."""
    found = error.errors(include_url=False, include_input=False, include_context=False)[:_ERRORS_SHOWN]
    return "\n".join(f"{'.'.join(map(str, problem['loc'])) or 'reply'}: {problem['msg']}" for problem in found)


# JSON schemas as services with strict structured outputs want them.


# Keywords that a strict service refuses, or cannot hold a model to: the schema is then a hint, not a grammar.
_NOT_STRICT = frozenset({"oneOf", "allOf", "not", "if", "patternProperties", "prefixItems", "propertyNames"})
# Left to the validation of the reply: not every service knows them, and none writes better for them.
_LEFT_OUT = frozenset({"title", "default", "minLength", "maxLength", "discriminator", "examples"})


def strict(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema with every object closed and every property required; None where it cannot be so.

    An object whose keys are free cannot, nor can schemas that combine others by anything but `anyOf`. What is
    optional in pydantic is required here: the model writes the default.

    >>> strict({"type": "object", "properties": {"n": {"type": "integer", "title": "N"}}})
    {'type': 'object', 'properties': {'n': {'type': 'integer'}}, 'required': ['n'], 'additionalProperties': False}
    """
    if _NOT_STRICT & schema.keys() or not _closable(schema):
        return None
    result = {name: value for name, value in schema.items() if name not in _LEFT_OUT}
    for name in ("properties", "$defs"):
        if name in schema:
            parts = {key: strict(part) for key, part in schema[name].items()}
            if None in parts.values():
                return None
            result[name] = parts
    if "anyOf" in schema:
        branches = [strict(branch) for branch in schema["anyOf"]]
        if None in branches:
            return None
        result["anyOf"] = branches
    if "items" in schema:
        result["items"] = strict(schema["items"])
        if result["items"] is None:
            return None
    if schema.get("type") == "object":
        result["required"] = list(schema["properties"])
        result["additionalProperties"] = False
    return result


def _closable(schema: dict[str, Any]) -> bool:
    """True if an object names all its keys, and anything says what it is."""
    if schema.get("type") == "object":
        return "properties" in schema and schema.get("additionalProperties", False) is False
    return bool({"type", "anyOf", "$ref", "enum", "const"} & schema.keys())
