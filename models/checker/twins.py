"""False siblings of true claims, made by one change: another number or name, a denial, a word turned round.

The exchanged value is, wherever it can be, one that the passage holds beside something else: a claim with a value
that stands nowhere is the easier lie.
"""

from __future__ import annotations

import random
import re
from itertools import pairwise

from assay.nlp.names import Name, names

_NUMBER = re.compile(r"(?<![\w.,:/#-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,:/#-])\d+(?:\.\d+)?(?![\w:/-]|[.,]\d)")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|may|might|does|do|did)\b(?! (?:not|n't|no|never|only)\b)",
    re.I,
)
_PERFECT = re.compile(r"\b(has|have|had)\b(?= (?:been|\w+ed|become|made|taken|given|shown|found|led)\b)", re.I)
_DENIAL = re.compile(r"(?<=\w) (?:not|never|no longer)(?= \w)|n't\b", re.I)
_WITHOUT_NOT = {"ca": "can", "wo": "will", "can": "can"}
# Words that turn a sentence round when they change places.
_TURNED = (
    ("always", "never"),
    ("before", "after"),
    ("first", "last"),
    ("more", "less"),
    ("more than", "fewer than"),
    ("most", "few"),
    ("at least", "at most"),
    ("higher", "lower"),
    ("larger", "smaller"),
    ("longer", "shorter"),
    ("older", "younger"),
    ("earlier", "later"),
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("maximum", "minimum"),
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("allowed", "forbidden"),
    ("required", "optional"),
    ("includes", "excludes"),
    ("included", "excluded"),
    ("including", "except"),
    ("with", "without"),
    ("if", "unless"),
    ("and", "but not"),
    ("north", "south"),
    ("east", "west"),
    ("won", "lost"),
    ("accepted", "rejected"),
    ("begins", "ends"),
    ("began", "ended"),
    ("often", "rarely"),
    ("early", "late"),
    ("above", "below"),
    ("inside", "outside"),
    ("possible", "impossible"),
    ("success", "failure"),
)
# What these turn into does not follow; the other way round it would.
_STRENGTHENED = {"some": "all", "may": "must", "can": "must", "often": "always", "most": "all", "many": "all"}
_TURNS = {a: b for pair in _TURNED for a, b in (pair, pair[::-1])} | _STRENGTHENED
_TURNABLE = re.compile(rf"\b(?:{'|'.join(sorted(_TURNS, key=len, reverse=True))})\b")
# Beside these, two names may change places and the claim stays true.
_EITHER_WAY = re.compile(r"\b(?:and|or|nor|between|with|versus|vs|both|from|to)\b|[,;:()/&]")
# Words between two names that change places: fewer hardly say anything of the one about the other.
_FEWEST_BETWEEN = 1


def wrong_number(claim: str, passage: str, draw: random.Random) -> str | None:
    """The claim with one number exchanged; None where it has none.

    >>> wrong_number("It opened in 1932.", "It opened in 1932; by 1951 it had closed.", random.Random(2))
    'It opened in 1951.'
    """
    found = list(_NUMBER.finditer(claim))
    if not found:
        return None
    one = draw.choice(found)
    old = one.group()
    said = {each.group() for each in found}
    others = {each.group() for each in _NUMBER.finditer(passage)} - said
    alike = sorted(each for each in others if len(each) == len(old) and ("." in each) == ("." in old))
    new = draw.choice(alike) if alike and draw.random() < 0.5 else _another(old, said | others, draw)
    return None if new is None else claim[: one.start()] + new + claim[one.end() :]


def _another(old: str, taken: set[str], draw: random.Random) -> str | None:
    """The number with one of its digits changed, or two that follow one another exchanged."""
    first = 2 if _YEAR.fullmatch(old) else 0
    places = [at for at, each in enumerate(old) if each.isdigit() and at >= first]
    for _ in range(8):
        digits = list(old)
        at = draw.choice(places)
        if at + 1 in places and draw.random() < 0.3:
            digits[at], digits[at + 1] = digits[at + 1], digits[at]
        else:
            digits[at] = draw.choice("123456789" if at == 0 else "0123456789")
        new = "".join(digits)
        if new not in taken and not (len(new) > 1 and new[0] == "0"):
            return new
    return None


def wrong_name(claim: str, passage: str, draw: random.Random) -> str | None:
    """The claim with two of its names exchanged, or one for another of the passage; None where neither can be.

    >>> wrong_name("Last year Ada Byron hired Mary Kay.", "", random.Random(1))
    'Last year Mary Kay hired Ada Byron.'
    """
    found = [each for each in names(claim) if each.words and ". " not in _of(claim, each)]
    pairs = [pair for pair in pairwise(found) if _turns(claim, *pair)]
    if pairs and draw.random() < 0.6:
        one, two = draw.choice(pairs)
        between = claim[one.end : two.start]
        return claim[: one.start] + _of(claim, two) + between + _of(claim, one) + claim[two.end :]
    words = {word for each in found for word in each.words}
    inside = [each for each in found if not each.opens]
    others = sorted(
        {
            _of(passage, each)
            for each in names(passage)
            if not each.opens and words.isdisjoint(each.words) and ". " not in _of(passage, each)
        }
    )
    if not inside or not others:
        return None
    one = draw.choice(inside)
    alike = [each for each in others if len(each.split()) == len(one.words)]
    return claim[: one.start] + draw.choice(alike) + claim[one.end :] if alike else None


def wrong_polarity(claim: str, draw: random.Random) -> str | None:
    """The claim denied where it affirms, or affirmed where it denies; None where no verb shows how.

    >>> wrong_polarity("The door is not locked.", random.Random(1))
    'The door is locked.'
    >>> wrong_polarity("The door is locked.", random.Random(3))
    'The door is not locked.'
    """
    if denials := list(_DENIAL.finditer(claim)):
        one = draw.choice(denials)
        if one.group().casefold() != "n't":
            return claim[: one.start()] + claim[one.end() :]
        verb = re.search(r"\w+$", claim[: one.start()])
        if verb is None:
            return None
        whole = _WITHOUT_NOT.get(verb.group().casefold(), verb.group())
        return claim[: verb.start()] + whole + claim[one.end() :]
    found = [*_AUXILIARY.finditer(claim), *_PERFECT.finditer(claim)]
    if not found:
        return None
    one = draw.choice(found)
    word = one.group()
    short = {"can": f"{word}not", "will": f"{word[0]}on't", "may": None, "might": None}.get(
        word.casefold(), f"{word}n't"
    )
    shapes = [f"{word} not", f"{word} not", f"{word} never", *([short] if short else [])]
    return claim[: one.start()] + draw.choice(shapes) + claim[one.end() :]


def wrong_word(claim: str, draw: random.Random) -> str | None:
    """The claim with one word turned round ("before" for "after"); None where it has none that can be.

    >>> wrong_word("It closes before dawn.", random.Random(1))
    'It closes after dawn.'
    """
    found = list(_TURNABLE.finditer(claim))
    if not found:
        return None
    one = draw.choice(found)
    return claim[: one.start()] + _TURNS[one.group()] + claim[one.end() :]


def _of(text: str, name: Name) -> str:
    return text[name.start : name.end]


def _turns(claim: str, one: Name, two: Name) -> bool:
    """Whether what stands between two names says something of the first about the second."""
    between = claim[one.end : two.start]
    if one.opens or two.opens or not set(one.words).isdisjoint(two.words):
        return False
    return len(between.split()) >= _FEWEST_BETWEEN and not _EITHER_WAY.search(between)
