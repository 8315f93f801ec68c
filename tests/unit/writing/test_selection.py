"""Which sentences fit into an answer."""

from __future__ import annotations

from assay.types import Evidence, Hit, Passage
from assay.writing.candidates import candidates
from assay.writing.ranking import SURE, select

LONG = "The old stone bridge over the river was built of granite by masons from the north."
SHORT = "The tower was opened by the mayor."
SURELY = "Copper melts at 1085 degrees."


def passage(name: str, text: str) -> Hit:
    return Hit(Passage(name, name, "r", 0, len(text), text), 1.0)


POOL = candidates(Evidence((passage("a", LONG), passage("b", SHORT), passage("c", SURELY))))


def test_a_sure_sentence_goes_before_those_that_must_come_first() -> None:
    assert select(POOL, [0.2, 0.35, SURE], 13, first=[0]) == [2, 1]


def test_one_that_is_not_sure_waits_for_those_that_must_come_first() -> None:
    assert select(POOL, [0.3, 0.2, SURE - 0.1], 16, first=[0]) == [0]


def test_the_likeliest_is_taken_however_long_it_is() -> None:
    assert select(POOL, [0.9, 0.05, 0.05], 3) == [0]
