"""Documents are data: nothing in them acts on a terminal, and every object is JSON that any reader can split."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.terminal import OutputClosed, Terminal, one_line
from assay.nlp.controls import visible

HOSTILE = [
    "\x1b[31mred",
    "\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "\x1b]52;c;aGk=\x07",
    "\x9b2J",
    "back\x08space",
    "over\rwritten",
    "\u202egnp.exe",
    "\x7f",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_acts_on_a_terminal_is_shown_instead(text: str):
    shown = visible(text)
    assert not set(shown) & set("\x1b\x07\x08\x0d\x7f\x9b\u202e\ud800")
    assert "\\" in shown
    shown.encode()


@given(st.text())
def test_visible_text_is_printable_and_stays_as_it_is(text: str):
    shown = visible(text)
    shown.encode()
    assert all(each.isprintable() or each in "\t\n" or ord(each) >= 0xA0 for each in shown)
    assert visible(shown) == shown


def test_tabs_lines_and_letters_of_all_languages_stay():
    assert visible("Größe\t日本語\nعربى 👍🏽") == "Größe\t日本語\nعربى 👍🏽"


def test_one_line_is_one_line():
    assert one_line("a\n b\r\n\tc", 0) == "a b c"
    assert one_line("abcdef", 4) == "abc…"


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_an_object_is_one_ascii_line(value: dict[str, object]):
    out = io.StringIO()
    Terminal(input=io.BytesIO(), out=out, err=io.StringIO()).object(value)
    assert out.getvalue().isascii()
    assert out.getvalue().splitlines() == [out.getvalue()[:-1]]
    assert json.loads(out.getvalue()) == value


def test_quiet_keeps_errors_and_warnings_only():
    err = io.StringIO()
    terminal = Terminal(quiet=True, input=io.BytesIO(), out=io.StringIO(), err=err)
    terminal.note("a note")
    terminal.detail("a detail")
    assert err.getvalue() == ""
    terminal.warn("failed \x1b")
    assert err.getvalue() == "failed \\x1b\n"


class Closed(io.StringIO):
    """A pipe whose reader is gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_rich_output_that_is_closed_ends_no_process():
    with pytest.raises(OutputClosed):
        Terminal(input=io.BytesIO(), out=Closed(), err=io.StringIO()).console().print("x")


def test_a_closed_output_has_a_name_of_its_own():
    with pytest.raises(OutputClosed):
        Terminal(input=io.BytesIO(), out=Closed(), err=io.StringIO()).line("x")
