"""Numbers and dates that a text gets wrong. Wrong values stand nowhere in the evidence, unless borrowed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """What was changed in a sentence, and how: `way` is the variety of the error."""

    text: str
    way: str
    before: str
    after: str


_MONTHS = "January February March April May June July August September October November December".split()
_NUMBER = re.compile(
    r"(?<![\w.,:/\-–$€£¥#])[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|(?<![\w.,:/\-–#])[$€£]?\d+(?:\.\d+)?(?![\w,:/–-]|\.\d)"
)
_YEAR = re.compile(r"(?<![\w.,:/–-])(1[5-9]\d\d|20[0-3]\d)(?![\w:/–-]|[.,]\d)")
_MONTH = re.compile(r"\b(" + "|".join(each for each in _MONTHS if each != "May") + r")\b")
_DAY = re.compile(
    r"\b(?P<day>[1-9]|[12]\d|3[01])(?= (?:"
    + "|".join(_MONTHS)
    + r")\b)|(?<=(?:uary|arch|pril|June|July|gust|mber|ober) )(?P<late>[1-9]|[12]\d|3[01])\b(?!\d)"
)
_WORDS = (
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty".split()
)
_WORD = re.compile(r"\b(" + "|".join(_WORDS) + r")\b", re.IGNORECASE)
_VALUE = dict(zip(_WORDS, (*range(2, 13), 15, 20, 30, 40, 50, 60), strict=True))
_SCALE = re.compile(r"(?<=\d )(hundred|thousand|million|billion|trillion)\b", re.IGNORECASE)
_SCALES = "hundred thousand million billion trillion".split()
_UNITS = (("miles", "kilometres"), ("percent", "percentage points"), ("days", "weeks"), ("weeks", "months"),
          ("months", "years"), ("hours", "days"), ("minutes", "hours"), ("feet", "metres"),
          ("metres", "kilometres"),
          ("km", "cm"), ("kg", "g"), ("mg", "kg"))  # fmt: skip


def number(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """One number changed: digits, size, scale, unit, or a number of the evidence that belongs to something else."""
    ways: list[Callable[[str, str, random.Random], Change | None]] = [
        _digits,
        _digits,
        _scaled,
        _united,
        _spelled,
        _borrowed,
    ]
    return _first(ways, sentence, evidence, chance)


def date(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """One year, month or day changed."""
    return _first([_year, _year, _month, _day, _other_year], sentence, evidence, chance)


def _first(
    ways: list[Callable[[str, str, random.Random], Change | None]],
    sentence: str,
    evidence: str,
    chance: random.Random,
) -> Change | None:
    """The first way, in random order, that the sentence allows."""
    chance.shuffle(ways)
    return next((made for way in ways if (made := way(sentence, evidence, chance)) is not None), None)


def put(sentence: str, match: re.Match[str], group: int | str, new: str, way: str) -> Change:
    """The sentence with one group of a match written otherwise."""
    start, end = match.span(group)
    return Change(sentence[:start] + new + sentence[end:], way, sentence[start:end], new)


def _numbers(sentence: str) -> list[re.Match[str]]:
    """Numbers in digits that are no years, days of a month, or parts of a list."""
    found = [each for each in _NUMBER.finditer(sentence) if not _YEAR.fullmatch(each.group())]
    days = [each.span() for each in _DAY.finditer(sentence)]
    return [
        each
        for each in found
        if each.span() not in days and not sentence[: each.start()].endswith(("No. ", "Chapter "))
    ]


def _held(value: str, evidence: str) -> bool:
    """Whether the evidence writes the value, with or without commas, alone or before a decimal, or as a word."""
    plain = value.lstrip("$€£").replace(",", "")
    bare = re.sub(r"(?<=\d),(?=\d{3})", "", evidence)
    words = [word for word, n in _VALUE.items() if str(n) == plain]
    return bool(re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d)", bare)) or any(
        re.search(rf"\b{word}\b", evidence, re.IGNORECASE) for word in words
    )


def _like(old: str, value: float) -> str:
    """A value written as the old number is: sign, places and commas."""
    sign = old[0] if old[0] in "$€£" else ""
    body = old.lstrip("$€£")
    places = len(body.partition(".")[2])
    return f"{sign}{value:,.{places}f}" if "," in body else f"{sign}{value:.{places}f}"


def _digits(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Another value: a little or much more or less, or with its digits turned."""
    found = _numbers(sentence)
    chance.shuffle(found)
    for match in found:
        old = match.group()
        value = float(old.lstrip("$€£").replace(",", ""))
        for factor in chance.sample([0.5, 0.7, 0.87, 1.15, 1.3, 2.0, 3.0, 10.0], 8):
            new = _like(old, value * factor if value >= 4 else value + chance.choice([2, 3, 4, 6]))
            if (
                new != old
                and not _held(new, evidence)
                and abs(float(new.lstrip("$€£").replace(",", "")) - value) > 0.08 * abs(value)
            ):
                return put(sentence, match, 0, new, "digits")
    return None


