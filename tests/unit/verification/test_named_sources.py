"""A mark that is a word of its sentence leaves no hole in the claim."""

from __future__ import annotations

import pytest

from assay.nlp.citations import citations
from assay.verification.claims import split_claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("According to [1], dogs bark loudly.", [("According to the source, dogs bark loudly.", (1,))]),
        ("Additionally, [5] states that dogs bark.", [("The source states that dogs bark.", (5,))]),
        ("It is described in [1] and [2].", [("It is described in the sources.", (1, 2))]),
        ("As [1, 3] say, dogs bark.", [("As the sources say, dogs bark.", (1, 3))]),
        (
            "Dogs bark [1]. [2] notes that cats purr.",
            [("Dogs bark.", (1,)), ("The source notes that cats purr.", (2,))],
        ),
        ("Dogs bark.[1] The cat purrs [2].", [("Dogs bark.", (1,)), ("The cat purrs.", (2,))]),
        (
            "According to the handbook, [1] employees get 20 days.",
            [("According to the handbook, employees get 20 days.", (1,))],
        ),
        ("Cats and [1] dogs bark.", [("Cats and dogs bark.", (1,))]),
        ("In 1931, [1] it rained.", [("In 1931, it rained.", (1,))]),
    ],
)
def test_a_mark_in_the_place_of_a_word_becomes_the_source(
    text: str, claims: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert [(each.text, each.numbers) for each in split_claims(text, citations(text))] == claims
