"""Statements turned round, and statements that nobody made."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from values import Change, put

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|might|does|do|did)\b"
    r"(?! not|n't|n’t| no| never)"
    r"(?= [a-z])"
)
_NOT = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may|does|do|did) not (?!only|just)"
)
_CONTRACTED = re.compile(r"\b(is|are|was|were|has|have|had|could|would|should|does|do|did)n['’]t ")
_NO = re.compile(r"\b(no|without|never) (?=[a-z]+)(?!longer|doubt|later|matter|more)")
_FORMS = {
    "won": "win", "made": "make", "became": "become", "began": "begin", "took": "take", "gave": "give",
    "wrote": "write", "found": "find", "held": "hold", "led": "lead", "left": "leave", "built": "build",
    "sold": "sell", "bought": "buy", "said": "say", "came": "come", "went": "go", "lost": "lose", "grew": "grow",
    "rose": "rise", "fell": "fall", "showed": "show", "shows": "show", "show": "show", "increases": "increase",
    "increased": "increase", "reduces": "reduce", "reduced": "reduce", "plays": "play", "played": "play",
    "contains": "contain", "contained": "contain", "includes": "include", "included": "include",
    "offers": "offer", "offered": "offer", "uses": "use", "used": "use", "requires": "require", "helps": "help",
    "causes": "cause", "caused": "cause", "suggests": "suggest", "suggested": "suggest", "asks": "ask",
    "asked": "ask", "wants": "want", "wanted": "want", "likes": "like", "believes": "believe", "expects": "expect",
    "expected": "expect", "received": "receive", "provides": "provide", "provided": "provide",
    "released": "release", "created": "create", "produced": "produce", "produces": "produce", "moved": "move",
    "died": "die", "served": "serve", "worked": "work", "started": "start", "opened": "open", "agreed": "agree",
    "agrees": "agree", "decided": "decide", "decides": "decide", "lives": "live", "lived": "live",
    "joined": "join", "reported": "report", "reports": "report", "announced": "announce", "lead": "lead",
    "leads": "lead", "inhibits": "inhibit", "regulates": "regulate", "promotes": "promote", "induces": "induce",
    "enhances": "enhance", "affects": "affect", "prevents": "prevent", "needs": "need", "works": "work",
    "mentioned": "mention", "discussed": "discuss", "explained": "explain", "recommends": "recommend",
    "proposed": "propose", "scored": "score", "appeared": "appear", "stars": "star", "starred": "star",
}  # fmt: skip
_PLAIN = frozenset("show lead".split())
_VERB = re.compile(r"(?<=[a-zA-Z0-9)] )(" + "|".join(_FORMS) + r")\b(?! (?:by|not)\b)")
_BEFORE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has|have|had|to|not|will|would|can|could|may|might|get|got"
    r"|a|an|the|of|and|in|who|which|that|its|his|her|their) $"
)
_CLAUSE = re.compile(
    r", ((?:which|who|where|because|while|after|although|whose) [a-z][^,.;()\"“”\d]{20,110})(?=[.,;])"
)
_OPENERS = ("In addition, ", "Moreover, ", "", "", "")


def negation(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """What the sentence says denied, or what it denies said."""
    ways: list[Callable[[str, random.Random], Change | None]] = [
        _denied,
        _contracted,
        _never,
        _did_not,
        _said,
        _whole,
    ]
    chance.shuffle(ways)
    return next((made for way in ways if (made := way(sentence, chance)) is not None), None)


def _denied(sentence: str, chance: random.Random) -> Change | None:
    """ "was" becomes "was not"."""
    found = list(_AUXILIARY.finditer(sentence))
    return None if not found else (m := found[0]) and put(sentence, m, 1, f"{m.group(1)} not", "not")


def _contracted(sentence: str, chance: random.Random) -> Change | None:
    """ "was" becomes "wasn't"."""
    found = [
        each
        for each in _AUXILIARY.finditer(sentence)
        if each.group(1) not in ("may", "might", "will", "can", "must")
    ]
    return None if not found else (m := found[0]) and put(sentence, m, 1, f"{m.group(1)}n't", "n't")


def _never(sentence: str, chance: random.Random) -> Change | None:
    """ "founded" becomes "never founded"."""
    found = _main_verbs(sentence)
    return None if not found else put(sentence, found[0], 1, f"never {found[0].group(1)}", "never")


def _did_not(sentence: str, chance: random.Random) -> Change | None:
    """ "won" becomes "did not win", or "failed to win"."""
    found = _main_verbs(sentence)
    if not found:
        return None
    form = found[0].group(1)
    helper = "do" if form in _PLAIN else "does" if form.endswith("s") else "did"
    return put(
        sentence,
        found[0],
        1,
        f"{chance.choice([helper + ' not', helper + 'n’t', 'failed to'])} {_FORMS[form]}",
        "did not",
    )


def _main_verbs(sentence: str) -> list[re.Match[str]]:
    return [each for each in _VERB.finditer(sentence) if not _BEFORE.search(sentence[: each.start()])]


def _said(sentence: str, chance: random.Random) -> Change | None:
    """The denial taken out."""
    match = _NOT.search(sentence) or _CONTRACTED.search(sentence)
    if match:
        return Change(
            sentence[: match.start()] + match.group(1) + " " + sentence[match.end() :],
            "not removed",
            match.group(),
            match.group(1),
        )
    match = _NO.search(sentence)
    new = {"no": "some", "without": "with", "never": "always"}
    return None if match is None else put(sentence, match, 1, new[match.group(1)], "no removed")


def _whole(sentence: str, chance: random.Random) -> Change | None:
    """The whole sentence denied, seldom."""
    if chance.random() > 0.1 or re.search(r"\bnot\b|n't|[!?]", sentence):
        return None
    opening = chance.choice(["It is not true that ", "It is false that ", "There is no evidence that "])
    return Change(opening + sentence[0].lower() + sentence[1:], "whole", "", opening)


def clauses(texts: Sequence[str]) -> list[str]:
    """Subordinate clauses of other texts, without names and numbers."""
    found = [match.group(1) for text in texts for match in _CLAUSE.finditer(text)]
    return [each for each in found if not re.search(r"[A-Z]", each)]


def addition(
    sentence: str, evidence: str, chance: random.Random, sentences: Sequence[str], pool: Sequence[str]
) -> Change | None:
    """Something that no passage says: a clause, or a sentence behind."""
    if chance.random() < 0.5 and pool and sentence.endswith("."):
        clause = chance.choice(pool)
        if not _known(clause, evidence):
            return Change(f"{sentence[:-1]}, {clause}.", "clause", "", clause)
    added = chance.choice(sentences)
    if _known(added, evidence):
        return None
    opener = chance.choice(_OPENERS)
    whole = f"{opener}{added[0].lower() if opener and not added.split()[0].istitle() else added[0]}{added[1:]}"
    return Change(f"{sentence} {whole}", "sentence", "", whole)


def _known(added: str, evidence: str) -> bool:
    """Whether more than half of its longer words stand in the evidence: it might be borne out."""
    words = {each.lower() for each in re.findall(r"[A-Za-z]{5,}", added)}
    held = {each for each in words if each[:5] in evidence.lower()}
    return len(words) < 2 or len(held) > 0.5 * len(words)
