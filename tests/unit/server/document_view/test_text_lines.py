"""Lines of the stored text around a span, and places of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.server.document_view.text_lines import find, lines_around, text_around
from assay.server.document_view.views import Position
from assay.types import Span


def marked(text: str, span: Span) -> str:
    """What is marked of the lines around a span."""
    return "\n".join(line.text[start:end] for line in lines_around(text, span).lines for start, end in line.marks)


@given(st.text(alphabet="ab\n é𝒙", max_size=200), st.data())
def test_the_marks_are_the_span_and_the_lines_are_those_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown = lines_around(text, Span(start, end))
    assert [line.text for line in shown.lines] == text.split("\n")
    assert [line.number for line in shown.lines] == list(range(1, shown.total + 1))
    assert [piece for piece in marked(text, Span(start, end)).split("\n") if piece] == [
        piece for piece in text[start:end].split("\n") if piece
    ]


def test_only_lines_around_the_span_are_shown() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 10_001))
    at = text.index("line 5000")
    shown = lines_around(text, Span(at, at + 9))
    assert (shown.first, shown.lines[0].number, shown.lines[-1].number) == (4900, 4900, 5299)
    assert shown.total == 10_000
    assert [line.text for line in shown.lines if line.marks] == ["line 5000"]


@pytest.mark.parametrize("lines", [1, 99, 400, 401, 800, 1733])
def test_the_parts_before_and_after_give_every_line_once(lines: int) -> None:
    text = "\n".join(f"line {number}" for number in range(1, lines + 1))
    at = text.index(f"line {lines // 2 + 1}")
    middle = lines_around(text, Span(at, at + 4))
    numbers = [line.number for line in middle.lines]
    later, earlier = middle.later, middle.earlier
    while later is not None:
        part = lines_around(text, Span(at, at + 4), Position.read(later).number)
        numbers += [line.number for line in part.lines]
        later = part.later
    while earlier is not None:
        part = lines_around(text, Span(at, at + 4), Position.read(earlier).number)
        assert len(part.lines) <= 400
        assert not any(line.marks for line in part.lines)
        numbers = [line.number for line in part.lines] + numbers
        earlier = part.earlier
    assert numbers == list(range(1, lines + 1))


def test_a_part_behind_the_end_is_the_last_line() -> None:
    shown = lines_around("one\ntwo\nthree", Span(0, 0), 10**9)
    assert [line.text for line in shown.lines] == ["three"]
    assert (shown.earlier, shown.later) == ("line:-397", None)


def test_of_a_very_long_line_the_stretch_around_the_mark_is_shown() -> None:
    text = "word " * 2_000_000
    shown = lines_around(text, Span(5_000_000, 5_000_004))
    [line] = shown.lines
    assert len(line.text) < 2100
    assert line.text.startswith("…")
    assert line.text.endswith("…")
    [(start, end)] = line.marks
    assert line.text[start:end] == "word"


def test_a_mark_longer_than_what_is_shown_is_cut_with_it() -> None:
    text = "x" * 10_000
    [line] = lines_around(text, Span(100, 9_000)).lines
    [(start, end)] = line.marks
    assert 0 < start < end <= len(line.text)


def test_an_empty_text_has_one_empty_line() -> None:
    assert lines_around("", Span(0, 0)).total == 1


def test_the_text_around_a_span_is_short() -> None:
    around = text_around("a" * 1000 + "quote" + "b" * 1000, Span(1000, 1005))
    assert (around.before, around.quote, around.after) == ("a" * 300, "quote", "b" * 300)


def test_words_are_found_whatever_their_case_and_white_space() -> None:
    text = "Tea is hot.\n\nHOT\ttea\nhot  Tea, hot-tea"
    found = find(text, " hot tea ")
    assert [text[match.start : match.end] for match in found] == ["HOT\ttea", "hot  Tea"]
    assert [match.line for match in found] == [3, 4]
    assert found[0].context == "Tea is hot. HOT tea hot Tea, hot-tea"


def test_signs_are_looked_for_as_they_are() -> None:
    assert [match.start for match in find("a.c abc (a.c", "(a.c")] == [8]
    assert find("abc", "a.c") == ()


def test_places_across_the_stretches_of_a_long_text_are_found_once() -> None:
    text = "x" * ((1 << 20) - 3) + "the needle" + "x" * (1 << 20) + "the needle"
    assert [match.start for match in find(text, "the needle")] == [(1 << 20) - 3, (2 << 20) + 7]


def test_no_more_than_some_places_are_listed() -> None:
    assert len(find("tea " * 1000, "tea")) == 200


@pytest.mark.parametrize("query", ["", " \n", "x" * 201])
def test_a_query_of_nothing_or_too_much_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        find("text", query)
