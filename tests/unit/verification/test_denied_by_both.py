"""Claims that deny what their source denies, in other words; and those that do not."""

from __future__ import annotations

import pytest

from assay.types import Passage, Status, Verdict
from assay.verification.verifier import DeterministicVerifier

# A claim, and its source.
BOTH = [
    ("What passengers write in the logbook is not private.",
     "Nothing that passengers write in the logbook is private."),
    ("The members of the crew may not sleep on deck.", "No member of the crew may sleep on deck."),
    ("The guests at the second hearing did not object to the plan.",
     "Nobody at the second hearing objected to the plan."),
    ("The two bridges over the canal were not open to lorries.",
     "Neither of the two bridges over the canal was open to lorries."),
    ("The samples taken in March did not contain lead.", "None of the samples taken in March contained lead."),
]  # fmt: skip
ONE = [
    ("What passengers write in the logbook is private.", BOTH[0][1]),
    ("Everything that passengers write in the logbook is private.", BOTH[0][1]),
    ("The two bridges over the canal were open to lorries.", BOTH[3][1]),
    ("The samples taken in March contained lead.", BOTH[4][1]),
    ("The samples taken in March did not contain lead.", "The samples taken in March contained lead."),
    ("Data that users store in the cloud is not encrypted at night.",
     "Data that users store in the cloud is encrypted at night, and nothing is deleted."),
    ("The café on board is not open on Mondays.", "The café on board is open on Mondays but nothing hot is sold."),
]  # fmt: skip


async def checked(claim: str, source: str) -> tuple[Verdict, set[Status]]:
    """The verdict of a claim, and the states of its checks of denials."""
    review = await DeterministicVerifier().check(
        claim, (Passage("p", "d", "r", 0, len(source), source),), one_claim=True
    )
    return review.claims[0].verdict, {each.status for each in review.checks if each.name == "negation"}


@pytest.mark.parametrize(("claim", "source"), BOTH)
async def test_what_both_deny_is_not_contradicted(claim: str, source: str) -> None:
    verdict, denied = await checked(claim, source)
    assert verdict is not Verdict.CONTRADICTED
    assert Status.FAILED not in denied


@pytest.mark.parametrize(("claim", "source"), ONE)
async def test_what_one_of_them_denies_is_contradicted(claim: str, source: str) -> None:
    verdict, denied = await checked(claim, source)
    assert verdict is Verdict.CONTRADICTED
    assert Status.FAILED in denied
