"""Read values from JSON by the types of their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from assay.errors import ProviderFailed
from assay.types import Answer

Result = TypeVar("Result")

_SCALARS: Mapping[type, tuple[type, ...]] = {str: (str,), bool: (bool,), int: (int,), float: (float, int)}


def read(kind: type[Result], value: object, where: str = "reply") -> Result:
    """The JSON value as a value of that class; `where` names it in errors.

    Fields that the class does not have are passed over: a newer server may send more. A field may be missing only
    if it has a default. Raises ProviderFailed.

    >>> from assay.types import Span
    >>> read(Span, {"start": 0, "end": 4, "colour": "red"})
    Span(start=0, end=4)
    >>> read(Span, {"start": 0}, "span")
    Traceback (most recent call last):
    ...
    assay.errors.ProviderFailed: the server's reply lacks span.end
    """
    found: Result = _read(kind, value, where)
    return found


def _read(kind: Any, value: object, where: str) -> Any:
    if kind is Any:
        return value
    if is_dataclass(kind):
        return _object(kind, value, where)
    if kind in _SCALARS:
        return _scalar(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind, value, where)
    return _READERS[get_origin(kind)](get_args(kind), value, where)


@cache
def _fields_of(kind: type) -> tuple[tuple[str, Any, bool], ...]:
    """The fields of a dataclass: name, type, and whether it must be given."""
    hints = get_type_hints(kind)
    return tuple(
        (field.name, hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    )


def _object(kind: Any, value: object, where: str) -> Any:
    body = _mapping(value, where)
    if kind is Answer and body.get("schema") != Answer.schema:
        raise ProviderFailed(
            f"the server's {where} has the schema {body.get('schema')!r}; this client reads {Answer.schema!r}",
            hint="use the client and the server of the same version of assay",
        )
    given = {}
    for name, hint, required in _fields_of(kind):
        if name in body:
            given[name] = _read(hint, body[name], f"{where}.{name}")
        elif required:
            raise ProviderFailed(
                f"the server's reply lacks {where}.{name}",
                hint="use a server that is not older than this client of assay",
            )
    return kind(**given)


def _scalar(kind: type, value: object, where: str) -> Any:
    if type(value) not in _SCALARS[kind]:
        raise _unfit(where, kind.__name__, value)
    return kind(value)


def _member(kind: type[Enum], value: object, where: str) -> Enum:
    try:
        return kind(value)
    except ValueError:
        raise _unfit(where, f"one of {', '.join(str(member.value) for member in kind)}", value) from None


def _literal(allowed: tuple[Any, ...], value: object, where: str) -> Any:
    if not any(type(value) is type(known) and value == known for known in allowed):
        raise _unfit(where, f"one of {', '.join(map(str, allowed))}", value)
    return value


def _union(kinds: tuple[Any, ...], value: object, where: str) -> Any:
    if value is None and NoneType in kinds:
        return None
    *others, last = (kind for kind in kinds if kind is not NoneType)
    for kind in others:
        try:
            return _read(kind, value, where)
        except ProviderFailed:
            continue
    return _read(last, value, where)


def _tuple(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    items = _list(value, where)
    if len(kinds) == 2 and kinds[1] is ...:
        return tuple(_read(kinds[0], item, f"{where}[{place}]") for place, item in enumerate(items))
    if len(items) != len(kinds):
        raise _unfit(where, f"a list of {len(kinds)}", value)
    pairs = enumerate(zip(kinds, items, strict=True))
    return tuple(_read(kind, item, f"{where}[{place}]") for place, (kind, item) in pairs)


def _frozenset(kinds: tuple[Any, ...], value: object, where: str) -> frozenset[Any]:
    return frozenset(_tuple((kinds[0], ...), value, where))


def _mapping_of(kinds: tuple[Any, ...], value: object, where: str) -> dict[Any, Any]:
    body = _mapping(value, where)
    return {_read(kinds[0], name, where): _read(kinds[1], item, f"{where}.{name}") for name, item in body.items()}


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _unfit(where, "an object", value)
    return value


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _unfit(where, "a list", value)
    return value


def _unfit(where: str, wanted: str, value: object) -> ProviderFailed:
    shown = repr(value)
    return ProviderFailed(
        f"the server's {where} is {shown if len(shown) <= 60 else shown[:60] + '…'} and not {wanted}",
        hint="use the client and the server of the same version of assay",
    )


_READERS: Mapping[Any, Callable[[tuple[Any, ...], object, str], Any]] = {
    Literal: _literal,
    Union: _union,
    UnionType: _union,
    tuple: _tuple,
    frozenset: _frozenset,
    Mapping: _mapping_of,
}
