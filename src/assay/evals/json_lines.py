"""Values as lines of JSON: written without what is empty, read strictly, added to by one process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from assay.errors import UsageError

_HINT = "give a file of JSON lines in UTF-8"


def to_line(value: Any) -> str:
    """The value as one line of ASCII JSON; fields of dataclasses that have their default are left out.

    >>> from assay.evals.cases import Case
    >>> to_line(Case("a", "How high is it?"))
    '{"id": "a", "question": "How high is it?"}'
    """
    return json.dumps(_plain(value), allow_nan=False)


def _plain(value: Any) -> Any:
    """The value as JSON types."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        named = ((name, getattr(value, name), default) for name, default in _defaults(type(value)))
        return {name: _plain(own) for name, own, default in named if own is not default and own != default}
    if isinstance(value, Mapping):
        return {name: _plain(own) for name, own in value.items()}
    return [_plain(own) for own in value] if isinstance(value, list | tuple) else value


@cache
def _defaults(kind: type[Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, _default(field)) for field in fields(kind))


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file that are not blank, with their numbers from 1. Raises UsageError."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")  # some editors begin a file with a mark
                if text.strip():
                    yield number, text.rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {_reason(error)}", hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}, line {number}: it is not UTF-8 text", hint=_HINT) from error


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. Raises UsageError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {_reason(error)}", hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", hint=_HINT) from error


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object that the text is; raises ValueError with what is wrong.

    >>> parse_object('{"id": NaN}')
    Traceback (most recent call last):
    ...
    ValueError: it is not JSON: NaN is no number
    """
    body = parse_json(text)
    if not isinstance(body, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - callers add the line to one kind of error
    return body


def parse_json(text: str) -> Any:
    """The value that the text is; raises ValueError, also for half of a surrogate pair, which no file can hold."""
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
        if "\\u" in text:
            json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it is not JSON: {error.object[error.start]!r} is half of a surrogate pair") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from error
    return body


def lock_for_adding(place: Path, file: BinaryIO) -> None:
    """Keep other processes out while the file is open. Raises UsageError, naming `place`, where one holds it."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(f"another process adds to {place}", hint="wait for it, or give another --out") from error


def drop_torn_line(path: Path) -> None:
    """Cut the file after its last whole line."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        file.truncate(end)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _reason(error: OSError) -> str:
    text = error.strerror or str(error)
    return "there is no such file" if isinstance(error, FileNotFoundError) else text[:1].lower() + text[1:]
