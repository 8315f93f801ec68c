"""Whatever stands in a claim and near it, what is derive_number adds up, and nothing fails or takes long."""

from __future__ import annotations

import datetime
import math

from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.analysis import analyse
from assay.nlp.arithmetic import MOST_NEAR, Day, Derivation, Near, Number, derive_date, derive_number, near_of

PIECES = st.sampled_from(
    ["3", "4.5", "12", "1932", "in total", "more than", "about", ", ", "€", "%", "percentage points", "May",
     "km", "miles", "three", "twice", "half", "each", "days", "weeks", "years", "months", "from 3 May 1932 to",
     "1951", "2001-2009", "31 April", "10:30", "MB", "GB", "°C", "°F", "as many", "died aged", ".", "and", "1063",
     "9 trillion trillion", "the 1930s", "20th century", "五年"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map(" ".join)
COUNTS = st.integers(2, 10_000)


def first(claim: str, *sentences: str) -> Derivation | None:
    return derive_number(claim, analyse(claim).quantities[0], near_of(sentences))


@given(TEXTS, st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=2))
def test_what_is_derived_starts_from_what_is_near(claim: str, sentences: list[str], around: list[str]) -> None:
    near = near_of(sentences, around)
    assert len(near.numbers) <= MOST_NEAR
    found = [derive_number(claim, each, near) for each in analyse(claim).quantities]
    found += [derive_date(claim, each, near) for each in analyse(claim).dates]
    for each in filter(None, found):
        assert 1 <= len(each.operands) <= 4
        for operand in each.operands:
            text = [*sentences, *around][operand.sentence]
            place = text[operand.value.start : operand.value.end]
            assert operand.written in place
            assert operand in (*near.numbers, *near.days)
        assert each.formula.partition(" = ")[2]


@given(TEXTS)
def test_nothing_follows_from_nothing(claim: str) -> None:
    assert all(derive_number(claim, each, Near()) is None for each in analyse(claim).quantities)
    assert all(derive_date(claim, each, Near()) is None for each in analyse(claim).dates)


@given(COUNTS, COUNTS, COUNTS)
def test_a_total_is_right_or_does_not_follow(one: int, other: int, claimed: int) -> None:
    found = first(f"Together the mills number {claimed:,}.", f"Ulm has {one:,} mills and Bonn {other:,}.")
    assert (found is not None) == (claimed == one + other)
    right = first(f"Together the mills number {one + other:,}.", f"Ulm has {one:,} mills and Bonn {other:,}.")
    assert right is not None
    assert right.kind == "sum"


@given(COUNTS, COUNTS, COUNTS)
def test_a_difference_is_right_or_does_not_follow(one: int, other: int, claimed: int) -> None:
    found = first(f"It weighs {claimed:,} g more.", f"One weighs {one:,} g, the other {other:,} g.")
    assert (found is not None) == (claimed == abs(one - other))


@given(st.integers(2, 500), st.integers(2, 500))
def test_a_product_follows(count: int, each: int) -> None:
    found = first(f"That makes {count * each:,} kg in total.", f"There are {count} bags of {each} kg.")
    assert found is not None
    values = [operand.value.written for operand in found.operands if isinstance(operand, Number)]
    assert count * each in (math.prod(values), sum(values))


@given(st.integers(1000, 2099), st.integers(1000, 2099), st.integers(1, 99))
def test_years_go_by_from_the_earlier_to_the_later(one: int, other: int, claimed: int) -> None:
    found = first(f"He stayed for {claimed} years.", f"He came in {one}, and left in {other}.")
    assert (found is not None) == (claimed == abs(other - one))


@given(st.dates(datetime.date(1600, 1, 1), datetime.date(2090, 1, 1)), st.integers(-400, 400).filter(bool))
def test_a_day_some_days_away_follows(day: datetime.date, days: int) -> None:
    away = day + datetime.timedelta(days=days)
    claim = f"It ended on {away.isoformat()}."
    found = derive_date(
        claim, analyse(claim).dates[0], near_of([f"It is {abs(days)} days from {day.isoformat()}."])
    )
    assert found is not None
    assert [type(each) for each in found.operands] == [Day, Number]
    assert ("+" in found.formula) == (days > 0)
