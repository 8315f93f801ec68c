from __future__ import annotations

import pytest

from assay.nlp.names import acronyms, names
from assay.nlp.negation import comparisons, negations, opposite


def test_names_of_a_sentence() -> None:
    text = "In May the Bank of England hired Dr. Ada Lovelace and NATO's Lars Løkke."
    assert [name.words for name in names(text)] == [
        ("bank", "england"),
        ("ada", "lovelace"),
        ("nato",),
        ("lars", "løkke"),
    ]


def test_the_first_word_alone_may_be_no_name() -> None:
    [first, second] = names("Sales rose in Spain.")
    assert first.opens
    assert not second.opens


def test_an_acronym_and_its_expansion_are_one() -> None:
    assert acronyms("The European Central Bank (ECB) said") == {"ecb": ("european", "central", "bank")}


@pytest.mark.parametrize("text", ["It is not so.", "It isn't.", "Nobody came.", "She failed to win.", "这不是真的"])
def test_negated(text: str) -> None:
    assert negations(text)


@pytest.mark.parametrize("text", ["It is not only big.", "It is so.", "Notable knots.", ""])
def test_not_negated(text: str) -> None:
    assert not negations(text)


def test_scope_ends_with_the_clause() -> None:
    text = "They did not sell the house, they kept it."
    [negation] = negations(text)
    assert text[negation.scope.start : negation.scope.end] == "sell the house"


def test_directions_and_opposites() -> None:
    assert [c.direction for c in comparisons("more than last year, falling since")] == ["up", "down"]
    assert opposite("rise", "falls")
    assert opposite("happy", "unhappy")
    assert not opposite("cat", "dog")
