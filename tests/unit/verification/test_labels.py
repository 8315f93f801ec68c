"""Labels that head an item are no names; the names in them and behind them are tested as any other."""

from __future__ import annotations

import pytest

from assay.types import Check, Passage, Status, Verdict
from assay.verification.verifier import DeterministicVerifier

SOURCE = (
    "The ferry Marta carries up to 48 cars and 210 passengers. It leaves Halden at 7:15. "
    "Greta Lindqvist founded the line in 1961 with a gift of 90,000 kronor."
)


async def checked(text: str) -> tuple[list[Verdict], list[Check]]:
    """The verdicts of a text's claims, and the failed checks of names."""
    review = await DeterministicVerifier().check(text, (Passage("p", "d", "r", 0, len(SOURCE), SOURCE),))
    failed = [each for each in review.checks if each.name == "names" and each.status is Status.FAILED]
    return [each.verdict for each in review.claims], failed


@pytest.mark.parametrize(
    "label", ["Capacity", "Load", "Maximum Load", "Size", "Vehicle Limit", "Room for", "Details"]
)
@pytest.mark.parametrize(
    "form", ["- **{}:** {}", "**{}**: {}", "- {}: {}", "* **{}** – {}", "1. **{}:** {}", "__{}:__ {}"]
)
async def test_a_label_is_no_name(label: str, form: str) -> None:
    verdicts, failed = await checked(form.format(label, "up to 48 cars and 210 passengers"))
    assert failed == []
    assert not {Verdict.CONTRADICTED, Verdict.UNSUPPORTED} & set(verdicts)


@pytest.mark.parametrize("label", ["Founder", "Year Founded", "Sum Paid", "Origin", "First Gift"])
async def test_a_label_stands_before_a_statement(label: str) -> None:
    _, failed = await checked(f"- **{label}:** Greta Lindqvist founded the line in 1961")
    assert failed == []


@pytest.mark.parametrize(
    "text",
    [
        "- **Capacity:** 84 cars and 210 passengers can be carried",
        "- **Ship:** the ferry Hilda carries up to 48 cars and 210 passengers",
        "- **Founder:** Olga Lindqvist founded the line in 1961 with a gift",
        "- **Olga Lindqvist:** founded the line in 1961 with a gift of 90,000 kronor",
        "- **Departure from Bergen:** it leaves at 7:15",
    ],
)
async def test_a_wrong_value_beside_a_label_or_in_one_fails(text: str) -> None:
    verdicts, _ = await checked(text)
    assert {Verdict.CONTRADICTED, Verdict.UNSUPPORTED} & set(verdicts)
