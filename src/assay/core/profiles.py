"""Profiles: how deep to search, what each depth may use, and which model to ask. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from assay.nlp.tokens import words
from assay.types import Question, QuestionKind

Profile = Literal["fast", "balanced", "thorough"]
Importance = Literal["low", "normal", "high"]

# The limits of each depth for one question (design.md, Defaults). `max_calls` counts model calls, each attempt;
# `history_messages` is how much of a dialogue a prompt may hold.
PROFILES: Mapping[str, Mapping[str, int | float]] = MappingProxyType(
    {
        "fast": MappingProxyType(
            {"rounds": 1, "repairs": 2, "max_calls": 4, "deadline": 10.0, "history_messages": 2}
        ),
        "balanced": MappingProxyType(
            {"rounds": 2, "repairs": 4, "max_calls": 8, "deadline": 30.0, "history_messages": 6}
        ),
        "thorough": MappingProxyType(
            {"rounds": 3, "repairs": 8, "max_calls": 24, "deadline": 90.0, "history_messages": 10}
        ),
    }
)
# The table of profile `auto`: by what is at stake, the depth with room to spare and the depth under load.
DEPTHS: Mapping[Importance, tuple[Profile, Profile]] = MappingProxyType(
    {
        "low": ("fast", "fast"),
        "normal": ("balanced", "fast"),
        "high": ("thorough", "balanced"),
    }
)
# Chosen: the share of the capacity from which on there is load.
BUSY = 0.8
# Chosen: words of questions to which a wrong answer can hurt somebody; any one makes the importance high.
RISKS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "medical": re.compile(
            r"\b(?:dos(?:es?|ages?|ing)|overdos\w+|symptoms?|diagnos\w+|medicat\w+|medicines?|prescri\w+|pregnan\w+"
            r"|vaccin\w+|allerg\w+|contraindicat\w+|side effects?|surger(?:y|ies)|cancers?|tumou?rs?|antibiotics?"
            r"|insulin|chemotherapy|drug interactions?)\b|剂量|药|症状|过敏|怀孕|疫苗|手术|癌",
            re.I,
        ),
        "legal": re.compile(
            r"\b(?:il?legal\w*|lawful\w*|unlawful\w*|lawsuits?|lawyers?|attorneys?|liab(?:le|ility|ilities)|statut\w+"
            r"|sue[ds]?|suing|court orders?|custody|evict\w+|gdpr|hipaa|complian(?:ce|t)|my rights|criminal\w*"
            r"|prosecut\w+|breach of contract)\b|法律|起诉|违法|合法|律师|诉讼",
            re.I,
        ),
        "financial": re.compile(
            r"\b(?:tax(?:es|able|ation)?|invest(?:s|ed|ing|ments?|ors?)?|mortgages?|loans?|pensions?|insurance|insured"
            r"|bankrupt\w*|dividends?|debts?|interest rates?|retirement (?:account|fund|saving)s?|stock price)\b"
            r"|税|投资|贷款|养老金|保险|破产",
            re.I,
        ),
        "safety": re.compile(
            r"\b(?:hazard\w*|toxic\w*|poison\w*|flammab\w+|explo(?:sives?|de[sd]?|sions?)|electrocut\w+"
            r"|high voltage|evacuat\w+|emergenc(?:y|ies)|suicid\w+|self[- ]harm|carbon monoxide|radiation|asbestos"
            r"|lethal\w*|fatal\w*|first aid|safe to)\b|有毒|中毒|爆炸|易燃|辐射|自杀|急救|危险",
            re.I,
        ),
    }
)
# Chosen: a question of more words is not simple.
SHORT = 20
# A simple question wants a sentence or two: the default detail (1 to 10) of a factual question.
PLAIN_DETAIL = 3


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth and the reason for it, in words for the user."""

    profile: Profile
    reason: str


def depth_for(
    text: str, *, importance: Importance = "normal", load: float = 0.0, model_available: bool = True
) -> Depth:
    """The depth of profile `auto` for a question, by the table `DEPTHS`.

    `importance` is what the caller says of the question; a word of `RISKS` raises it to high. `load` is the share
    of what can be served at once that is in use, 0 to 1. Without a language model only `fast` can be carried out.

    >>> depth_for("How many milligrams are a dose?")
    Depth(profile='thorough', reason='a medical question ("dose")')
    >>> depth_for("Who founded Rome?", load=0.9).profile
    'fast'
    """
    if not model_available:
        return Depth("fast", "no language model is set, so only fast is possible")
    risk = risk_of(text)
    stakes: Importance = "high" if risk else importance
    calm, busy = DEPTHS[stakes]
    why = risk or f"a question of {importance} importance"
    if load < BUSY or calm == busy:
        return Depth(calm, why)
    return Depth(busy, f"{why}, under load: {calm} when there is room")


def risk_of(text: str) -> str | None:
    """The kind of a question to which a wrong answer can hurt, and the word that shows it; None for others.

    >>> risk_of("Is the paint toxic?"), risk_of("What is tactical dosido?")
    ('a safety question ("toxic")', None)
    """
    for risk, pattern in RISKS.items():
        if match := pattern.search(text):
            return f'a {risk} question ("{match.group()}")'
    return None


def is_simple(question: Question) -> bool:
    """True if a cheap model may write the answer.

    It may if the question asks for one fact in at most `SHORT` words, has one aspect, wants no more than a plain
    answer (detail at most `PLAIN_DETAIL`) for no expert, is clear, and has no word of `RISKS`.

    >>> is_simple(Question("Who founded Rome?", "Who founded Rome?"))
    True
    >>> is_simple(Question("Which dose is lethal?", "Which dose is lethal?"))
    False
    """
    return (
        question.kind is QuestionKind.FACTUAL
        and len(question.aspects) <= 1
        and question.detail <= PLAIN_DETAIL
        and question.expertise != "expert"
        and question.unclear is None
        and len(words(question.standalone)) <= SHORT
        and risk_of(question.standalone) is None
    )


# The quality that an assessed answer must reach to pass.


@dataclass(frozen=True, slots=True)
class QualityThreshold:
    """The `quality` required of an answer over all criteria and the `floor` in each of them; both 0 to 1."""

    quality: float = 0.7
    floor: float = 0.5
