"""Whether a number belongs to what the claim says it of."""

from __future__ import annotations

import pytest

from assay.types import Passage, Status
from assay.verify.review import DeterministicVerifier

TOLL = "Cars pay 4 pounds, lorries pay 12 pounds."


async def found(claim: str, source: str) -> list[Status]:
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    return [each.status for each in review.checks if each.name == "belonging"]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Cars pay 12 pounds.", TOLL),
        ("Lorries have to pay 4 pounds.", TOLL),
        (
            "The north tower is 90 metres high.",
            "The south tower is 90 metres high and the north tower is 80 metres high.",
        ),
    ],
)
async def test_a_number_of_another_clause_is_unknown(claim: str, source: str):
    assert await found(claim, source) == [Status.UNKNOWN]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Lorries have to pay 12 pounds.", TOLL),
        ("The toll is 4 pounds for cars.", TOLL),
        ("15 people came to the fair in 2021.", "In 2020, 12 people came, and in 2021 15 people came to the fair."),
        ("In 2020 12 people came to the fair.", "In 2020, 12 people came, and in 2021 15 people came to the fair."),
        ("The tower is 90 metres high.", "The tower is 90 metres high and the bridge 80 metres long."),
        ("Cars pay 12 pounds.", "Cars pay 12 pounds."),
    ],
)
async def test_a_number_of_its_own_clause_is_not(claim: str, source: str):
    assert await found(claim, source) == []
