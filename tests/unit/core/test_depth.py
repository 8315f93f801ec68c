from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.core.profiles import Depth, depth_for, is_simple, risk_of
from assay.types import Question, QuestionKind

PLAIN = Question("Who founded Rome?", "Who founded Rome?", aspects=("Who founded Rome",), detail=2)


@pytest.mark.parametrize(
    ("importance", "load", "profile"),
    [
        ("low", 0.0, "fast"),
        ("low", 1.0, "fast"),
        ("normal", 0.0, "balanced"),
        ("normal", 0.79, "balanced"),
        ("normal", 0.8, "fast"),
        ("high", 0.0, "thorough"),
        ("high", 0.8, "balanced"),
    ],
)
def test_the_table(importance: Any, load: float, profile: str) -> None:
    depth = depth_for("Who founded Rome?", importance=importance, load=load)
    assert depth.profile == profile
    assert f"a question of {importance} importance" in depth.reason


def test_without_a_model_it_is_fast_and_says_so() -> None:
    depth = depth_for("Which dose is lethal?", importance="high", model_available=False)
    assert depth == Depth("fast", "no language model is set, so only fast is possible")


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("What is the maximum daily dose?", 'a medical question ("dose")'),
        ("Can pregnant women fly?", 'a medical question ("pregnant")'),
        ("Am I liable for the damage?", 'a legal question ("liable")'),
        ("Do I pay tax on a gift?", 'a financial question ("tax")'),
        ("Is the solvent flammable?", 'a safety question ("flammable")'),
        ("布洛芬的剂量是多少？", 'a medical question ("剂量")'),
    ],
)
def test_a_risk_word_makes_any_question_important(text: str, risk: str) -> None:
    assert risk_of(text) == risk
    assert depth_for(text, importance="low") == Depth("thorough", risk)
    assert depth_for(text, importance="low", load=0.9).profile == "balanced"


@pytest.mark.parametrize("text", ["Who painted the taxi?", "Which suede shoes?", "Is it illustrated?", "A statue"])
def test_risk_words_are_whole_words(text: str) -> None:
    assert risk_of(text) is None


def test_a_plain_question_is_simple() -> None:
    assert is_simple(PLAIN)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": QuestionKind.COMPARATIVE},
        {"kind": QuestionKind.FOLLOW_UP},
        {"aspects": ("one", "two")},
        {"detail": 4},
        {"expertise": "expert"},
        {"unclear": 'it is not clear what "it" refers to'},
        {"standalone": "word " * 21},
        {"standalone": "Which dose did Romulus take?"},
    ],
)
def test_what_makes_a_question_not_simple(change: dict[str, Any]) -> None:
    assert not is_simple(replace(PLAIN, **change))
