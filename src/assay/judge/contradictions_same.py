"""When two values say the same: dates that fit, equal numbers, a name written shorter."""

from __future__ import annotations

from assay.judge.contradictions_asked import Shape
from assay.text.dates import dates, relation
from assay.text.quantities import agree, may_agree, quantities
from assay.text.tokens import terms, words


def same(shape: Shape, one: str, other: str) -> bool:
    """Whether two values of a shape say the same.

    >>> same(Shape.DATE, "1898", "13 August 1898"), same(Shape.NUMBER, "3,559 people", "3559")
    (True, True)
    >>> same(Shape.PERSON, "J. Smith", "John Smith"), same(Shape.PERSON, "Ann Smith", "John Smith")
    (True, False)
    """
    if shape is Shape.DATE:
        return _same_date(one, other)
    if shape is Shape.NUMBER or (shape is Shape.NAME and _measure(one) and _measure(other)):
        return _same_number(one, other)
    read = words if shape is Shape.PERSON else terms
    left, right = read(one) or words(one), read(other) or words(other)
    if not left or not right:
        return one == other
    if set(left) <= set(right) or set(right) <= set(left):
        return True
    return shape is Shape.PERSON and left[-1] == right[-1] and _initial(left[0], right[0])


def _same_date(one: str, other: str) -> bool:
    """Whether one date lies within the other; the words where one of them is no date."""
    first, second = dates(one), dates(other)
    if not first or not second:
        return one == other
    return relation(first[0], second[0]) in ("same", "within", "contains")


def _measure(value: str) -> bool:
    """Whether a value is a number with its unit, and nothing else."""
    found = quantities(value)
    return bool(found) and bool(found[0].dimension) and found[0].start == 0


def _same_number(one: str, other: str) -> bool:
    """Whether the numbers are equal: in one unit where both have one of a kind, else as written."""
    first, second = quantities(one), quantities(other)
    if not first or not second:
        return one == other
    if first[0].dimension == second[0].dimension:
        return agree(first[0], second[0]) or may_agree(first[0], second[0])
    return first[0].written == second[0].written


def _initial(one: str, other: str) -> bool:
    """Whether one first name is the other's first letter."""
    short, long = sorted((one, other), key=len)
    return len(short) == 1 and long.startswith(short)
