"""At least against at most, a month's price against a year's, and verbs of the other way."""

from __future__ import annotations

import pytest

from assay.types import Check, Passage, Status
from assay.verification.verifier import DeterministicVerifier

COMPARED = ("numbers", "comparison")


async def failed(claim: str, source: str) -> list[Check]:
    passage = Passage("p", "d", "r", 0, len(source), source)
    found = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    return [each for each in found.checks if each.status is Status.FAILED and each.name in COMPARED]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The router supports at least 64 devices.", "The router supports up to 64 devices."),
        ("The lift carries no more than 8 people.", "The lift carries at least 8 people."),
        ("Members over 65 years pay half.", "Members under 65 years pay half of the fee."),
        ("The fund keeps 20 percent or more in cash.", "The fund keeps at most 20 percent in cash."),
        ("The plan costs 19.99 euros per year.", "The plan costs 19.99 euros per month and includes support."),
        (
            "The pump moves 40 litres an hour.",
            "The pump moves 40 litres per minute, 30 litres at night.",
        ),
        ("The weekly fee is 40 dollars.", "The monthly fee is 40 dollars, payable in advance."),
        ("Staff pay $40 per head per week.", "Staff pay $40 per head per month."),
        ("Velorin increases the risk of stroke in adults.", "Velorin reduces the risk of stroke in adults."),
        ("Velorin causes migraine in adults.", "Velorin prevents migraine in adults."),
        ("The council raised the speed limit.", "The council cut the speed limit in May."),
        ("The town gained 300 inhabitants.", "The town lost 300 inhabitants in ten years."),
        ("Rents in the old town fell.", "Rents in the old town rose sharply."),
    ],
)
async def test_the_other_way_is_told(claim: str, source: str) -> None:
    assert await failed(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The router supports at most 64 devices.", "The router supports up to 64 devices."),
        ("The router supports 64 devices.", "The router supports up to 64 devices."),
        ("The lift carries no fewer than 8 people.", "The lift carries at least 8 people."),
        ("The lift does not carry more than 8 people.", "The lift carries up to 8 people."),
        ("Adults over 18 pay 10 euros.", "Children under 18 pay 5 euros, adults over 18 pay 10 euros."),
        ("The plan costs 19.99 euros a month.", "The plan costs 19.99 euros per month."),
        ("The annual fee is 40 dollars.", "The fee is 40 dollars per year."),
        ("The plan costs 19.99 euros.", "The plan costs 19.99 euros per month."),
        ("The plan costs 5 euros per month.", "Use the plan for 5 euros per week or 5 euros per month."),
        ("Velorin reduces the risk of stroke.", "Velorin lowers the risk of stroke, which smoking increases."),
        ("Rents in the old town increased.", "Rents in the old town rose sharply."),
    ],
)
async def test_the_same_put_otherwise_is_not(claim: str, source: str) -> None:
    assert await failed(claim, source) == []
