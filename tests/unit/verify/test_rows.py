"""Whether a value belongs to the row that the claim gives it for."""

from __future__ import annotations

import pytest

from assay.types import Passage, Status
from assay.verify.review import DeterministicVerifier

TABLE = (
    "| Model | Power | Tank | Price |\n|---|---|---|---|\n| Brewlet 3 | 1350 W | 1.8 l | 189 EUR |\n"
    "| Brewlet 3 Pro | 1600 W | 2.4 l | 279 EUR |\n"
)
LINES = "- Brewlet 3: 189 EUR\n- Brewlet 3 Pro: 279 EUR\n"
PROSE = "In Europe the Brewlet 3 costs 189 EUR. In Europe the Brewlet 3 Pro costs 279 EUR."
LEASE = (
    "The tenant pays for electricity and water; heating is included in the rent. The landlord repairs the boiler."
)


async def found(claim: str, source: str) -> list[Status]:
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    return [each.status for each in review.checks if each.name == "belonging"]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("| Brewlet 3 | 1600 W |", TABLE),
        ("| Brewlet 3 Pro | 1350 W |", TABLE),
        ("The Brewlet 3 Pro costs 189 EUR.", TABLE),
        ("The Brewlet 3 has a power of 1600 W.", TABLE),
        ("279 EUR is the price of the Brewlet 3.", TABLE),
        ("The Brewlet 3 Pro costs 189 EUR.", LINES),
        ("The Brewlet 3 Pro costs 189 EUR.", PROSE),
        ("The Brewlet 3 costs 279 EUR.", PROSE),
        ("| Water | the landlord |", LEASE),
    ],
)
async def test_a_value_of_another_row_is_unknown(claim: str, source: str):
    assert await found(claim, source) == [Status.UNKNOWN]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("| Brewlet 3 | 1350 W |", TABLE),
        ("| Brewlet 3 Pro | 1600 W | 2.4 l | 279 EUR |", TABLE),
        ("The Brewlet 3 Pro costs 279 EUR.", TABLE),
        ("The Brewlet 3 has a power of 1350 W and a tank of 1.8 l.", TABLE),
        ("The Brewlet 3 costs 189 EUR, the Brewlet 3 Pro 279 EUR.", TABLE),
        ("The Brewlet 3 costs 189 EUR.", LINES),
        ("The Brewlet 3 costs 189 EUR.", PROSE),
        ("The Brewlet 3 Pro costs 279 EUR.", PROSE),
        ("| Water | the tenant |", LEASE),
        ("| Heating | included in the rent |", LEASE),
    ],
)
async def test_a_value_of_its_own_row_is_not(claim: str, source: str):
    assert await found(claim, source) == []
