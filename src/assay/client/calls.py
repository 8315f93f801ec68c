"""A request of the API as a value: what is sent, and how the reply is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx2

from assay.client.problems import refuse_other_type
from assay.client.reader import read
from assay.errors import ProviderFailed, UsageError

Result = TypeVar("Result")
Value = TypeVar("Value")

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to upload, and the name that the server knows it by."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Result]):
    """One request, and how its reply is read.

    `path` may name `places` in braces. A `repeatable` call may be sent again after a refusal: whatever became of
    the first, the second changes nothing more.
    """

    method: str
    path: str
    read: Callable[[httpx2.Response], Result]
    places: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    files: tuple[LocalFile, ...] = ()
    accept: str = JSON
    repeatable: bool = False

    @property
    def url_path(self) -> str:
        """The path with its places filled in.

        >>> Call(method="GET", path="/runs/{run_id}", read=no_value, places={"run_id": "a/../b"}).url_path
        '/runs/a%2F..%2Fb'
        """
        if "." in self.places.values() or ".." in self.places.values() or "" in self.places.values():
            raise UsageError("an id cannot be empty, '.' or '..'", hint="take it from what the server returned")
        return self.path.format_map({name: quote(place, safe="") for name, place in self.places.items()})

    @property
    def content(self) -> bytes | None:
        """The body on the wire, None without one. Raises UsageError for what JSON does not have."""
        if self.body is None:
            return None
        try:
            return json.dumps(self.body, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"this cannot be sent as JSON: {error}", hint="use text, numbers and true or false"
            ) from error


def given(**values: Any) -> dict[str, Any]:
    """The values that are not None.

    >>> given(k=3, mode=None)
    {'k': 3}
    """
    return {name: value for name, value in values.items() if value is not None}


def body_of(response: httpx2.Response) -> Any:
    """The JSON of a response. Raises ProviderFailed."""
    refuse_other_type(response, JSON)
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise ProviderFailed(
            "the server's reply is not JSON", hint="try again; if it stays so, look at the server's log"
        ) from error


def value_of(kind: type[Value], where: str) -> Callable[[httpx2.Response], Value]:
    """A reader of replies that are one value."""
    return lambda response: read(kind, body_of(response), where)


def field_of(name: str, kind: Any) -> Callable[[httpx2.Response], Any]:
    """A reader of replies of which one field counts."""

    def read_field(response: httpx2.Response) -> Any:
        body = body_of(response)
        if not isinstance(body, dict) or name not in body:
            raise ProviderFailed(
                f"the server's reply lacks {name}", hint="use a server of the same version of assay"
            )
        return read(kind, body[name], name)

    return read_field


def no_value(_response: httpx2.Response) -> None:
    """Read a reply that says nothing."""
