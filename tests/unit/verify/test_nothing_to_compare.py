"""A claim that was compared with nothing says why: no source, a source without words, or no words of its own."""

from __future__ import annotations

import pytest

from assay.types import Passage, Verdict
from assay.verify.review import DeterministicVerifier


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
