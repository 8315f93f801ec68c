"""What a reader is given of a passage: its prose, in place, under everything that says what it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.nlp.blocks import titled
from assay.types import Location, Passage

TEXT = "Boil the [water](water.md) for *two* minutes."
TEA = Passage("p", "d", "r", 0, len(TEXT), TEXT)


def test_offsets_in_the_prose_are_offsets_in_the_passage() -> None:
    read = titled(TEA)
    assert len(read.text) == len(TEXT)
    assert read.text.split() == "Boil the water for two minutes.".split()
    start = read.text.index("two")
    assert TEXT[start : start + 3] == "two"


@pytest.mark.parametrize(
    ("passage", "title"),
    [
        (TEA, ""),
        (replace(TEA, title="Tea"), "Tea"),
        (replace(TEA, title="Tea", location=Location(section="Tea > Steps")), "Tea > Steps"),
        (replace(TEA, title="Drinks", location=Location(section="Tea > Steps")), "Drinks > Tea > Steps"),
        (replace(TEA, title="Rates", header="name |\n price"), "Rates > name | price"),
        (replace(TEA, title="Tea", location=Location(section="Tea > Steps > Tea")), "Tea > Steps"),
    ],
)
def test_each_name_above_a_passage_is_told_once(passage: Passage, title: str) -> None:
    assert titled(passage).title == title
