"""Numbers whose thousands are parted by plain spaces, beside their sources."""

from __future__ import annotations

import pytest

from assay.types import Passage, Status
from assay.verification.verifier import DeterministicVerifier


async def found(claim: str, source: str) -> list[Status]:
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    return [each.status for each in review.checks if each.name == "numbers"]


@pytest.mark.parametrize(
    ("claim", "source", "status"),
    [
        ("The city has 48,300 inhabitants.", "The city has 48 300 inhabitants.", Status.PASSED),
        ("The city has 300 inhabitants.", "The city has 48 300 inhabitants.", Status.FAILED),
        ("The rent is 1150 euros.", "The rent is 1 150 euros.", Status.PASSED),
        ("The deposit is 2300 €.", "The deposit is 2\u00a0300 euros.", Status.PASSED),
        ("Drivers get 30 cents per kilometre.", "Drivers get 0.30 euros per kilometre.", Status.PASSED),
        ("Drivers get 40 cents per kilometre.", "Drivers get 0.30 euros per kilometre.", Status.FAILED),
        ("The club held 5,100 m races.", "The club held 5 100 m races.", Status.UNKNOWN),
        ("The club held races over 100 m.", "The club held 5 100 m races.", Status.UNKNOWN),
        ("The club held 5 100 m races.", "Last spring the club held 5 100 m races.", Status.PASSED),
    ],
)
async def test_a_number_is_read_as_its_spaces_part_it(claim: str, source: str, status: Status):
    assert await found(claim, source) == [status]
