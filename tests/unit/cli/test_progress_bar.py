"""A progress bar is drawn on a terminal only, and what is said meanwhile stays whole."""

from __future__ import annotations

import io
import os
import tempfile

import pytest

from assay.cli.progress_bar import ProgressBar, lines_left
from assay.cli.terminal import Terminal


class Tty(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("TTY_INTERACTIVE", raising=False)


def drawn(err: io.StringIO, out: io.StringIO, *, quiet: bool = False, streams: bool = False) -> str:
    terminal = Terminal(quiet=quiet, input=io.BytesIO(), out=out, err=err)
    with ProgressBar(terminal, "files", 3, streams=streams) as bar:
        bar.advance("one.txt")
        terminal.warn("failed two.txt")
    assert terminal.live is None
    return err.getvalue()


def test_a_terminal_shows_the_count_and_what_is_said_above_it():
    text = drawn(Tty(), io.StringIO())
    assert "/3" in text
    assert "failed two.txt\n" in text


def test_no_terminal_shows_nothing_but_what_is_said():
    assert drawn(io.StringIO(), io.StringIO()) == "failed two.txt\n"
    assert drawn(Tty(), io.StringIO(), quiet=True) == "failed two.txt\n"


def test_results_that_stream_to_a_terminal_are_the_progress():
    assert drawn(Tty(), Tty(), streams=True) == "failed two.txt\n"


def test_a_variable_decides_for_what_is_no_terminal_and_for_what_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TTY_INTERACTIVE", "1")
    assert "/3" in drawn(io.StringIO(), io.StringIO())
    monkeypatch.setenv("TTY_INTERACTIVE", "0")
    assert drawn(Tty(), io.StringIO()) == "failed two.txt\n"


def test_the_lines_of_a_file_are_counted_from_where_it_stands():
    with tempfile.TemporaryFile() as file:
        file.write(b"{}\n\n  \n{}\n{}")
        file.flush()
        os.lseek(file.fileno(), 3, os.SEEK_SET)
        assert lines_left(file) == 2
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 3
    assert lines_left(io.BytesIO(b"{}\n")) is None
