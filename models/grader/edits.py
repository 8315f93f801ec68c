"""Small edits that change what a sentence says; each names what it replaces, so that evidence is edited alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from vocabulary import Vocabulary

from assay.text.names import names
from assay.text.tokens import STOP_WORDS

_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile(rf"\b(?:{'|'.join(each for each in _MONTHS if each != 'May')})\b")
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,-])\d+(?:\.\d+)?(?![\w])")
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split()
_UNITS = (
    "million billion thousand", "hours days weeks months years minutes", "kilometres miles metres feet km",
    "kg pounds tons grams", "percent points", "dollars euros", "first second third last",
    "daily weekly monthly annual",
    "north south east west", "northern southern eastern western", "mother father brother sister son daughter",
    "his her", "he she", "men women", "boys girls", "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
_AUXILIARY = re.compile(
    r"\b(is|was|are|were|has|have|had|can|could|will|would|should|may|might|did|does|do|must)\b"
)
_DENIED = re.compile(r"\b(is|was|are|were|has|have|had|could|will|would|should|did|does|do|must) (?:not|never) ")
_FORCE = {
    "some": "all", "many": "all", "most": "all", "several": "all", "may": "will", "might": "will", "could": "will",
    "often": "always", "sometimes": "always", "usually": "always", "few": "many", "more than": "less than",
    "at least": "at most", "before": "after", "after": "before", "because of": "despite", "with": "without",
    "more": "less", "increase": "decrease", "increased": "decreased", "both": "neither", "only": "not only",
    "all": "none of", "up": "down", "over": "under", "from": "to", "associated": "unassociated",
}  # fmt: skip
_TAIL = re.compile(r"[ ,](?:(?:and|which|because|after|before|while|with|for|by|in order to|during|in|on) .{12,})$")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new`; where `old` is empty, put `new` at the end of the sentence. `kind` names the edit.

    `mutual` says whether the unedited sentence is as false beside the edited one as the other way round.
    """

    kind: str
    old: str
    new: str
    mutual: bool = True

    def on(self, text: str) -> str | None:
        """The text edited; None where it does not hold `old` as a word exactly once."""
        if not self.old:
            bare = text.rstrip().rstrip(".")
            return f"{bare}{self.new}." if len(bare) > 20 else None
        if self.kind == "swap":
            return self._swapped(text)
        places = [each.start() for each in re.finditer(rf"(?<!\w){re.escape(self.old)}(?!\w)", text)]
        if len(places) != 1:
            return None
        return text[: places[0]] + self.new + text[places[0] + len(self.old) :]

    def _swapped(self, text: str) -> str | None:
        if text.count(self.old) != 1 or text.count(self.new) != 1:
            return None
        return text.replace(self.old, "\0").replace(self.new, self.old).replace("\0", self.new)


@dataclass(frozen=True, slots=True)
class Nearby:
    """What an edit may borrow: other sentences of the same text, names of this text and of others."""

    sentences: Sequence[str]
    names: Sequence[str]
    strangers: Sequence[str]
    vocabulary: Vocabulary


Maker = Callable[[str, Nearby, Random], Edit | None]


def named(text: str) -> list[str]:
    """The names of a text as written, without what only opens a sentence."""
    found = [text[each.start : each.end] for each in names(text) if not each.opens]
    return list(dict.fromkeys(each for each in found if 2 < len(each) < 40))


def number(text: str, near: Nearby, random: Random) -> Edit | None:
    """Another number: near it, or one that the text has elsewhere."""
    found = [each.group() for each in _NUMBER.finditer(text)]
    if not found:
        return None
    old = random.choice(found)
    others = [e.group() for s in near.sentences for e in _NUMBER.finditer(s) if e.group() not in text]
    if others and random.random() < 0.3:
        return Edit("number", old, random.choice(others))
    return Edit("number", old, new) if (new := _moved(old, random)) != old else None


def _moved(old: str, random: Random) -> str:
    value = float(old.replace(",", ""))
    if old.isdigit() and 1000 < value < 2100 and len(old) == 4:
        return str(int(value) + random.choice((-10, -3, -2, -1, 1, 2, 4, 10, 20)))
    factor = random.choice((0.1, 0.5, 0.8, 0.9, 1.1, 1.2, 1.5, 2, 3, 10))
    moved = value * factor if value > 9 or "." in old else value + random.choice((-2, -1, 1, 2, 3, 5))
    decimals = len(old.partition(".")[2])
    made = f"{abs(moved):,.{decimals}f}" if "," in old else f"{abs(moved):.{decimals}f}"
    return made if made != old else old + "0"


def number_word(text: str, near: Nearby, random: Random) -> Edit | None:
    """Another number in letters."""
    return _among(text, (" ".join(_NUMBER_WORDS),), "number word", random)


def unit(text: str, near: Nearby, random: Random) -> Edit | None:
    """Another unit, order, side, kin or day of the week."""
    return _among(text, _UNITS, "unit", random)


