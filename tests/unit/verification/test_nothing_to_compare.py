"""A claim that was compared with nothing says why: no source, a source without words, or no words of its own."""

from __future__ import annotations

import pytest

from assay.types import Passage, Verdict
from assay.verification.verifier import DeterministicVerifier


def passage(text: str, title: str = "") -> Passage:
    return Passage("p1", "d1", "r", 0, len(text), text, title=title)


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        ((), "there are no passages to compare"),
        ((passage(" ", "leer.md"),), "there are no words to compare in leer.md"),
        ((passage("…"),), "there are no words to compare in [p1]"),
    ],
)
async def test_what_was_missing_is_named(sources: tuple[Passage, ...], reason: str):
    (claim,) = (await DeterministicVerifier().check("The warranty covers two years.", sources)).claims
    assert (claim.verdict, claim.support, claim.history[-1].reason) == (Verdict.UNKNOWN, None, reason)


async def test_sources_in_another_language_settle_nothing():
    source = passage(
        "Die Miete ist am ersten Tag des Monats zu zahlen, und der Vermieter stellt eine Quittung aus."
    )
    (claim,) = (
        await DeterministicVerifier().check("The rent is due on the first day of the month.", (source,))
    ).claims
    reason = "its sources are in another language, and no model compared them"
    assert (claim.verdict, claim.history[-1].reason) == (Verdict.UNKNOWN, reason)


async def test_sources_in_the_claims_language_settle_that_nothing_says_it():
    source = passage("The harbour was built for ships that carry coal, and the pier is closed in the winter.")
    (claim,) = (
        await DeterministicVerifier().check("Violins are tuned in fifths by the players.", (source,))
    ).claims
    assert claim.verdict is Verdict.UNSUPPORTED
