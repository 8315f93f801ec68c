"""The file of `ask --jsonl --out`: an object a line, added to until every line of the input has one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from assay.cli.pipes import id_of_line
from assay.cli.terminal import reason_of
from assay.errors import StoreError, UsageError
from assay.evals.json_lines import drop_torn_line, lock_for_adding

_HINT = "give --out a new file, or one that `assay ask --jsonl --out` wrote"
# How a line begins that `add` wrote, and what `_id_of` says of one that it did not.
_BEGINNINGS = (b'{"id": ', b'{"error": ')
_NO_ANSWER = object()


class AnswerFile:
    """Objects that were written earlier count by their `id`, also where it is null: each stands for one line.

    Raises UsageError for a file that holds something else or that another process adds to, StoreError for one that
    cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # Not buffered: an object is with the system once it is written, whatever becomes of the process.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {reason_of(error)}", hint="choose another") from error
        try:
            lock_for_adding(path, self._file)
            self._unread = self._written()
            drop_torn_line(path)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def count(self) -> int:
        """The number of objects that stand for no line of the input yet."""
        return self._unread.total()

    async def left(
        self, lines: AsyncIterator[bytes], passed_over: Callable[[], None]
    ) -> AsyncGenerator[bytes, None]:
        """The lines that have no object here yet; `passed_over` is called for each of the others."""
        async for line in lines:
            known = id_of_line(line)
            if self._unread[known] > 0:
                self._unread[known] -= 1
                passed_over()
            else:
                yield line

    def add(self, body: Mapping[str, Any]) -> None:
        """Write an object for good, as far as the process goes."""
        line = json.dumps(body, allow_nan=False).encode("ascii") + b"\n"
        try:
            while line:  # what is not buffered may be written in part
                line = line[self._file.write(line) :]
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be written: {reason_of(error)}", hint="then give the same --out again"
            ) from error

    def _written(self) -> Counter[str | int | float | None]:
        """The ids of the objects in the file; a last line that was cut off is none."""
        found: Counter[str | int | float | None] = Counter()
        with self._path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n") and line.startswith(_BEGINNINGS):
                    break
                known = _id_of(line)
                if known is _NO_ANSWER:
                    raise UsageError(f"{self._path}, line {number}: it is no answer", hint=_HINT)
                found[known] += 1
        return found


def _id_of(line: bytes) -> Any:
    """The id of an object that `add` wrote, None where it has none; _NO_ANSWER for anything else."""
    try:
        body = json.loads(line)
        known = body.get("id")
        hash(known)
    except (AttributeError, RecursionError, TypeError, ValueError):
        return _NO_ANSWER
    return known if body.keys() & {"outcome", "error"} else _NO_ANSWER
