from __future__ import annotations

import pytest

from assay.nlp.names import acronyms, mentions, names
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


@pytest.mark.parametrize("name", ["Y2K", "B2B", "H2O", "RTX4090Ti", "X86_64"])
def test_a_word_of_letters_and_digits_is_one_name(name: str) -> None:
    text = f"They met {name} in Ulm."
    assert [(each.words, text[each.start : each.end]) for each in names(text)] == [
        ((name.lower(),), name),
        (("ulm",), "Ulm"),
    ]


@pytest.mark.parametrize(
    ("text", "word", "mentioned"),
    [
        ("The Y2K bug", "y2k", True),
        ("Line Y2 in lot K", "y2k", False),
        ("An RTX 4090", "rtx4090", True),
        ("An RTX4080", "rtx4090", False),
        ("Version 3.2.1", "3.2", False),
        ("Version 3.20", "3.2", False),
    ],
)
def test_a_word_with_a_digit_has_no_other_form(text: str, word: str, mentioned: bool) -> None:
    assert mentions(text, (word,)) is mentioned


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
