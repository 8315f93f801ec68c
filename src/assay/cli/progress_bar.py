"""A progress bar on standard error."""

from __future__ import annotations

import os
import stat
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Characters of a detail, such as a file's name, after the bar. Chosen.
DETAIL_WIDTH = 40
_CHUNK = 1 << 20


class ProgressBar:
    """Shows the progress of work; draws nothing without a terminal.

    With `streams`, results are printed meanwhile: where they go to a terminal too, they show the progress
    themselves, and a bar would break their lines.
    """

    def __init__(self, terminal: Terminal, what: str, total: int | None = None, *, streams: bool = False) -> None:
        self._terminal = terminal
        self._what = what
        self._total = total
        self._hidden = streams and terminal.out.isatty()
        self._drawn: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        console = None if self._hidden else self._terminal.progress_console()
        if console is not None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TimeRemainingColumn(elapsed_when_finished=True),
                TextColumn("{task.fields[detail]}", markup=False),
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._drawn = progress, progress.add_task(self._what, total=self._total, detail="")
            self._terminal.live = console
            progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn is not None:
            self._terminal.live = None
            self._drawn[0].stop()

    def advance(self, detail: str = "") -> None:
        """Count one finished item; `detail` names it."""
        if self._drawn is not None:
            progress, task = self._drawn
            progress.update(task, advance=1, detail=one_line(detail, DETAIL_WIDTH))


def lines_left(stream: BinaryIO) -> int | None:
    """The number of unread lines that are not blank; None for a pipe or a terminal.

    Reads past the stream's own position, which stays where it is.
    """
    try:
        descriptor = stream.fileno()
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:  # no file behind it
        return None
    count, rest = 0, b""
    while chunk := os.pread(descriptor, _CHUNK, at):
        at += len(chunk)
        *whole, rest = (rest + chunk).split(b"\n")
        count += sum(bool(line.strip()) for line in whole)
    return count + bool(rest.strip())
