from __future__ import annotations

import pytest

from assay.nlp.quantities import agree, comparable, may_agree, quantities


def read(text: str) -> list[tuple[str, float, float, str]]:
    return [(text[q.start : q.end], q.low, q.high, q.dimension) for q in quantities(text)]


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("3.5 million", 3.5e6, ""),
        ("$3.5m", 3.5e6, "USD"),
        ("3,500,000", 3.5e6, ""),
        ("12,34,567", 1234567, ""),
        ("1.234,56", 1234.56, ""),
        ("1 000 km".replace(" ", "\u00a0", 1), 1e6, "length"),
        ("3,5 kg", 3.5, "mass"),
        ("twelve", 12, ""),
        ("a dozen", 12, ""),
        ("half a million", 5e5, ""),
        ("three hundred and five", 305, ""),
        ("twenty-three", 23, ""),
        ("Twenty- five", 25, ""),
        ("two and a half hours", 9000, "seconds"),
        ("one and a half million", 1.5e6, ""),
        ("59 1/2", 59.5, ""),
        ("59 1/2 years", 714, "months"),
        ("two thirds", 2 / 3, ""),
        ("1/2", 0.5, ""),
        ("2½", 2.5, ""),
        ("12 %", 12, "percent"),
        ("12 per cent", 12, "percent"),
        ("12 percentage points", 12, "point"),
        ("50 bps", 0.5, "point"),
        ("80 basis points", 0.8, "point"),
        ("5 pm", 1020, "clock"),
        ("12:30 am", 30, "clock"),
        ("21st", 21, "ordinal"),
        ("third", 3, "ordinal"),
        ("3.5万", 35000, ""),
        ("三百五十万", 3.5e6, ""),
        ("百分之五", 5, "percent"),
        ("１２％", 12, "percent"),
        ("-5 °C", -5, "celsius"),
        ("24 months", 24, "months"),
        ("2 years", 24, "months"),
    ],
)
def test_one_quantity_is_read(text: str, value: float, dimension: str) -> None:
    [(place, low, high, found)] = read(text)
    assert place == text
    assert low == high == pytest.approx(value)
    assert found == dimension


@pytest.mark.parametrize("text", ["COVID-19", "Q4", "version 3.1.2", "no number", "千", ""])
def test_no_quantity_is_read(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("5-10 km", 5000, 10000), ("5 to 10", 5, 10), ("between 3 and 5 million", 3e6, 5e6), ("3–5 %", 3, 5)],
)
def test_ranges(text: str, low: float, high: float) -> None:
    [(_, lowest, highest, _)] = read(text)
    assert (lowest, highest) == (pytest.approx(low), pytest.approx(high))


def test_from_to_is_a_change_not_a_range() -> None:
    assert [(low, high) for _, low, high, _ in read("rose from 5 to 10")] == [(5, 5), (10, 10)]


@pytest.mark.parametrize(
    ("claim", "source", "agrees"),
    [
        ("3.5 million", "3,512,000", True),
        ("3.5 million", "3,612,000", False),
        ("about 300", "309", True),
        ("300", "309", False),
        ("5 km", "5,000 m", True),
        ("5 %", "5 points", False),
        ("$5", "€5", False),
        ("10 to 20", "10-20", True),
        ("10 to 20", "15", False),
    ],
)
def test_agreement(claim: str, source: str, agrees: bool) -> None:
    assert agree(quantities(claim)[0], quantities(source)[0]) is agrees


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("48 300", 48300, ""),
        ("1 150 euros", 1150, "EUR"),
        ("1 150,50 euros", 1150.5, "EUR"),
        ("12 000 000", 12e6, ""),
        ("2300 €", 2300, "EUR"),
        ("EUR 1 150", 1150, "EUR"),
        ("30 cents", 0.3, "cents"),
    ],
)
def test_plain_spaces_part_thousands(text: str, value: float, dimension: str) -> None:
    assert read(f"it has {text}.") == [(text, value, value, dimension)]
    assert not quantities(text)[0].apart


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("in 2020 300 people ran", [2020, 300]),
        ("10, 100 and 20", [10, 100, 20]),
        ("A4 300 g", [0.3]),
        ("call 555 123 4567", [555, 123, 4567]),
        ("100 200 300 400 500 600 700", [100, 200, 300, 400, 500, 600, 700]),
        ("€5 15 $ 20", [5, 15, 20]),
    ],
)
def test_plain_spaces_part_numbers(text: str, values: list[float]) -> None:
    assert [each.low for each in quantities(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "5 100 m races",
        "3 500-page books",
        "Brewlet 3 350 W",
        "page 4 200",
        "May 5 300 people",
        "No. 5 300",
        "In 2020 48 300 people",
        "12 300 450",
    ],
)
def test_what_may_be_one_number_or_several_is_compared_with_neither(text: str) -> None:
    doubtful = quantities(text)[-1]
    assert len(doubtful.apart) > 1
    assert agree(doubtful, doubtful)
    last = quantities(f"of {int(doubtful.apart[-1])}")[0]
    together = quantities(f"of {int(doubtful.written)}")[0]
    assert may_agree(doubtful, last)
    assert may_agree(together, doubtful)
    assert not comparable(together, doubtful)


def test_a_group_that_begins_with_zero_is_no_number_of_its_own() -> None:
    assert not quantities("Boeing 12 000 parts")[0].apart


@pytest.mark.parametrize(
    ("cents", "money", "agrees"),
    [("30 cents", "0.30 euros", True), ("30 cents", "EUR 0.30", True), ("30 cents", "$0.30", True),
     ("30 cents", "30 euros", False), ("30 cents", "0.3 kg", False)],
)  # fmt: skip
def test_cents_are_of_whatever_currency(cents: str, money: str, agrees: bool) -> None:
    assert agree(quantities(cents)[0], quantities(money)[0]) is agrees
    assert agree(quantities(money)[0], quantities(cents)[0]) is agrees


@pytest.mark.parametrize(
    ("text", "place", "dimension"),
    [
        ("A third collection costs more.", "A third", "ordinal"),
        ("in the run a fourth call ends it", "a fourth", "ordinal"),
        ("a third of the doses", "a third", ""),
        ("a third more than before", "a third", ""),
        ("a fifth larger", "a fifth", ""),
        ("a third kilometre", "a third kilometre", "length"),
        ("sales fell by a third.", "a third", ""),
    ],
)
def test_a_third_counts_what_stands_right_behind_it(text: str, place: str, dimension: str) -> None:
    [(found, _, _, said)] = read(text)
    assert (found, said) == (place, dimension)


def test_what_is_halved_of_something_stands_apart() -> None:
    assert [place for place, *_ in read("two and a half of the eggs")] == ["two", "a half"]


def test_degrees_are_of_whatever_scale() -> None:
    assert agree(quantities("28 degrees")[0], quantities("28 °C")[0])
    assert not comparable(quantities("28 °F")[0], quantities("28 °C")[0])
