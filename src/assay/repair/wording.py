"""A value put where another stood, so that the words around it still fit."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.nlp.dates import Date, dates
from assay.nlp.numbers import VALUES
from assay.types import Edit, Span

# A source's date written as the answer writes its own.


_MONTHS = "January February March April May June July August September October November December".split()
# How a date may be written, from its parts: the first form that makes the answer's own date is the answer's.
_FORMS = (
    "{year}-{month:02d}-{day:02d}",
    "{year}/{month:02d}/{day:02d}",
    "{day} {name} {year}",
    "{day:02d} {name} {year}",
    "{day} of {name} {year}",
    "{nth} {name} {year}",
    "{nth} of {name} {year}",
    "{name} {day}, {year}",
    "{name} {nth}, {year}",
    "{name} {day} {year}",
    "{day} {short} {year}",
    "{short} {day}, {year}",
    "{short}. {day}, {year}",
    "{day} {name}",
    "{nth} {name}",
    "{name} {day}",
    "{name} {nth}",
    "{name} {year}",
    "{name}, {year}",
    "{short} {year}",
    "{name}",
    "{year}",
)


def as_written(said: str, expected: str) -> str | None:
    """The source's date in the form of the answer's; None where it lacks a part of that form, or either is no date.

    >>> as_written("3 May 1931", "1932-05-04"), as_written("1931", "4 May 1932"), as_written("3 May 1931", "1932")
    ('4 May 1932', '1932', None)
    """
    mine, theirs = _only(said), _only(expected)
    if mine is None or theirs is None:
        return None
    form = next((form for form in _FORMS if _written(form, mine) == said), None)
    return None if form is None else _written(form, theirs)


def _only(text: str) -> Date | None:
    """The date that the text is, None where it is not one and nothing else; a span of years has no form."""
    found = dates(text)
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
    return found[0] if whole and found[0].until == found[0].year else None


def _written(form: str, date: Date) -> str | None:
    """The date in a form; None where the form shows a part that the date leaves open."""
    shows = {
        "year": "{year}" in form,
        "month": "{name}" in form or "{short}" in form or "{month" in form,
        "day": "{day" in form or "{nth}" in form,
    }
    if any(shown and getattr(date, part) is None for part, shown in shows.items()):
        return None
    name = _MONTHS[date.month - 1] if date.month else ""
    day = date.day or 0
    return form.format(year=date.year, month=date.month or 0, day=day, name=name, short=name[:3], nth=_nth(day))


def _nth(day: int) -> str:
    """A day as an ordinal.

    >>> [_nth(n) for n in (1, 2, 3, 11, 12, 13, 22)]
    ['1st', '2nd', '3rd', '11th', '12th', '13th', '22nd']
    """
    ending = "th" if 11 <= day % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


_POSSESSIVE = re.compile(r"['’]s?\Z")
_ARTICLE = re.compile(r"\b(?P<article>[Aa]n?)(?P<space>[ \u00a0])\Z")
# Numbers that are said with a vowel first: eight, eighteen, eleven, and thousands of them.
_SAID_WITH_VOWEL = re.compile(r"(?:8|11(?!\d)|18(?!\d)|11,\d{3}|18,\d{3})")
# Vowels that are said as consonants, and the other way round.
_SAID_WITH_CONSONANT = re.compile(r"(?:uni(?!n)|use|usu|eu|one\b|once\b|ubi|ura)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_LETTERS_SAID_WITH_VOWEL = re.compile(r"[AEFHILMNORSX][A-Z0-9.]+\b")
_PERCENT = re.compile(r"\s?(?:%|per ?cent\b)")
_ON_A_DAY = re.compile(r"\b(?P<word>[Oo])n(?P<space> (?:the )?)\Z")
# A number joined to its unit stands before a noun: a 5-year plan.
_JOINED = re.compile(r"[^\s-]+-[^\W\d_]+\Z")


def edited(text: str, edit: Edit) -> str:
    """The text with the edit made."""
    return text[: edit.start] + edit.replacement + text[edit.end :]


def fitted(text: str, place: Span, expected: str, reason: str = "") -> Edit:
    """The source's words in a place of the text, with as little around them as must change too.

    A date takes the form of the one that it replaces; a possessive, the capital that opens a sentence and `a` or
    `an` before it stay right; words that the text already has on either side are not said twice.

    >>> said = "It took an 18-year effort of Ada's team."
    >>> edited(said, fitted(said, Span(11, 13), "5"))
    "It took a 5-year effort of Ada's team."
    >>> edited(said, fitted(said, Span(29, 34), "Mary Somerville"))
    "It took an 18-year effort of Mary Somerville's team."
    """
    start, end = place.start, place.end
    said = text[start:end]
    new = as_written(said, expected) or " ".join(expected.split())
    new = _attributive(said, new)
    new = _possessive(said, new, text[end:])
    new = _not_said_twice(text[:start], new, text[end:])
    if said[:1].isupper() and new[:1].islower() and _opens(text[:start]):
        new = new[:1].upper() + new[1:]
    if said[:1].islower() and new.split(" ")[0].lower() in VALUES:  # it opens the source's sentence
        new = new[:1].lower() + new[1:]
    return _with_preposition(text, _with_article(text, Edit(start, end, new, reason)), said)


def _attributive(said: str, new: str) -> str:
    """ "7 years" as "7-year" where a number joined to its unit stood."""
    number, space, unit = new.rpartition(" ")
    if not (_JOINED.match(said) and space and unit.isalpha() and number[:1].isdigit()):
        return new
    return f"{number}-{unit.removesuffix('s') if len(unit) > 2 else unit}"


def _possessive(said: str, new: str, behind: str) -> str:
    ending = _POSSESSIVE.search(said)
    bare = _POSSESSIVE.sub("", new)
    if ending:
        return bare + ("'s" if ending.group() == "'" and not bare.endswith("s") else ending.group())
    return bare if behind.startswith(("'s", "’s")) else new


def _not_said_twice(before: str, new: str, behind: str) -> str:
    """The value without words that stand before or behind its place already: a title, a unit."""
    words = new.split(" ")
    for count in range(len(words) - 1, 0, -1):
        if _ends_with(before, " ".join(words[:count])):
            words = words[count:]
            break
    for count in range(len(words) - 1, 0, -1):
        if _begins_with(behind, " ".join(words[-count:])):
            words = words[:-count]
            break
    value = " ".join(words)
    if value[0] in "$€£¥" and before.endswith(value[0]):
        value = value[1:]
    return value.rstrip("% ") if _PERCENT.match(behind) else value


def _ends_with(before: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)} \Z", before, re.IGNORECASE) is not None


def _begins_with(behind: str, words: str) -> bool:
    return re.match(rf" {re.escape(words)}(?!\w)", behind, re.IGNORECASE) is not None


def _opens(before: str) -> bool:
    """Whether nothing but white space, a list mark or an opening quote stands before."""
    return re.fullmatch(r"\s*(?:(?:[-*•+]|\d{1,3}[.)])\s+)?[\"“'(*_]*", before) is not None


def _with_article(text: str, edit: Edit) -> Edit:
    """The edit with the `a` or `an` before it as the new value is said."""
    article = _ARTICLE.search(text, 0, edit.start)
    if article is None:
        return edit
    wanted = ("an" if said_with_vowel(edit.replacement) else "a").replace("a", article["article"][0], 1)
    if wanted == article["article"]:
        return edit
    return replace(edit, start=article.start(), replacement=wanted + article["space"] + edit.replacement)


def _with_preposition(text: str, edit: Edit, said: str) -> Edit:
    """ "on 3 May 1931" becomes "in 1932" where the source does not give the day."""
    found = dates(edit.replacement)
    coarser = any(each.day for each in dates(said)) and bool(found) and not any(each.day for each in found)
    on = _ON_A_DAY.search(text, 0, edit.start) if coarser else None
    if on is None:
        return edit
    return replace(edit, start=on.start(), replacement=f"{'I' if on['word'] == 'O' else 'i'}n {edit.replacement}")


def said_with_vowel(word: str) -> bool:
    """Whether `an` stands before a word or number.

    >>> [each for each in ("8,000", "18-year", "1,800", "hour", "unit", "FBI", "apple") if said_with_vowel(each)]
    ['8,000', '18-year', 'hour', 'FBI', 'apple']
    """
    if _LETTERS_SAID_WITH_VOWEL.match(word):
        return True
    if word[0].isdigit():
        return _SAID_WITH_VOWEL.match(word) is not None
    if _SILENT_H.match(word):
        return True
    return word[0].lower() in "aeiou" and _SAID_WITH_CONSONANT.match(word) is None
