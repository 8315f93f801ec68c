"""Names that a text gets wrong, and names that change places around what is said of them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from values import Change, put

_PART = r"[A-Z][a-zà-ÿ]+(?:[-'’][A-Z][a-zà-ÿ]+)?"
_NAME = re.compile(rf"(?<=[a-z,;] ){_PART}(?: {_PART}){{0,2}}(?![\w'’-])(?! [A-Z(\d])")
_NO_NAMES = frozenset(
    """January February March April May June July August September October November December Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday The This That These Those There They Their When While Where What In On
    At He She It His Her Its We You If As But And Or For From By With After Before During However Although
    English French German American British Mr Mrs Ms Dr President Professor PhD Doctor Chapter Figure Table
    Section Part No Not Yes Internet Earth Bible God Christian Christmas Christianity""".split()
)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Sir|Lord|King|Queen|President|Professor|Doctor|Prince|Princess|Judge)$")
_LISTED = re.compile(r"^\s*(?:,|and\b|or\b|&|/|as well as\b)")
_VERB = re.compile(
    r"""\b(?:\w+ed|beat|won|bought|sold|built|wrote|led|made|met|told|gave|sent|taught|held|found|left|lost|took|paid
        |owns?|uses?|knows?|likes?|loves?|hates?|helps?|asks?|tells?|invites?|gives?|sends?|visits?|calls?|succeeds?
        |defeats?|causes?|inhibits?|activates?|regulates?|contains?|offers?|replaces?|supports?|joins?)\b""",
    re.VERBOSE,
)
_EITHER_WAY = re.compile(
    r"\b(?:met|married|divorced|meets?|meet|between|both|versus|vs|with|together|and|discuss\w*|agree\w*|border\w*"
    r"|interact\w*|resembl\w*|separat\w*|connect\w*|combin\w*|shar\w*)\b"
)


def names(text: str) -> list[re.Match[str]]:
    """The names within sentences: capitalised words, not after a full stop, no months, titles or adjectives."""
    found = []
    for match in _NAME.finditer(text):
        parts = match.group().split()
        if not any(part in _NO_NAMES for part in parts) and not _TITLE.search(text[: match.start()].rstrip(" .")):
            found.append(match)
    return found


def name(sentence: str, evidence: str, chance: random.Random, pool: Sequence[str]) -> Change | None:
    """One name replaced: by one of another text, by one of the evidence, or in its last word."""
    found = names(sentence)
    if not found:
        return None
    ways = ["foreign", "foreign", "surname", "borrowed"]
    chance.shuffle(ways)
    for way in ways:
        match = chance.choice(found)
        new = _other(match.group(), way, sentence, evidence, chance, pool)
        if new is not None:
            return put(sentence, match, 0, new, way)
    return None


def _other(
    old: str, way: str, sentence: str, evidence: str, chance: random.Random, pool: Sequence[str]
) -> str | None:
    """Another name for `old`, none of whose words is the old one's or stands in the sentence."""
    length = len(old.split())
    if way == "borrowed":
        choice = sorted({each.group() for each in names(evidence)})
        fitting = [each for each in choice if len(each.split()) == length and not _akin(each, sentence)]
        return chance.choice(fitting) if fitting else None
    fitting = [
        each for each in chance.sample(list(pool), min(400, len(pool))) if not _akin(each, evidence + sentence)
    ]
    if way == "surname" and length > 1:
        last = next((each.split()[-1] for each in fitting), None)
        return None if last is None else " ".join([*old.split()[:-1], last])
    return next((each for each in fitting if len(each.split()) == length), None)


def _akin(name: str, text: str) -> bool:
    """Whether the text holds a word of the name, or one that begins alike."""
    return any(re.search(rf"\b{re.escape(word[:4])}", text, re.IGNORECASE) for word in name.split())


def swapped(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Two names that change places around a verb that does not hold both ways."""
    found = names(sentence)
    first = re.match(rf"{_PART}(?: {_PART}){{0,2}}(?= )", sentence)
    if first and not any(part in _NO_NAMES for part in first.group().split()):
        found = [first, *found]
    pairs = [
        (one, two)
        for at, one in enumerate(found)
        for two in found[at + 1 :]
        if _turns_round(sentence[one.end() : two.start()], sentence[two.end() :], one.group(), two.group())
    ]
    if not pairs:
        return None
    one, two = chance.choice(pairs)
    text = (
        sentence[: one.start()]
        + two.group()
        + sentence[one.end() : two.start()]
        + one.group()
        + sentence[two.end() :]
    )
    return Change(text, "roles", f"{one.group()} … {two.group()}", f"{two.group()} … {one.group()}")


def _turns_round(between: str, behind: str, one: str, two: str) -> bool:
    """Whether what stands between two names says something of the first about the second."""
    return (
        one.split()[-1] != two.split()[-1]
        and len(between.split()) <= 8
        and bool(_VERB.search(between))
        and not _EITHER_WAY.search(between)
        and not _LISTED.match(behind)
        and not re.search(r"[.;:()\"“”]", between)
    )
