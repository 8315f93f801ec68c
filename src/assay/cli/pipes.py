"""JSON lines in, JSON lines out, in order; an error in one line does not stop the next.

A line that cannot be carried out gets an object with its `id` (where it is known), `error` and `hint`. Empty
lines are passed over.
"""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from assay.cli.progress_bar import ProgressBar, lines_left
from assay.cli.terminal import Terminal
from assay.core.concurrency import ordered_map
from assay.core.inputs import read_options
from assay.errors import AssayError, UsageError
from assay.nlp.publication_date import date_in
from assay.types import AskOptions, Hit, Message, Origin, Passage, Scalar, Scores

if TYPE_CHECKING:
    from assay.cli.answer_file import AnswerFile
    from assay.engine import Engine


# --- reading lines while others are answered --------------------------------------------------------------


# Bytes read at a time, and lines that may wait. Chosen.
CHUNK = 1 << 20
WAITING = 64


async def incoming(stream: BinaryIO) -> AsyncGenerator[bytes, None]:
    """The lines that are not blank. Errors of reading are raised.

    A thread reads, past Python's buffer: its lock, held by a thread that waits for input, would stop the
    interpreter from ending.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | OSError | None] = asyncio.Queue()
    room = threading.Semaphore(WAITING)

    def hand_over(line: bytes | OSError | None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        try:
            for line in _split(stream):
                room.acquire()
                hand_over(line)
            hand_over(None)
        except OSError as error:
            hand_over(error)

    threading.Thread(target=read, name="assay-input", daemon=True).start()
    while (line := await lines.get()) is not None:
        if isinstance(line, OSError):
            raise line
        room.release()
        if line.strip():
            yield line


def _split(stream: BinaryIO) -> Iterator[bytes]:
    raw = getattr(stream, "raw", stream)
    rest = b""
    while chunk := raw.read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    yield rest


Side = Literal["user", "assistant"]
# Names of the two sides in use.
ROLES: Mapping[str, Side] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "agent": "assistant",
    "ai": "assistant",
    "model": "assistant",
}


@dataclass(frozen=True, slots=True)
class Request:
    """The fields of one line; a missing field or a wrong type raises UsageError."""

    fields: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """The text of the first of these fields that is present."""
        for name in names:
            if name in self.fields:
                value = self.fields[name]
                if not isinstance(value, str):
                    raise _wrong(name, "text")
                return value
        raise UsageError(f"the line has no {' or '.join(map(repr, names))}", hint="see docs/reference/cli.md")

    def whole_number(self, name: str, default: int) -> int:
        """The whole number of that name, from 1 to 1000, or `default`."""
        value = self.fields.get(name)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1000:
            raise _wrong(name, "a whole number from 1 to 1000")
        return value

    def history(self) -> tuple[Message, ...]:
        """The dialogue before the question."""
        return messages(self.fields.get("history") or [])

    def options(self) -> AskOptions:
        """The settings of this question."""
        return read_options(self.fields.get("options") or {})

    def passages(self) -> tuple[Passage, ...]:
        """The passages, from `passages` or from `context`, without their scores."""
        return tuple(hit.passage for hit in self.hits())

    def hits(self) -> tuple[Hit, ...]:
        """The passages, from `passages` or from `context`: one text, or a list of texts or passages."""
        value = self.fields.get("passages", self.fields.get("context"))
        if value is None:
            raise UsageError("the line has no 'passages' or 'context'", hint="give the texts to judge by")
        parts = value if isinstance(value, list) else [value]
        found = tuple(_hit(part, number) for number, part in enumerate(parts, 1))
        if len({hit.passage.passage_id for hit in found}) < len(found):
            raise UsageError("two passages have the same id", hint="give each passage its own id")
        return found


Handle = Callable[[Request], Awaitable[Mapping[str, Any]]]


def run_pipe(
    engine: Engine,
    handle: Callable[[Request, Engine], Awaitable[Mapping[str, Any]]],
    terminal: Terminal,
    at_once: int = 1,
    file: AnswerFile | None = None,
) -> None:
    """Print an object for each line of standard input, then close the engine."""

    async def serve() -> None:
        async with engine:
            await answer_lines(lambda request: handle(request, engine), terminal, at_once, file)

    asyncio.run(serve())


async def answer_lines(
    handle: Handle, terminal: Terminal, at_once: int = 1, file: AnswerFile | None = None
) -> None:
    """Print an object for each line of standard input: what `handle` returns, with `id` and `ms`.

    At most `at_once` lines are under way together. With a file, the objects are added to it instead, and a line
    that has its object there is passed over.
    """
    write = terminal.object if file is None else file.add
    total = lines_left(terminal.input) if terminal.progress_console() is not None else None
    with ProgressBar(terminal, "lines", total, streams=file is None) as bar:
        async with aclosing(incoming(terminal.input)) as lines:
            left = lines if file is None else file.left(lines, bar.advance)
            work = (partial(_answered, line, handle, terminal) async for line in left)
            async with aclosing(ordered_map(work, at_once)) as objects:
                async for body in objects:
                    write(body)
                    bar.advance()


def messages(value: object) -> tuple[Message, ...]:
    """Read a dialogue from a JSON list of `{"role", "text"}`.

    >>> messages([{"role": "user", "text": "Hello"}])[0].text
    'Hello'
    """
    if not isinstance(value, list):
        raise _wrong("history", "a list")
    return tuple(_message(turn) for turn in value)


def given_passage(passage_id: str, text: str, title: str = "", date: str | None = None) -> Passage:
    """A passage outside any collection; its offsets count in its own text."""
    return Passage(passage_id, passage_id, "", 0, len(text), text, title, origin=Origin(date=date))


async def _answered(line: bytes, handle: Handle, terminal: Terminal) -> dict[str, Any]:
    known: dict[str, Any] = {}
    try:
        fields = _parsed(line)
        known = {"id": _id(fields)}
        started = time.perf_counter()
        made = await handle(Request(fields))
        return {**known, **made, "ms": round(1000 * (time.perf_counter() - started), 3)}
    except AssayError as error:
        return {**known, "error": str(error), "hint": error.hint}
    except Exception as error:  # noqa: BLE001 - a boundary: a bug met by one line must not cost the others
        terminal.warn(f"a bug in assay: {type(error).__name__}: {error}")
        return {**known, "error": f"a bug in assay: {type(error).__name__}: {error}", "hint": "report it"}


def id_of_line(line: bytes) -> str | int | float | None:
    """The id of a line, None where it has none or cannot be read."""
    try:
        return _id(_parsed(line))
    except UsageError:
        return None


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the line is not JSON: {error}", hint="one JSON object a line, in UTF-8") from error
    if not isinstance(fields, dict):
        raise UsageError("the line is not a JSON object", hint="one JSON object a line")
    return fields


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _id(fields: Mapping[str, Any]) -> str | int | float | None:
    value = fields.get("id")
    if isinstance(value, dict | list) or (isinstance(value, float) and not math.isfinite(value)):
        raise _wrong("id", "text or a number")
    return cast("str | int | float | None", value)


def _message(value: object) -> Message:
    """Read one turn; the field and role names of other programs are understood too."""
    if isinstance(value, dict):
        role, text = ROLES.get(str(value.get("role"))), value.get("text", value.get("content"))
        if role is not None and isinstance(text, str):
            return Message(role, text)
    raise _wrong("history", 'a list of {"role": "user" or "assistant", "text": text}')


def json_lines(data: bytes, hint: str) -> list[Any]:
    """Read JSON lines or one JSON list. Raises UsageError with the number of a broken line."""
    text = data.decode("utf-8-sig", errors="replace").strip()
    if text.startswith("["):
        text = "".join(text.splitlines())
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found += [json.loads(line, parse_constant=_no_number)] if line.strip() else []
        except (ValueError, RecursionError) as error:
            raise UsageError(f"line {number} of the passages is not JSON: {error}", hint=hint) from error
    return found[0] if text.startswith("[") else found


def _hit(value: object, number: int) -> Hit:
    """Read a passage with its search scores, if given."""
    passage = _passage(value, number)
    if not isinstance(value, dict):
        return Hit(passage, 0.0)
    scores = value.get("scores") or {}
    if not isinstance(scores, dict) or not set(scores) <= {"dense", "sparse"}:
        raise _wrong("scores", 'an object: {"dense": cosine, "sparse": BM25 score}')
    return Hit(
        passage, _score(value, "score") or 0.0, Scores(_score(scores, "dense", 1.0), _score(scores, "sparse"))
    )


def _score(fields: Mapping[str, Any], name: str, most: float = math.inf) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
        raise _wrong(name, "a number" if most == math.inf else f"a number from {-most:g} to {most:g}")
    return float(value)


def _metadata(value: object) -> dict[str, Scalar]:
    """The scalar fields of a passage's metadata."""
    fields = value if isinstance(value, dict) else {}
    return {str(name): scalar for name, scalar in fields.items() if isinstance(scalar, str | int | float | bool)}


def _passage(value: object, number: int) -> Passage:
    if isinstance(value, str):
        return given_passage(str(number), value)
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise _wrong("passages", 'a list of {"id", "text"}')
    given, title = value.get("id", number), value.get("title")
    if not isinstance(given, str | int):
        raise _wrong("id of a passage", "text or a whole number")
    passage = given_passage(str(given), value["text"], title if isinstance(title, str) else "", _date(value))
    source = value.get("source")
    return replace(
        passage, metadata=_metadata(value.get("metadata")), source=source if isinstance(source, str) else ""
    )


def _date(passage: Mapping[str, Any]) -> str | None:
    """The date of a passage from its fields or its metadata."""
    metadata = passage.get("metadata")
    return date_in(passage) or (date_in(metadata) if isinstance(metadata, dict) else None)


def _wrong(name: str, wanted: str) -> UsageError:
    return UsageError(f"{name!r} must be {wanted}", hint="see docs/reference/cli.md")