def _scaled(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Million for billion."""
    found = list(_SCALE.finditer(sentence))
    if not found:
        return None
    match = chance.choice(found)
    other = chance.choice([each for each in _SCALES if each != match.group().lower()])
    return put(sentence, match, 0, other, "scale")


def _united(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """The same number of another unit."""
    pairs = [*_UNITS, *((new, old) for old, new in _UNITS)]
    chance.shuffle(pairs)
    for old, new in pairs:
        match = re.search(rf"(?<=\d )({re.escape(old)})\b", sentence)
        if match and not re.search(rf"\b{re.escape(new)}\b", evidence):
            return put(sentence, match, 1, new, "unit")
    return None


def _spelled(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Another number in words."""
    found = [
        each for each in _WORD.finditer(sentence) if not re.match(r"\s+(?:of|to|and)\b", sentence[each.end() :])
    ]
    chance.shuffle(found)
    for match in found:
        others = [
            each for each in _WORDS if each != match.group().lower() and not _held(str(_VALUE[each]), evidence)
        ]
        if others:
            new = chance.choice(others)
            return put(sentence, match, 0, new.capitalize() if match.group()[0].isupper() else new, "spelled")
    return None


def _borrowed(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """A number that the evidence gives for something else."""
    mine = {each.group() for each in _numbers(sentence)}
    others = sorted({each.group() for each in _numbers(evidence)} - mine)
    found = [each for each in _numbers(sentence) if float(each.group().lstrip("$€£").replace(",", "")) >= 5]
    if not found or not others:
        return None
    match, new = chance.choice(found), chance.choice(others)
    if (
        ("." in new) != ("." in match.group())
        or (new[0] in "$€£") != (match.group()[0] in "$€£")
        or new in match.group()
    ):
        return None
    return put(sentence, match, 0, new, "borrowed")


def _year(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Another year, near or far."""
    found = list(_YEAR.finditer(sentence))
    chance.shuffle(found)
    for match in found:
        for shift in chance.sample([-40, -12, -9, -5, -3, -2, -1, 1, 2, 3, 4, 7, 10, 13, 30], 15):
            new = str(int(match.group()) + shift)
            if 1500 <= int(new) <= 2030 and new not in evidence and not _covered(new, evidence):
                return put(sentence, match, 0, new, "year")
    return None


def _covered(year: str, evidence: str) -> bool:
    """Whether the evidence writes a span of years around it, as "1998-2003" or "1990s"."""
    if f"{year[:3]}0s" in evidence:
        return True
    spans = re.findall(r"(1[5-9]\d\d|20\d\d)\s?(?:-|–|to|and|until)\s?(\d{2,4})", evidence)
    return any(int(first) <= int(year) <= int(first[: 4 - len(last)] + last) for first, last in spans)


def _other_year(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """A year that the evidence gives for something else."""
    mine = {each.group() for each in _YEAR.finditer(sentence)}
    others = sorted({each.group() for each in _YEAR.finditer(evidence)} - mine)
    if len(mine) != 1 or not others:
        return None
    match = next(_YEAR.finditer(sentence))
    return put(sentence, match, 0, chance.choice(others), "other year")


def _month(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Another month."""
    found = list(_MONTH.finditer(sentence))
    others = [each for each in _MONTHS if each[:3] not in evidence]
    if not found or not others:
        return None
    return put(sentence, chance.choice(found), 0, chance.choice(others), "month")


def _day(sentence: str, evidence: str, chance: random.Random) -> Change | None:
    """Another day of the month."""
    found = list(_DAY.finditer(sentence))
    others = [str(n) for n in range(2, 29) if not re.search(rf"(?<!\d){n}(?!\d)", evidence)]
    if not found or not others:
        return None
    return put(sentence, chance.choice(found), 0, chance.choice(others), "day")
