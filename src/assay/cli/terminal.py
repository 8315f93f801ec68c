"""The terminal: results go to standard output, everything else to standard error.

Text of documents and models is data. On a terminal it could move the cursor, change colours, write the
clipboard or open links, so every control character is shown as an escape instead.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TextIO, TypeVar

from assay.nlp.controls import visible

if TYPE_CHECKING:
    from rich.console import Console

    from assay.errors import AssayError

# The path that a refusal names in brackets.
_PATH = re.compile(r"\((/[^()\n]{1,1000})\)")


class OutputClosed(Exception):
    """The reader of standard output closed it; not an error."""


def one_line(text: str, width: int = 0) -> str:
    """The text on one line, cut to `width` characters with an ellipsis.

    >>> one_line("a   long\\ntitle", 6)
    'a lon…'
    """
    joined = visible(" ".join(text.split()))
    return joined if not width or len(joined) <= width else joined[: width - 1] + "…"


def reason_of(error: OSError) -> str:
    """The reason why a file could not be read, as the end of a sentence.

    >>> reason_of(FileNotFoundError()), reason_of(PermissionError(13, "Permission denied"))
    ('there is no such file', 'permission denied')
    """
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def from_here(path: str) -> str:
    """The path, relative to the working folder if it lies below it."""
    try:
        here = os.path.join(os.path.realpath(os.getcwd()), "")
    except OSError:  # the folder was removed meanwhile
        return path
    return path.removeprefix(here)


def with_paths_from_here(text: str) -> str:
    """The text of a refusal with the path of its nearest passage as seen from the working folder."""
    return _PATH.sub(lambda match: f"({from_here(match[1])})", text)


@dataclass(slots=True)
class Terminal:
    """The three standard streams and the verbosity.

    `live` is where a progress bar is being drawn: whatever is written to standard error meanwhile goes above it.
    """

    quiet: bool = False
    verbose: bool = False
    input: BinaryIO = field(default_factory=lambda: sys.stdin.buffer)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    live: Console | None = None

    def object(self, value: Mapping[str, Any]) -> None:
        """Print one JSON object on a line, and flush.

        ASCII only: lone surrogates stay valid JSON, and no reader breaks a line at U+2028.
        """
        self.line(json.dumps(value, allow_nan=False))

    def line(self, text: str) -> None:
        """Print one line of the result. Raises OutputClosed if the reader has gone."""
        try:
            self.out.write(text + "\n")
            self.out.flush()
        except BrokenPipeError as error:
            raise OutputClosed from error

    def question(self, prompt: str) -> str | None:
        """The next line of input, None at its end; on a terminal, prompt for it."""
        if self.input.isatty():
            with suppress(ImportError):  # not on every system; it edits the line that `input` reads
                import readline  # noqa: F401
            try:
                return input(prompt)
            except EOFError:
                return None
        line = self.input.readline()
        return line.decode("utf-8", errors="replace") if line else None

    def note(self, text: str) -> None:
        """Print a note to standard error, unless quiet."""
        if not self.quiet:
            self._say(text)

    def warn(self, text: str) -> None:
        """Print a warning to standard error."""
        self._say(text)

    def detail(self, text: str) -> None:
        """Print a detail to standard error with `-v`."""
        if self.verbose:
            self._say(text)

    def error(self, error: AssayError) -> None:
        """Print an error and its hint."""
        self.err.write(f"error: {visible(str(error))}\nhint: {visible(error.hint)}\n")

    def console(self) -> Console:
        """A rich console for the result, which heeds NO_COLOR, FORCE_COLOR, TERM and COLUMNS."""
        from rich.console import Console

        class ResultConsole(Console):
            """Raises OutputClosed where rich would end the process."""

            def on_broken_pipe(self) -> None:
                raise OutputClosed

        return ResultConsole(
            file=self.out, markup=False, highlight=False, emoji=False, soft_wrap=not self.out.isatty()
        )

    def progress_console(self) -> Console | None:
        """A console for a progress bar; None if standard error is no terminal or in quiet mode.

        TTY_INTERACTIVE=1 and TTY_INTERACTIVE=0 decide it for a terminal that is not recognised as one.
        """
        from rich.console import Console

        # rich takes FORCE_COLOR for a terminal, but a log must not get a bar.
        known = Console(file=self.err, force_terminal=self.err.isatty())
        if self.quiet or not known.is_interactive:
            return None
        console = Console(file=self.err, force_terminal=True, markup=False, highlight=False, emoji=False)
        return None if console.is_dumb_terminal else console

    def _say(self, text: str) -> None:
        if self.live is None:
            self.err.write(visible(text) + "\n")
        else:
            self.live.print(visible(text), soft_wrap=True)


# Lines of one kind that people are shown; `--json` prints all. Chosen.
MOST = 50

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class FirstOfEach(Generic[Item]):
    """The first items of each kind in order, and the number of further ones by kind."""

    first: tuple[Item, ...]
    more: Mapping[str, int]

    def left_out(self) -> Iterator[str]:
        """A line for each kind with further items.

        >>> list(FirstOfEach((), {"citations, failed": 1200}).left_out())
        ['… and 1,200 more: citations, failed (--json has all)']
        """
        return (f"… and {count:,} more: {kind} (--json has all)" for kind, count in self.more.items())


def first_of_each(items: Iterable[Item], kind: Callable[[Item], str], most: int = MOST) -> FirstOfEach[Item]:
    """The first `most` of each kind.

    >>> first_of_each(["ant", "bee", "asp", "auk"], lambda word: word[0], most=2)
    FirstOfEach(first=('ant', 'bee', 'asp'), more={'a': 1})
    """
    seen: Counter[str] = Counter()
    first: list[Item] = []
    for item in items:
        name = kind(item)
        seen[name] += 1
        if seen[name] <= most:
            first.append(item)
    return FirstOfEach(tuple(first), {name: count - most for name, count in seen.items() if count > most})
