"""Sentences that say that the sources do not tell something are left unknown: no source sentence shows them."""

from __future__ import annotations

import pytest

from assay.types import Passage, Verdict
from assay.verification.negation import reports_absence
from assay.verification.verifier import DeterministicVerifier

SOURCE = "Tenants may keep cats in their flats. The deposit is two monthly rents. Subletting needs written consent."


@pytest.mark.parametrize(
    "said",
    [
        "The passages don't say whether dogs are allowed.",
        "How high the rent is isn't stated in the documents.",
        "I couldn't find anything about heating costs in the provided text.",
    ],
)
async def test_what_is_not_told_is_unknown_and_nothing_is_held_against_it(said: str) -> None:
    assert reports_absence(said)
    review = await DeterministicVerifier().check(said, (Passage("p", "d", "", 0, len(SOURCE), SOURCE),))
    assert all(claim.verdict is Verdict.UNKNOWN for claim in review.claims)


@pytest.mark.parametrize(
    "said",
    ["Tenants may not keep cats in their flats.", "Subletting needs no consent.", "The deposit isn't two rents."],
)
async def test_a_denial_of_the_matter_is_tested_like_any_claim(said: str) -> None:
    assert not reports_absence(said)
    review = await DeterministicVerifier().check(said, (Passage("p", "d", "", 0, len(SOURCE), SOURCE),))
    assert all(claim.verdict is not Verdict.SUPPORTED for claim in review.claims)
