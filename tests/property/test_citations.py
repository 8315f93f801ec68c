"""What is rendered is read again; what is hostile ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.citations import citations, render, without_marks

NUMBERS = st.lists(st.integers(1, 999), min_size=1, max_size=6, unique=True)
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
STYLES = st.sampled_from(
    [
        "[{}]",
        "[Source {}]",
        "[sources {}]",
        "[Sources: {}]",
        "[^{}]",
        "【{}】",
        "[ref {}]",
        "[ {} ]",
        "［{}］",
        "[{}, p. 12]",
    ]
)
SEPARATORS = st.sampled_from([", ", ",", "; ", " and ", ", and ", " & ", "、", "，"])


@given(NUMBERS, STYLES, SEPARATORS, st.booleans())
def test_a_list_in_any_style_is_read_back(numbers: list[int], style: str, separator: str, wide: bool) -> None:
    inside = separator.join(str(number) for number in numbers)
    mark = style.format(inside.translate(WIDE) if wide else inside)
    [found] = citations(f"Words {mark} words.")
    assert found.numbers == tuple(numbers)


@given(st.integers(1, 500), st.integers(1, 40), st.sampled_from(["-", "–", "..", "...", " to ", " - "]))
def test_a_range_is_read_back(first: int, more: int, dash: str) -> None:
    [found] = citations(f"[{first}{dash}{first + more}]")
    assert found.numbers == tuple(range(first, first + more + 1))


@given(NUMBERS)
def test_our_own_marks_are_read_back(numbers: list[int]) -> None:
    assert [mark.numbers for mark in citations(f"So {render(numbers)}")] == [(number,) for number in numbers]


@given(st.text(alphabet="[]【】12,-. `ps^a\n", max_size=120))
def test_marks_lie_inside_and_blanking_keeps_the_length(text: str) -> None:
    marks = citations(text)
    assert all(0 <= mark.start < mark.end <= len(text) for mark in marks)
    assert len(without_marks(text, marks)) == len(text)


@pytest.mark.parametrize(
    "piece", ["[", "[1,", "[1]", "[source ", "[ ", "1 ", "`", "[1 and ", "[1-3]", "[[1]", "[Source: x"]
)
def test_hostile_repetition_ends(piece: str) -> None:
    citations("[" + piece * (100_000 // len(piece)))
