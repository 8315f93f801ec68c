"""Slips of typing and other wordings."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from assay.evals.make.wording import Wording, misspelt, reworded
from unit.evals.make.documents import chance

QUESTION = "How many people does the Harbour Bridge (--stream) carry in summer 1932?"


@pytest.mark.parametrize("seed", range(30))
def test_one_ordinary_word_has_one_slip(seed: int) -> None:
    slipped = misspelt(QUESTION, chance(seed))
    assert slipped is not None
    changed = [(old, new) for old, new in zip(QUESTION.split(), slipped.split(), strict=True) if old != new]
    ((old, new),) = changed
    assert old in ("people", "summer")
    assert old[0] == new[0]
    assert SequenceMatcher(None, old, new).ratio() > 0.7


def test_names_numbers_and_codes_stay_whole() -> None:
    assert misspelt("What does --reranker do in Bergenhus 1932?", chance(1)) is None


def test_the_same_seed_slips_alike() -> None:
    assert misspelt(QUESTION, chance(7)) == misspelt(QUESTION, chance(7))


@pytest.mark.parametrize(
    ("wording", "known"),
    [
        (Wording("What", "is", "the capital of", "Peru"), "I would like to know what the capital of Peru is."),
        (
            Wording("When", "was", "", "the mill", "closed", "Ulm"),
            "Do you know when the mill was closed according to “Ulm”?",
        ),
        (Wording("What", "is", "meant by", "“Tea”"), "Could you tell me what is meant by “Tea”?"),
        (Wording("How", "do", "I add", "a key"), "I want to add a key. How is that done?"),
        (Wording("How many people", "does", "", "the hall", "hold"), "how many people does hall hold"),
    ],
)
def test_other_wordings_ask_the_same(wording: Wording, known: str) -> None:
    assert known in {reworded(wording, chance(seed)) for seed in range(40)}
