"""Replacement of a value, with the words around it adapted."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.nlp.dates import Date, dates
from assay.nlp.numbers import VALUES
from assay.types import Edit, Span

# A source's date in the form that the answer uses.

_MONTHS = "January February March April May June July August September October November December".split()
# Forms of a date: the answer's is the first that yields the date as the answer has it.
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


def date_in_form(answer_date: str, source_date: str) -> str | None:
    """The source's date in the form of the answer's; None where it lacks a part of that form, or either is no date.

    >>> dates = [("3 May 1931", "1932-05-04"), ("1931", "4 May 1932"), ("3 May 1931", "1932")]
    >>> [date_in_form(*pair) for pair in dates]
    ['4 May 1932', '1932', None]
    """
    own, source = _as_date(answer_date), _as_date(source_date)
    if own is None or source is None:
        return None
    form = next((form for form in _FORMS if _formatted(form, own) == answer_date), None)
    return None if form is None else _formatted(form, source)


def _as_date(text: str) -> Date | None:
    """The date that makes up all of a text; None where there is none, or it spans years."""
    found = dates(text)
    is_all = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
    return found[0] if is_all and found[0].until == found[0].year else None


def _formatted(form: str, date: Date) -> str | None:
    """The date in a form; None where the form shows a part that the date lacks."""
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
# Numbers spoken with a vowel first: eight, eighteen, eleven, and thousands of them.
_VOWEL_NUMBER = re.compile(r"(?:8|11(?!\d)|18(?!\d)|11,\d{3}|18,\d{3})")
# Vowels spoken as consonants.
_CONSONANT_SOUND = re.compile(r"(?:uni(?!n)|use|usu|eu|one\b|once\b|ubi|ura)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_VOWEL_INITIALISM = re.compile(r"[AEFHILMNORSX][A-Z0-9.]+\b")
_PERCENT = re.compile(r"\s?(?:%|per ?cent\b)")
_ON_A_DAY = re.compile(r"\b(?P<word>[Oo])n(?P<space> (?:the )?)\Z")
# A number joined to its unit stands before a noun: a 5-year plan.
_JOINED = re.compile(r"[^\s-]+-[^\W\d_]+\Z")


def apply_edit(text: str, edit: Edit) -> str:
    """The text after the edit."""
    return text[: edit.start] + edit.replacement + text[edit.end :]


def fit_value(text: str, place: Span, expected: str, reason: str = "") -> Edit:
    """The edit that puts a source's value in a place of the text, and changes around it only what must change.

    A date takes the form of the one that it replaces; a possessive ending, the capital of a sentence opening and
    `a` or `an` are adapted; words that already stand on either side are not repeated.

    >>> text = "It took an 18-year effort of Ada's team."
    >>> apply_edit(text, fit_value(text, Span(11, 13), "5"))
    "It took a 5-year effort of Ada's team."
    >>> apply_edit(text, fit_value(text, Span(29, 34), "Mary Somerville"))
    "It took an 18-year effort of Mary Somerville's team."
    """
    start, end = place.start, place.end
    old = text[start:end]
    new = date_in_form(old, expected) or " ".join(expected.split())
    new = _attributive(old, new)
    new = _possessive(old, new, text[end:])
    new = _without_repetition(text[:start], new, text[end:])
    if old[:1].isupper() and new[:1].islower() and _opens(text[:start]):
        new = new[:1].upper() + new[1:]
    if old[:1].islower() and new.split(" ")[0].lower() in VALUES:  # it opens the source's sentence
        new = new[:1].lower() + new[1:]
    return _with_preposition(text, _with_article(text, Edit(start, end, new, reason)), old)


def _attributive(old: str, new: str) -> str:
    """ "7 years" as "7-year" where a number joined to its unit stood."""
    number, space, unit = new.rpartition(" ")
    if not (_JOINED.match(old) and space and unit.isalpha() and number[:1].isdigit()):
        return new
    return f"{number}-{unit.removesuffix('s') if len(unit) > 2 else unit}"


def _possessive(old: str, new: str, behind: str) -> str:
    ending = _POSSESSIVE.search(old)
    bare = _POSSESSIVE.sub("", new)
    if ending:
        return bare + ("'s" if ending.group() == "'" and not bare.endswith("s") else ending.group())
    return bare if behind.startswith(("'s", "’s")) else new


def _without_repetition(before: str, new: str, behind: str) -> str:
    """The value without a title or unit that already stands before or behind its place."""
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
    """True if nothing but white space, a list mark or an opening quote stands before."""
    return re.fullmatch(r"\s*(?:(?:[-*•+]|\d{1,3}[.)])\s+)?[\"“'(*_]*", before) is not None


def _with_article(text: str, edit: Edit) -> Edit:
    """The edit with the `a` or `an` before it adapted to the new value."""
    article = _ARTICLE.search(text, 0, edit.start)
    if article is None:
        return edit
    wanted = ("an" if takes_an(edit.replacement) else "a").replace("a", article["article"][0], 1)
    if wanted == article["article"]:
        return edit
    return replace(edit, start=article.start(), replacement=wanted + article["space"] + edit.replacement)


def _with_preposition(text: str, edit: Edit, old: str) -> Edit:
    """ "on 3 May 1931" becomes "in 1932" where the source does not give the day."""
    found = dates(edit.replacement)
    loses_day = any(date.day for date in dates(old)) and bool(found) and not any(date.day for date in found)
    on = _ON_A_DAY.search(text, 0, edit.start) if loses_day else None
    if on is None:
        return edit
    return replace(edit, start=on.start(), replacement=f"{'I' if on['word'] == 'O' else 'i'}n {edit.replacement}")


def takes_an(word: str) -> bool:
    """True if `an` stands before a word or number.

    >>> [word for word in ("8,000", "18-year", "1,800", "hour", "unit", "FBI", "apple") if takes_an(word)]
    ['8,000', '18-year', 'hour', 'FBI', 'apple']
    """
    if _VOWEL_INITIALISM.match(word):
        return True
    if word[0].isdigit():
        return _VOWEL_NUMBER.match(word) is not None
    if _SILENT_H.match(word):
        return True
    return word[0].lower() in "aeiou" and _CONSONANT_SOUND.match(word) is None
