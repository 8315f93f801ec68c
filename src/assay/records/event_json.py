"""Events as the record keeps them: whole, or as an outline without the texts of documents and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from assay.types import Answer, Event

# Words that say what was asked, what was decided and by what, and never what a document or an answer says. Any
# other text is left out of an outline, so that a field that is new cannot leak.
_KEPT = frozenset(
    {
        *("schema", "run_id", "outcome", "verdict", "profile", "mode_used", "level", "answers", "answers_question"),
        *("document_id", "passage_id", "revision", "sha256", "passage_ids", "stage", "kind", "state", "by", "name"),
        *("status", "severity", "check", "action", "recommendation", "quality", "triage", "code", "criterion"),
        *("writer", "judge", "verifier", "error", "question", "reused_from"),
    }
)
# Names and values of a document's own.
_LEFT_OUT = frozenset({"metadata"})


def event_json(event: Event) -> str:
    """The event as `to_dict` gives it, an answer with its schema, but not copied value by value first."""
    return json.dumps(event, default=_as_json_types)


def outline(body: Any, kept: bool = False) -> Any:
    """JSON without its texts: numbers stay, and words that name a decision, a check or an id.

    >>> outline({"outcome": "answered", "text": "It rained.", "claims": [{"n": 1, "verdict": "supported"}]})
    {'outcome': 'answered', 'text': '', 'claims': [{'n': 1, 'verdict': 'supported'}]}
    """
    if isinstance(body, Mapping):
        return {name: outline(value, name in _KEPT) for name, value in body.items() if name not in _LEFT_OUT}
    if isinstance(body, list):
        return [outline(value, kept) for value in body if kept or not isinstance(value, str)]
    return "" if isinstance(body, str) and not kept else body


def _as_json_types(value: Any) -> Any:
    """The value as JSON types, one level deep."""
    if isinstance(value, Answer):
        body = _by_name(value, without="trace")
        for name in value.left_out:
            del body[name]
        return {"schema": value.schema, **body, **value.derived}
    if is_dataclass(value):
        return _by_name(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def _by_name(value: Any, without: str = "") -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name != without}
