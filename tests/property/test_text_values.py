"""Whatever the text, values lie inside it, in order, without overlap, and hostile lengths stay cheap."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.nlp.dates import Date, agree, dates, relation
from assay.nlp.names import acronyms, names
from assay.nlp.negation import comparisons, negations
from assay.nlp.quantities import agree as equal
from assay.nlp.quantities import quantities

PIECES = st.sampled_from(
    ["3.5", "million", " ", "-", "–", "$", "%", "May", "2021", "一万", "half", "a", "dozen", "(", ")", "not",
     "NATO", "first", ",", "１２", "5 km", "to", "between", "and", "年", "月", "10:30", "pm", "1/2", "½",
     "Ada", "\n", "48 300", "12 000"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join), st.lists(PIECES, max_size=40).map(" ".join)
)


@given(TEXTS)
@example("0$:0")
def test_spans_lie_inside_in_order_and_apart(text: str) -> None:
    for found in (quantities(text), dates(text), names(text), negations(text), comparisons(text)):
        ends = 0
        for each in found:
            assert ends <= each.start < each.end <= len(text)
            ends = each.end


@given(TEXTS)
def test_every_quantity_and_date_agrees_with_itself(text: str) -> None:
    assert all(equal(each, each) for each in quantities(text))
    assert all(agree(each, each) for each in dates(text))
    assert all(key == key.lower() for key in acronyms(text))


@given(st.integers(0, 10**12))
def test_an_integer_is_read_as_written(number: int) -> None:
    for written in (str(number), f"{number:,}", f"{number:,}".replace(",", " ")):
        [found] = quantities(f"exactly {written} things")
        assert (found.low, found.high, found.slack) == (number, number, 0)


@given(st.dates(), st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y"]))
def test_a_day_lies_within_its_month_and_year(day, form: str) -> None:  # type: ignore[no-untyped-def]
    if not 1000 <= day.year < 2100:
        return
    [found] = dates(day.strftime(form))
    assert (found.year, found.month, found.day) == (day.year, day.month, day.day)
    assert relation(Date(0, 0, day.year, until=day.year), found) == "contains"
    assert relation(found, Date(0, 0, day.year, day.month, until=day.year)) == "within"


@pytest.mark.parametrize(
    "piece",
    ["1", "1,", "1.1", "2021 ", "2021-", "one hundred ", "A ", "(A", "not ", "万", "5 to ", "May 1, ", "$", "Aa-"],
)
def test_hostile_repetition_ends(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    for read in (quantities, dates, names, acronyms, negations, comparisons):
        read(text)
