"""The provider's usual answers: short, valid, and made of what the prompt holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice, zip_longest
from typing import Any

from assay.testing.provider.nouns import Asked, Reply, Tokens

# A passage that the prompt numbers at the start of a line, perhaps behind a code: "5fa2c9d1 [3] Bridges, page 2".
_NUMBERED = re.compile(r"^(?:\S{1,32} )?\[(\d{1,4})\]", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]{3,}[.!?](?=\s|$)")
# How deep a schema may nest; one that refers to itself ends there.
_DEPTH = 12


def plain_answer(asked: Asked) -> str:
    """Prose out of the numbered evidence of the prompt, or the smallest JSON that fits the schema.

    >>> from assay.types import PromptMessage
    >>> evidence = PromptMessage("user", "[1] Tea is hot. It is cheap.\\n[2] Ice is cold.")
    >>> plain_answer(Asked("openai", "m", (evidence,)))
    'Tea is hot. [1] Ice is cold. [2]'
    """
    if asked.schema is not None:
        return json.dumps(smallest(asked.schema), ensure_ascii=False)
    return " ".join(islice(_cited(asked.prompt), 2)) or "The documents do not say."


def counted(asked: Asked, text: str) -> Reply:
    """The text as a whole reply; a word is a token."""
    return Reply(text, usage=Tokens(len(asked.prompt.split()), len(text.split())))


def smallest(schema: Mapping[str, Any]) -> Any:
    """The smallest value that fits a JSON schema: first choices, least numbers, empty lists.

    >>> smallest({"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}}})
    {'verdict': 'yes'}
    """
    return _smallest(schema, schema.get("$defs", {}), _DEPTH)


def _cited(prompt: str) -> Iterator[str]:
    """The first sentence of each numbered passage of a prompt, with its mark."""
    marks = list(_NUMBERED.finditer(prompt))
    told: set[str] = set()
    for mark, following in zip_longest(marks, marks[1:]):
        end = len(prompt) if following is None else following.start()
        sentence = _SENTENCE.search(prompt, mark.end(), end)
        if sentence and mark[1] not in told:
            told.add(mark[1])
            yield f"{sentence[0].strip()} [{mark[1]}]"


def _smallest(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int) -> Any:
    if depth == 0:
        return None
    if "$ref" in schema:
        return _smallest(named[schema["$ref"].rpartition("/")[2]], named, depth - 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _smallest(schema[choice][0], named, depth - 1)
    return _of_type(schema, named, depth)


def _of_type(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties: Mapping[str, Any] = schema.get("properties", {})
        return {name: _smallest(each, named, depth - 1) for name, each in properties.items()}
    if kind == "array":
        return [_smallest(schema.get("items", {}), named, depth - 1)] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    if kind == "boolean":
        return True
    return None if kind == "null" else "x" * schema.get("minLength", 0)
