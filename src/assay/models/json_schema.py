"""JSON schemas as services with strict structured outputs want them."""

from __future__ import annotations

from typing import Any

# What a strict service refuses, or cannot hold a model to: the schema is then a hint, not a grammar.
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
    """Whether an object names all its keys, and anything says what it is."""
    if schema.get("type") == "object":
        return "properties" in schema and schema.get("additionalProperties", False) is False
    return bool({"type", "anyOf", "$ref", "enum", "const"} & schema.keys())