def _among(text: str, families: Sequence[str], kind: str, random: Random) -> Edit | None:
    here = set(_WORD.findall(text))
    options = [(old, family.split()) for family in families for old in family.split() if old in here]
    if not options:
        return None
    old, family = random.choice(options)
    return Edit(kind, old, random.choice([each for each in family if each != old]))


def month(text: str, near: Nearby, random: Random) -> Edit | None:
    """Another month."""
    found = _MONTH.findall(text)
    if not found:
        return None
    old = random.choice(found)
    return Edit("month", old, random.choice([each for each in _MONTHS if each != old]))


def name(text: str, near: Nearby, random: Random) -> Edit | None:
    """Another name: mostly one of the same text."""
    found = named(text)
    pool = near.names if near.names and random.random() < 0.65 else near.strangers
    others = [each for each in pool if each not in text]
    if not found or not others:
        return None
    old = random.choice(found)
    alike = [each for each in others if len(each.split()) == len(old.split())] or others
    return Edit("name", old, random.choice(alike))


def swap(text: str, near: Nearby, random: Random) -> Edit | None:
    """Two names, or two nouns around a relation, in each other's place."""
    found = named(text)
    if len(found) >= 2:
        first, second = random.sample(found, 2)
        return None if first in second or second in first else Edit("swap", first, second)
    sides = re.search(
        r"\b([a-z]{4,}) (?:than|by|of|from|into|causes?|before|after|over) (?:the |a )?([a-z]{4,})\b", text
    )
    if sides is None or sides[1] == sides[2]:
        return None
    return Edit("swap", sides[1], sides[2])


def denial(text: str, near: Nearby, random: Random) -> Edit | None:
    """A denial more, or one fewer."""
    if denied := _DENIED.search(text):
        return Edit("denial", denied[0].rstrip(), denied[1])
    found = [each.group() for each in _AUXILIARY.finditer(text)]
    if not found:
        return None
    old = random.choice(found)
    return Edit("denial", old, f"{old} {random.choice(('not', 'not', 'never'))}")


def opposite(text: str, near: Nearby, random: Random) -> Edit | None:
    """A word's opposite."""
    return _kin(text, near, "opposite", random)


def sister(text: str, near: Nearby, random: Random) -> Edit | None:
    """A word for another thing of its kind."""
    return _kin(text, near, "sister", random)


def narrower(text: str, near: Nearby, random: Random) -> Edit | None:
    """A word that says more than the sentence's."""
    return _kin(text, near, "narrower", random, mutual=False)


def _kin(text: str, near: Nearby, kind: str, random: Random, mutual: bool = True) -> Edit | None:
    found = [each for each in _WORD.findall(text) if each.islower()]
    random.shuffle(found)
    for old in found:
        if others := near.vocabulary.kin(old, kind):
            return Edit(kind, old, random.choice(others), mutual)
    return None


def force(text: str, near: Nearby, random: Random) -> Edit | None:
    """More certain, or turned round: may for will, before for after."""
    found = [each for each in _FORCE if re.search(rf"\b{each}\b", text)]
    if not found:
        return None
    old = random.choice(found)
    return Edit("force", old, _FORCE[old], mutual=False)


def another_word(text: str, near: Nearby, random: Random) -> Edit | None:
    """A word of the same text, of the same shape, in a word's place."""
    mine = [w for w in _WORD.findall(text) if w.islower() and w not in STOP_WORDS and len(w) > 3]
    theirs = [w for s in near.sentences for w in _WORD.findall(s) if w.islower() and len(w) > 3]
    if not mine:
        return None
    old = random.choice(mine)
    others = [w for w in theirs if w not in text and w[-2:] == old[-2:] and w not in STOP_WORDS]
    return Edit("another word", old, random.choice(others)) if others else None


def addition(text: str, near: Nearby, random: Random) -> Edit | None:
    """The end of another sentence, added."""
    tails = [tail.group().rstrip(" .") for each in near.sentences if (tail := _TAIL.search(each))]
    tails = [each for each in tails if 3 <= len(each.split()) <= 14 and each not in text]
    return Edit("addition", "", random.choice(tails), mutual=False) if tails else None


MAKERS: tuple[tuple[Maker, float], ...] = (
    (number, 3), (number_word, 1), (unit, 1.5), (month, 1), (name, 4), (swap, 2), (denial, 1.5), (opposite, 2.5),
    (sister, 3), (narrower, 1), (force, 1), (another_word, 2), (addition, 2.5),
)  # fmt: skip


def edit(text: str, near: Nearby, random: Random) -> Edit | None:
    """One edit that this sentence allows, None after a few tries."""
    makers, weights = zip(*MAKERS, strict=True)
    for maker in random.choices(makers, weights, k=8):
        made = maker(text, near, random)
        if made is not None and made.on(text) not in (None, text):
            return made
    return None
