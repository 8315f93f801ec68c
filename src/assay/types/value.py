"""Values that turn into JSON, and the span of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

Scalar = str | int | float | bool
Metadata = Mapping[str, Scalar]
_NOT_LINE_END = re.compile(r"[^\n]")


def plain(value: Any) -> Any:
    """The value as JSON types: dataclasses and mappings become dicts, tuples lists, enums their value.

    >>> from assay.types import Action, Span
    >>> plain((Span(0, 2), Action.ANSWER))
    [{'start': 0, 'end': 2}, 'ANSWER']
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):  # the same order in every process
        return sorted((plain(item) for item in value), key=str)
    return value


class Value:
    """Base of every noun: it can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON types, nested values included."""
        result = plain(self)
        assert isinstance(result, dict)  # noqa: S101 - every Value is a dataclass
        return result


@dataclass(frozen=True, slots=True)
class Span(Value):
    """A half-open range of code points, `0 <= start <= end`."""

    start: int
    end: int
