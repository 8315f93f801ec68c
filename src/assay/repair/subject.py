"""Whether a passage that was found for a claim is about what the question asks of."""

from __future__ import annotations

from assay.text.names import Name, names
from assay.text.tokens import terms, words
from assay.types import Claim, Evidence, Passage, Question

# Where a question names nothing, a passage on its subject holds at least this share of its words.
_SHARE = 0.5


def on_subject(passage: Passage, claim: Claim, question: Question, evidence: Evidence) -> bool:
    """Whether the passage names what the question names, or what a passage at hand says of that.

    The second holds where the claim names something itself, the passage has all those names, and a passage at hand
    that is on the question's subject has one of them: of Maria Keller, who built the bridge that was asked for.

    >>> from assay.types import Hit
    >>> def passage(text): return Passage(text[:5], "d", "r", 0, len(text), text)
    >>> asked = Question("Who built the Harbour Bridge?", "Who built the Harbour Bridge?")
    >>> def held(claim, text): return on_subject(passage(text), Claim(1, claim, 0, 1, (), "unknown", None), asked,
    ...     Evidence((Hit(passage("Maria Keller built the Harbour Bridge."), 1.0),)))
    >>> held("It opened in 1932.", "The Harbour Bridge opened in 1932.")
    True
    >>> held("It opened in 1932.", "The Mira tunnel opened in 1932.")
    False
    >>> held("So Maria Keller was born in Linz.", "Maria Keller was born in Linz.")
    True
    """
    if _names_subject(passage, question):
        return True
    wanted = _named(claim.text)
    at_hand = [_words(each) for each in evidence.passages if _names_subject(each, question)]
    found = _words(passage)
    known = any(set(name.words) <= held for name in wanted for held in at_hand)
    return known and all(set(name.words) <= found for name in wanted)


def query_for(claim: Claim, question: Question, longest: int) -> str:
    """What to search for: the claim, behind what the question names where the claim names nothing.

    >>> asked = Question("Who built the Harbour Bridge?", "Who built the Harbour Bridge?")
    >>> query_for(Claim(1, "It opened in 1932.", 0, 18, (), "unknown", None), asked, 400)
    'Harbour Bridge It opened in 1932.'
    """
    asked = question.standalone
    named = [] if _named(claim.text) else [asked[each.start : each.end] for each in _named(asked)]
    return " ".join((*named, claim.text))[:longest]


def _names_subject(passage: Passage, question: Question) -> bool:
    """Whether the passage has a name of the question, all of its words; without names, half of its words."""
    held, asked = _words(passage), _named(question.standalone)
    if asked:
        return any(set(name.words) <= held for name in asked)
    wanted = set(terms(question.standalone))
    there = set(terms(f"{passage.title}\n{passage.text}"))
    return len(wanted & there) >= _SHARE * len(wanted)


def _named(text: str) -> list[Name]:
    """The names of a text; a capitalised first word may be none."""
    return [name for name in names(text) if not name.opens]


def _words(passage: Passage) -> set[str]:
    section = passage.location.section or ""
    return {
        word.removesuffix("'s").removesuffix("’s") for word in words(f"{passage.title}\n{section}\n{passage.text}")
    }
